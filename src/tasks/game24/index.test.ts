import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sharedDir } from '../../../test/shared.ts'
import { random } from '../../base/random.ts'
import { verifyGame24 } from '../../verify/game24.ts'
import { rational } from '../../verify/rational.ts'
import { reaches } from '../../verify/reach.ts'
import type { Kind } from '../task.ts'
import { game24 } from './index.ts'

const judge = (numbers: readonly number[], output: string, kind: Kind) => {
  const instance = game24.read({ numbers })
  const answer = game24.extract(instance, output, kind)
  return { answer, verdict: answer === undefined ? undefined : game24.verify(instance, answer, kind) }
}

describe('game24', () => {
  it('reads lists and strings, and names the field that is wrong', () => {
    expect(game24.read('4 7 8 8')).toEqual({ numbers: [4, 7, 8, 8], target: 24 })
    expect(game24.read({ numbers: [1, 2], target: 3 })).toEqual({ numbers: [1, 2], target: 3 })
    expect(() => game24.read({})).toThrow('"numbers"')
    expect(() => game24.read({ numbers: [1, 'x'] })).toThrow('item 2')
    expect(() => game24.read({ numbers: [1, 2], target: 'x' })).toThrow('"target"')
    expect(() => game24.read('4 x')).toThrow('4 7 8 8')
    expect(() => game24.read(null)).toThrow('numbers')
  })

  it('has one id for one set of numbers', () => {
    expect(game24.id(game24.read('8 4 7 8'))).toBe(game24.id(game24.read('4 7 8 8')))
    expect(game24.id({ numbers: [1, 2], target: 3 })).not.toBe(game24.id({ numbers: [1, 2], target: 24 }))
  })

  it('completes an open box, LaTeX included, and knows an honest none', () => {
    const instance = game24.read('3 3 8 8')
    expect(game24.extract(instance, '\\frac{8}{3-\\frac{8}{3}}}\n', 'partial')).toBe('\\frac{8}{3-\\frac{8}{3}}')
    expect(game24.extract(instance, '8*3}.', 'partial')).toBe('8*3')
    expect(game24.extract(instance, '8*3', 'partial')).toBe('8*3')
    for (const none of ['none yet}', 'none}', 'None yet.', '\\text{none}}', 'no solution}', '', '}', 'nothing so far'])
      expect(game24.extract(instance, none, 'partial'), none).toBeUndefined()
  })

  it('says nothing of an expression that was cut off', () => {
    const instance = game24.read('1 10 12 13')
    expect(game24.extract(instance, '(12-10)*1', 'partial')).toBe('(12-10)*1')
    expect(game24.extract(instance, `${'('.repeat(40)}12-10${')'.repeat(40)}*1`, 'partial')).toBeUndefined()
    expect(game24.extract(instance, `${'('.repeat(40)}12-10${')'.repeat(40)}*13}`, 'partial')).toMatch(/\*13$/)
  })

  it('takes the last box of the answer, not one of the thinking', () => {
    const out = '<think>\\boxed{1+1}</think>\nThe expression is \\boxed{8*3} no, \\boxed{(8-3)*8-\\frac{3}{1}}'
    expect(game24.extract(game24.read('3 3 8 8'), out, 'final')).toBe('(8-3)*8-\\frac{3}{1}')
    expect(game24.extract(game24.read('3 3 8 8'), '<think>\\boxed{1+1}</think>\nI give up.', 'final')).toBeUndefined()
  })

  it('grades by computation', () => {
    const instance = game24.read('1 2 3 4')
    expect(game24.grade(instance, 'x</think>\\boxed{(1+2+3)*4}')).toBe(true)
    expect(game24.grade(instance, '\\boxed{(1+2)*3*4}')).toBe(false)
    expect(game24.grade(instance, '\\boxed{no solution}')).toBe(false)
    expect(game24.grade(instance, '')).toBe(false)
    expect(game24.grade(instance, 'One could take (1+2+3)*4, who knows?')).toBeUndefined()
  })

  it('generates solvable sets, the same for the same seed', () => {
    for (let seed = 0; seed < 50; seed++) {
      const instance = game24.generate!(random(seed), {})
      expect(instance).toEqual(game24.generate!(random(seed), {}))
      expect(
        reaches(
          instance.numbers.map((n) => rational(n)),
          rational(24),
        ),
      ).toBe(true)
    }
    expect(game24.generate!(random(1), { size: 5, target: 100 }).numbers).toHaveLength(5)
  })

  it('compresses to steps, checks them and starts again from what they leave', () => {
    const instance = game24.read('4 7 8 8')
    const { state, verify, restart, progress } = game24.rectify!
    expect(state(instance, ' 8 / 8 = 1, 7 - 1 = 6\n')).toBe('8 / 8 = 1, 7 - 1 = 6')
    expect(state(instance, 'none')).toBeUndefined()
    expect(verify(instance, '8 / 8 = 1, 7 - 1 = 6')).toEqual({ kind: 'pass', complete: false })
    expect(verify(instance, '8 / 8 = 1, 7 - 1 = 6, 6 * 4 = 24')).toEqual({ kind: 'pass', complete: true })
    expect(verify(instance, '8 / 8 = 2').kind).toBe('fail')
    expect(verify(instance, '8 / 8 = 1, 8 - 1 = 7').kind).toBe('fail')
    expect(verify(instance, '8 * 8 = 64, 7 * 4 = 28').kind).toBe('fail')
    expect(restart(instance, '8 / 8 = 1, 7 - 1 = 6').text).toBe('I keep 8 / 8 = 1, 7 - 1 = 6. Numbers left: 6, 4.\n')
    expect(progress(instance, '8 / 8 = 1, 7 - 1 = 6')).toBe(2)
  })

  it('keeps its texts short', () => {
    const instance = game24.read('4 7 8 8')
    expect(String(game24.prompt(instance)).split(/\s+/).length).toBeLessThan(60)
    expect(game24.feedback(instance, '4+7', { kind: 'fail', feedback: 'it gives 11, not 24' }, 'think')).toBe(
      'Wait, 4+7 does not work: it gives 11, not 24. I try something else.',
    )
  })
})

