import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { random } from '../../base/random.ts'
import { generateMaze } from '../../tasks/maze/generate.ts'
import { maze } from '../../tasks/maze/index.ts'
import {
  type Cell,
  checkMazeAnswer,
  checkMazeSteps,
  isUnread,
  type Maze,
  readMaze,
  readQuestion,
  truthOf,
} from './index.ts'

const parsed = (prompt: string): Maze => {
  const read = readMaze(prompt)
  if (isUnread(read)) throw new Error(read.unread)
  return read
}

/** An oracle that shares no code with the verifier: walks the drawing with vectors and counts turns by cross products. */
function oracle(prompt: string): { cells: Cell[]; right: number[]; left: number[]; words: string[] } {
  const rows = prompt
    .split('\n')
    .filter((l) => /^#[#SEX ]*#/.test(l))
    .map((l) => l.split(',')[0]!)
  const at = (r: number, c: number): string => rows[r]?.[c] ?? '#'
  let r = rows.findIndex((row) => row.includes('S'))
  let c = rows[r]!.indexOf('S')
  let [dr, dc] = [0, 0]
  const out = { cells: [[r, c] as Cell], right: [0], left: [0], words: [''] }
  const seen = new Set([`${r},${c}`])
  while (at(r, c) !== 'E') {
    const steps = [
      [-1, 0, 'up'],
      [1, 0, 'down'],
      [0, -1, 'left'],
      [0, 1, 'right'],
    ] as const
    const step = steps.find(([a, b]) => 'XE'.includes(at(r + a, c + b)) && !seen.has(`${r + a},${c + b}`))!
    const cross = dr * step[1] - dc * step[0]
    out.right.push(out.right.at(-1)! + (cross < 0 ? 1 : 0))
    out.left.push(out.left.at(-1)! + (cross > 0 ? 1 : 0))
    ;[dr, dc] = [step[0], step[1]]
    r += dr
    c += dc
    seen.add(`${r},${c}`)
    out.cells.push([r, c])
    out.words.push(step[2])
  }
  return out
}

const show = ([r, c]: Cell): string => `(${r},${c})`

function stepLines(o: ReturnType<typeof oracle>): string[] {
  return [
    `S ${show(o.cells[0]!)}`,
    ...o.words
      .slice(1)
      .map((w, i) => `${show(o.cells[i]!)} -> ${show(o.cells[i + 1]!)} ${w} R=${o.right[i + 1]} L=${o.left[i + 1]}`),
  ]
}

/** Mazes are drawn once: what is varied ten thousand times is what is said about them. */
const drawn = new Map<string, { prompt: string; read: Maze; o: ReturnType<typeof oracle> }>()
function draw(seed: number, size: number, question: string) {
  const key = `${seed} ${size} ${question}`
  const known = drawn.get(key)
  if (known) return known
  const { prompt } = generateMaze(random(seed), { size, question })
  const made = { prompt, read: parsed(prompt), o: oracle(prompt) }
  drawn.set(key, made)
  return made
}

const instances = fc.record({
  seed: fc.integer({ min: 0, max: 99 }),
  size: fc.integer({ min: 2, max: 6 }),
  question: fc.constantFrom('right', 'left', 'total', 'relation'),
})

describe('maze against an independent oracle', () => {
  it('passes exactly the right letters (10,000 cases)', () => {
    let cases = 0
    fc.assert(
      fc.property(instances, ({ seed, size, question }) => {
        const { prompt, o, read } = draw(seed, size, question)
        const [s, e] = [o.cells[0]!, o.cells.at(-1)!]
        const truth = {
          right: String(o.right.at(-1)),
          left: String(o.left.at(-1)),
          total: String(o.right.at(-1)! + o.left.at(-1)!),
          relation: question === 'relation' && relationHolds(prompt, s, e) ? 'Yes' : 'No',
        }[question]
        for (const option of read.options) {
          const verdict = checkMazeAnswer(read, `\\boxed{${option.letter}}`)
          expect(verdict.kind).toBe(option.text === truth ? 'pass' : 'fail')
          cases++
        }
      }),
      { numRuns: 3200 },
    )
    expect(cases).toBeGreaterThan(10_000)
  })

  it('passes every beginning of a right list, cut anywhere, and fails every single mistake (10,000 cases)', () => {
    fc.assert(
      fc.property(
        instances,
        fc.nat(),
        fc.nat(),
        fc.constantFrom('cut', 'cell', 'word', 'right', 'left', 'jump'),
        ({ seed, size, question }, where, by, kind) => {
          const { read, o } = draw(seed, size, question)
          const lines = stepLines(o)
          if (kind === 'cut') {
            const text = lines.join('\n').slice(0, 1 + (where % (lines.join('\n').length - 1)))
            expect(checkMazeSteps(read, text).kind).not.toBe('fail')
            expect(checkMazeSteps(read, `${lines.join('\n')}\n`)).toEqual({ kind: 'pass', complete: true })
            return
          }
          const at = 1 + (where % (lines.length - 1))
          const wrong = spoil(lines[at]!, kind, by)
          const text = [...lines.slice(0, at), wrong, ...lines.slice(at + 1)].join('\n')
          expect(checkMazeSteps(read, `${text}\n`).kind).toBe('fail')
        },
      ),
      { numRuns: 10_000 },
    )
  })
})

function relationHolds(prompt: string, s: Cell, e: Cell): boolean {
  const [dy, dx] = [e[0] - s[0], e[1] - s[1]]
  const q = /Is the exit[^?]*\?/.exec(prompt)![0]
  if (q.includes('directly to the left')) return dy === 0 && dx < 0
  if (q.includes('directly to the right')) return dy === 0 && dx > 0
  if (q.includes('directly above')) return dx === 0 && dy < 0
  if (q.includes('directly below')) return dx === 0 && dy > 0
  return (
    q.includes('top') === dy < 0 &&
    q.includes('bottom') === dy > 0 &&
    q.includes('left') === dx < 0 &&
    dx !== 0 &&
    dy !== 0
  )
}

function spoil(line: string, kind: string, by: number): string {
  const n = 1 + (by % 3)
  if (kind === 'cell') return line.replace(/-> \((\d+),(\d+)\)/, (_, r, c) => `-> (${Number(r) + n},${Number(c) + n})`)
  if (kind === 'jump') return line.replace(/^\((\d+),(\d+)\)/, (_, r, c) => `(${Number(r) + n},${c})`)
  if (kind === 'right') return line.replace(/R=(\d+)/, (_, k) => `R=${Number(k) + n}`)
  if (kind === 'left') return line.replace(/L=(\d+)/, (_, k) => `L=${Number(k) + n}`)
  return line.replace(/(up|down|left|right)/, (w) => ['up', 'down', 'left', 'right'].filter((x) => x !== w)[by % 3]!)
}

describe('maze questions', () => {
  it.each([
    [
      'Is the exit (E) directly to the left of the starting point (S), with no vertical displacement?',
      [3, 1],
      [3, 5],
      false,
    ],
    [
      'Is the exit (E) directly to the left of the starting point (S), with no vertical displacement?',
      [3, 5],
      [3, 1],
      true,
    ],
    ['Is the exit (E) to the bottom right of the starting point (S)?', [1, 1], [3, 3], true],
    ['Is the exit (E) to the top left of the starting point (S)?', [3, 3], [3, 1], false],
    ['Is the starting point (S) above the exit (E)?', [1, 1], [3, 1], true],
    ['Is the exit (E) north of the starting point (S)?', [3, 1], [1, 3], undefined],
    ['Is the exit (E) northeast of the starting point (S)?', [3, 1], [1, 3], true],
    ['Is the exit (E) not above the starting point (S)?', [3, 1], [1, 1], undefined],
    ['Is the exit (E) near the starting point (S)?', [3, 1], [1, 1], undefined],
  ] as const)('%s', (text, start, exit, truth) => {
    expect(truthOf(readQuestion(text), start, exit, undefined)).toBe(truth)
  })
  it('is not misled by words that hold others', () => {
    expect(readQuestion('Return to S. Is the exit (E) directly to the right of the starting point (S)?')).toMatchObject(
      { kind: 'relation' },
    )
    expect(readQuestion('How many u-turns are there?')).toEqual({ kind: 'unclear' })
    expect(readQuestion('How many right and left turns are there?')).toEqual({ kind: 'unclear' })
  })
})

describe('maze drawings', () => {
  const ask =
    ', where … How many total turns are there in the provided path (marked by X) from S to E? Available options:\nA. 0\nB. 2\nC. 1\nD. 3.'
  const verdict = (grid: string): string => checkMazeAnswer(readMaze(grid + ask), '\\boxed{B}').kind
  it('judges what is unambiguous', () => {
    expect(verdict('#####\n#SXX#\n###X#\n#EXX#\n#####')).toBe('pass')
    expect(verdict('######\n#SXXE#\n######')).toBe('fail')
  })
  it.each([
    ['ragged', '#####\n#SXX#\n### X#\n#EXX#\n#####'],
    ['two ways', '#####\n#SXX#\n#XXX#\n#EXX#\n#####'],
    ['a gap', '#####\n#SX #\n###X#\n#EXX#\n#####'],
    ['no exit', '#####\n#SXX#\n#####'],
    ['two starts', '#####\n#SXE#\n#S###\n#####'],
    ['nothing', 'hello #'],
  ])('does not know about %s', (_, grid) => {
    expect(verdict(grid)).toBe('unknown')
  })
  it('follows a corridor of a hundred thousand cells', () => {
    const long = `${'#'.repeat(100_002)}\n#S${'X'.repeat(99_998)}E#\n${'#'.repeat(100_002)}`
    expect(checkMazeAnswer(readMaze(long + ask), '\\boxed{A}').kind).toBe('pass')
  })
})

it('does not judge a count that may go on', () => {
  const instance = generateMaze(random(7), { size: 5 })
  const lines = stepLines(oracle(instance.prompt))
  const whole = lines.join('\n')
  for (let i = 1; i <= whole.length; i++) {
    const said = maze.extract(instance, whole.slice(3, 3 + i), 'partial')
    if (said !== undefined) expect(maze.verify(instance, said, 'partial').kind).not.toBe('fail')
  }
})

it('takes a list begun anew for the list, and a thought for no move', () => {
  const prompt =
    '#####\n#SXX#\n###X#\n#EXX#\n#####\nHow many total turns are there in the provided path (marked by X) from S to E? Available options:\nA. 0\nB. 2.'
  const read = parsed(prompt)
  const right = stepLines(oracle(prompt))
  expect(checkMazeSteps(read, `(1,1) -> (1,2) right R=0 L=0\n${right.join('\n')}\n`)).toEqual({
    kind: 'pass',
    complete: true,
  })
  expect(checkMazeSteps(read, `${right[1]}\n(1,2) -> (2,2) is blocked by a wall\n${right[2]}\n`)).toEqual({
    kind: 'pass',
    complete: false,
  })
  expect(checkMazeSteps(read, '(1,1) -> (2,1) down\n').kind).toBe('fail')
  expect(checkMazeSteps(read, '(1,2) -> (1,3) right R=0 L=0\n').kind).toBe('unknown')
})

it('reads moves told in other words', () => {
  const prompt =
    '#####\n#SXX#\n###X#\n#EXX#\n#####\nHow many total turns are there in the provided path (marked by X) from S to E? Available options:\nA. 0\nB. 2.'
  const kind = (text: string): string => checkMazeSteps(parsed(prompt), text).kind
  expect(kind('1. From (1, 1), move right to (1, 2).\n2. From (1, 2) move right to (1, 3).\n')).toBe('pass')
  expect(kind('1. From (1, 1), move down to (1, 2).\n')).toBe('fail')
  expect(kind('STEP 1 - right: (1,1) → (1,2)\nSTEP 2 - down: (1,2) → (2,2)\n')).toBe('fail')
  expect(kind('>>> STEP 1: Move FORWARD from (1,1) to (3,1)\n')).toBe('fail')
  expect(kind('(1,1) -> (1,2) -> (1,3) -> (2,3)\n')).toBe('pass')
})
