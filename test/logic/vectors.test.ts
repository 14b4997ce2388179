import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { maze, spatialmap, zebralogic } from '../../src/tasks/index.ts'
import type { Kind, Task } from '../../src/tasks/task.ts'
import type { Verdict } from '../../src/trace/words.ts'
import { chosenOption, readOptions } from '../../src/verify/choice.ts'
import { isUnread, readMaze } from '../../src/verify/maze/index.ts'
import { readClaims, readSpatialMap } from '../../src/verify/spatial/index.ts'
import { sharedDir } from '../shared.ts'

/** Inputs on which another implementation went wrong, with the right answers. */
const shared = sharedDir()
// biome-ignore lint/suspicious/noExplicitAny: each vector has its own shape
type Vector = { readonly id: string; readonly component: string; readonly input: any; readonly expected: any }
const vectors = new Map<string, Vector>(
  shared === undefined
    ? []
    : readFileSync(join(shared, 'vectors', 'interwhen_defects.jsonl'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Vector)
        .map((v) => [v.id, v]),
)
if (!shared) console.warn('skipped: no ../shared beside this checkout, so the defect vectors cannot be read')

function check<I>(task: Task<I>, raw: unknown, output: string, kind: Kind): Verdict | undefined {
  const instance = task.read(raw)
  const answer = task.extract(instance, output, kind)
  return answer === undefined ? undefined : task.verify(instance, answer, kind)
}

const cases: Record<string, (v: Vector) => void> = {
  'maze-wrong-letter-accepted': ({ input }) => {
    const prompt = `${input.maze}\n${input.question}`
    expect(check(maze, { prompt }, input.after_think, 'final')?.kind).toBe('fail')
    expect(check(maze, { prompt }, input.after_think, 'partial')).toEqual({ kind: 'pass', complete: true })
    expect(check(maze, { prompt }, input.after_think.replace('{B}', '{A}'), 'final')?.kind).toBe('pass')
  },
  'maze-markdown-heading': ({ input, expected }) => {
    const read = readMaze(input.prompt)
    if (isUnread(read)) throw new Error(read.unread)
    expect(read.grid.rows.length).toBe(expected.rows)
    expect([read.grid.start, read.grid.exit]).toEqual([expected.start, expected.exit])
  },
  'maze-relative-unknown-phrase': ({ input }) => {
    const prompt = `${input.maze}\n${input.question.replace(' (E is south)', '')} Available options:\nA. Yes\nB. No.`
    expect(check(maze, { prompt }, `\\boxed{${input.boxed}}`, 'final')?.kind).toBe('fail')
    expect(check(maze, { prompt }, '\\boxed{B}', 'final')?.kind).toBe('pass')
  },
  'maze-relative-option-order': ({ input }) => {
    const prompt = `${input.maze}\n${input.question.replace(' (E is below)', '')}`
    expect(check(maze, { prompt }, `\\boxed{${input.boxed}}`, 'final')?.kind).toBe('pass')
  },
  'maze-relative-feedback-leak': ({ input }) => {
    const prompt = `${input.maze}\n${input.question.replace(' (E is south)', '')} Available options:\nA. Yes\nB. No.`
    const verdict = check(maze, { prompt }, `\\boxed{${input.boxed}}`, 'final')
    expect(verdict?.kind).toBe('fail')
    if (verdict?.kind === 'fail') expect(verdict.feedback).not.toMatch(/below|south|down|option B|\bNo\b/)
  },
  'maze-meta-step2-crash': ({ input }) => {
    const prompt = `${input.maze}\nHow many right turns? A. 2 B. 5 C. 0 D. 4`
    for (const kind of ['partial', 'final'] as const) {
      const verdict = check(maze, { prompt }, input.after_think, kind)
      expect(verdict).toEqual({ kind: 'fail', feedback: '(2,2) is a wall.' })
    }
  },
  'maze-right-step-after-last-feedback': ({ input }) => {
    const prompt = `${input.maze}\nHow many right turns? A. 2 B. 5 C. 0 D. 4`
    expect(check(maze, { prompt }, input.after_think, 'partial')).toEqual({ kind: 'pass', complete: false })
  },
  'spatial-repeat-wrong-claim': ({ input }) => {
    for (let i = 0; i < 2; i++)
      expect(check(spatialmap, { prompt: input.problem }, input.fork_output_twice, 'partial')?.kind).toBe('fail')
    const both = check(spatialmap, { prompt: input.problem }, input.fork_output_twice.repeat(2), 'partial')
    expect(both?.kind).toBe('fail')
  },
  'spatial-count-answer-leak': ({ input }) => {
    const verdict = check(spatialmap, { prompt: input.problem }, `\\boxed{${input.boxed}}`, 'final')
    expect(verdict?.kind).toBe('fail')
    if (verdict?.kind !== 'fail') return
    expect(verdict.feedback).toContain('3')
    expect(verdict.feedback).toContain('impossible')
    expect(verdict.feedback).not.toMatch(/\bA\b|\b2\b/)
  },
  'spatial-cardinal-semantics': ({ input }) => {
    const map = (question: string) =>
      `Consider a map with multiple objects:\nOak Cafe is in the map. ${input.fact.replace('northeast', 'to the Northeast')}. Please answer the following multiple-choice question based on the provided information. ${question}`
    const count = map('How many objects are in the North of Oak Cafe? Available options:\nA. 0\nB. 1\nC. 2\nD. 3.')
    const claim = check(spatialmap, { prompt: count }, input.claim, 'partial')
    const zero = check(spatialmap, { prompt: count }, '\\boxed{A}', 'final')
    const one = check(spatialmap, { prompt: count }, '\\boxed{B}', 'final')
    // the claim holds in one reading of north, the count 0 in the other: neither may be failed, and they may not both pass
    expect(claim?.kind).toBe('unknown')
    expect(zero?.kind).toBe('unknown')
    expect(one?.kind).toBe('unknown')
    expect(check(spatialmap, { prompt: count }, '\\boxed{C}', 'final')?.kind).toBe('fail')
  },
  'spatial-hypothesis-as-claim': ({ input }) => expect(readClaims(input.text, input.entities)).toEqual([]),
  'spatial-hypothesis-prefix': ({ input }) => expect(readClaims(input.text, input.entities)).toEqual([]),
  'spatial-name-digit': ({ input }) =>
    expect(readClaims(input.text, input.entities)[0]?.relation).toEqual({ a: 4, b: 0, direction: 'north' }),
  'spatial-name-hyphen': ({ input }) =>
    expect(readClaims(input.text, input.entities)[0]?.relation).toEqual({ a: 4, b: 0, direction: 'north' }),
  'spatial-markdown-bold': ({ input }) =>
    expect(readClaims(input.text, input.entities)[0]?.relation).toEqual({ a: 2, b: 0, direction: 'southwest' }),
  'spatial-newline-statements': ({ input }) => {
    const read = readSpatialMap(input.problem)
    if ('unread' in read) throw new Error(read.unread)
    expect(read.premises.length).toBe(2)
  },
  'zebra-joint-contradiction': ({ input }) => {
    const verdict = zebraCheck(input)
    expect(verdict.kind).toBe('fail')
    if (verdict.kind === 'fail') expect(verdict.feedback).toMatch(/House 1: Pet = cat; House 3: Pet = dog/)
  },
  'zebra-duplicate-value': ({ input }) => {
    const verdict = zebraCheck(input)
    expect(verdict.kind).toBe('fail')
    if (verdict.kind === 'fail') expect(verdict.feedback).toMatch(/House 2: Color = blue; House 3: Color = blue/)
  },
  'zebra-unknown-value': ({ input }) => {
    const verdict = zebraCheck(input)
    expect(verdict.kind).toBe('fail')
    if (verdict.kind === 'fail') expect(verdict.feedback).toMatch(/Crimson.*House 9/)
  },
  'zebra-animal-pet-merge': ({ expected }) => {
    const puzzle =
      'There are 2 houses.\n - The people keep unique animals: `cat`, `dog`\n - Each person has a unique type of pet: `cat`, `fish`\n\n## Clues:\n1. The dog owner is in the first house.\n2. The person with an aquarium of fish is in the first house.'
    const states = { 'House 1': { Animal: 'dog', Pet: 'fish' }, 'House 2': { Animal: 'cat', Pet: 'cat' } }
    expect(zebralogic.verify(zebralogic.read({ puzzle }), JSON.stringify(states), 'final')).toEqual({
      kind: 'pass',
      complete: true,
    })
    expect(expected.features).toEqual(['animal', 'pet'])
  },
  'zebra-grader-bad-json': ({ input }) => {
    const instance = zebralogic.read({ puzzle: puzzleOf(vectors.get('zebra-duplicate-value')!.input) })
    expect(zebralogic.extract(instance, input.answer, 'final')).toBeUndefined()
    expect(zebralogic.grade(instance, input.answer)).toBe(false)
  },
  'zebra-grader-null': ({ input }) => {
    const instance = zebralogic.read({ puzzle: puzzleOf(vectors.get('zebra-duplicate-value')!.input) })
    const text = JSON.stringify(input.answer)
    expect(zebralogic.grade(instance, text)).toBe(false)
    expect(zebralogic.verify(instance, text, 'final').kind).not.toBe('pass')
  },
  'grade-no-solution-as-letter': ({ input }) => expect(chosenOption(input.text, letters)).toBeUndefined(),
  'grade-answer-word': ({ input }) => expect(chosenOption(input.text, letters)).toBeUndefined(),
}

const letters = readOptions('A. 1\nB. 2\nC. 3\nD. 4')

/** The vectors give zebra puzzles as data; this writes them out. */
function puzzleOf(input: Vector['input']): string {
  const about: Record<string, string> = {
    color: 'Each person has a favorite color',
    pet: 'Each person has a unique type of pet',
  }
  const features = Object.entries(input.features as Record<string, string[]>).map(
    ([name, values]) => ` - ${about[name]}: ${values.map((v) => `\`${v}\``).join(', ')}`,
  )
  const clues: Record<string, string> = {
    'red is house 1': 'The person who loves red is in the first house.',
    'cat next to dog': 'The person who has a cat and the person who owns a dog are next to each other.',
  }
  const lines = (input.clues as string[]).map((c, i) => `${i + 1}. ${clues[c]}`)
  return `There are ${input.houses} houses, numbered 1 to ${input.houses} from left to right.\n${features.join('\n')}\n\n## Clues:\n${lines.join('\n')}`
}

function zebraCheck(input: Vector['input']): Verdict {
  const instance = zebralogic.read({ puzzle: puzzleOf(input) })
  return zebralogic.verify(instance, JSON.stringify(input.state), 'partial')
}

describe.skipIf(!shared)('defect vectors of maze, spatialmap, zebralogic and multiple choice', () => {
  const mine = [...vectors.values()].filter((v) => /^(?:maze|spatialmap|zebra|grader\.mcq)/.test(v.component))
  it.each(mine.map((v) => v.id))('%s', (id) => {
    const run = cases[id]
    if (!run) throw new Error(`no test for vector ${id}`)
    run(vectors.get(id)!)
  })
})