const shared = sharedDir()
type Row = { id: string; component: string; input: Record<string, unknown>; expected: Record<string, unknown> }
const vectors: Row[] = shared
  ? readFileSync(join(shared, 'vectors', 'interwhen_defects.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  : []

/** What each row expects, in our words. */
function expectRow({ component, input, expected }: Row): void {
  const numbers = (input.numbers ?? []) as number[]
  if (component === 'game24.reach') {
    const able = reaches(
      (input.can_reach_24 as number[]).map((n) => rational(n)),
      rational(24),
    )
    return expect(able).toBe(expected.reachable)
  }
  const start = performance.now()
  const kind: Kind = component === 'game24.final' ? 'final' : 'partial'
  const { answer, verdict } = judge(
    numbers,
    String(input.boxed ?? input.fork_output ?? input.generated_text ?? input.text),
    kind,
  )
  expect(performance.now() - start).toBeLessThan(2_000)
  if (expected.status === 'no-candidate') return expect(answer).toBeUndefined()
  const right = expected.status === 'complete' || expected.event === false || expected.phase === 'final_answer_correct'
  expect(verdict?.kind).toBe(right ? 'pass' : 'fail')
  if (expected.status === 'complete') expect(verdict).toMatchObject({ complete: true })
}

describe.skipIf(!shared)('the defects of the official code (needs ../shared/vectors)', () => {
  it.each(vectors.filter((row) => row.component.startsWith('game24.')).map((row) => [row.id, row] as const))(
    '%s',
    (_id, row) => expectRow(row),
  )

  it.each(vectors.filter((row) => row.component === 'kstable.game24').map((row) => [row.id, row] as const))(
    '%s: both lines give the same verdict on an extracted answer',
    (_id, { input, expected }) => {
      const numbers = (input.numbers as number[] | undefined) ?? [1, 2, 3, 4]
      for (const line of input.lines as string[])
        expect(judge(numbers, line, 'final').verdict?.kind).toBe(expected.stable ? 'pass' : 'fail')
    },
  )
})

describe('feedback', () => {
  it('never holds an expression that makes 24', () => {
    for (const [numbers, text] of [
      [[4, 7, 8, 8], '8*8'],
      [[1, 1, 4, 6], '1+1+4+6'],
    ] as const) {
      const verdict = verifyGame24({ numbers: numbers.map((n) => rational(n)), target: rational(24) }, text, 'partial')
      expect(verdict.kind === 'fail' ? verdict.feedback : '').not.toMatch(/[*/]/)
    }
  })
})
