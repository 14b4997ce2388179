import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { random } from '../base/random.ts'
import { chain } from './chain/index.ts'
import { game24 } from './game24/index.ts'
import { gsm8k } from './gsm8k/index.ts'
import { math } from './math/index.ts'
import { omni } from './omni/index.ts'
import { rulerCwe, rulerFwe, rulerVt } from './ruler/index.ts'
import type { Task } from './task.ts'
import { boxes, isNone, lastBox, untilBrace } from './text.ts'

/** Extractors run on the main thread, so garbage must cost them little and never throw. */
const cases: [string, Task, unknown][] = [
  ['game24', game24, game24.read('4 7 8 8')],
  ['chain', chain, chain.generate!(random(1), { size: 20 })],
  ['gsm8k', gsm8k, gsm8k.read({ answer: 'so it is\n#### 18' })],
  ['math', math, math.read({ answer: '\\frac{1}{2}' })],
  ['omni', omni, omni.read({ answer: '2^{n}' })],
  ['ruler-vt', rulerVt, rulerVt.generate!(random(1), { size: 100 })],
  ['ruler-cwe', rulerCwe, rulerCwe.generate!(random(1), { size: 100 })],
  ['ruler-fwe', rulerFwe, rulerFwe.generate!(random(1), { size: 100 })],
]

function everything(task: Task, instance: unknown, text: string): void {
  for (const kind of ['partial', 'final'] as const) {
    const answer = task.extract(instance, text, kind)
    if (answer !== undefined) expect(['pass', 'fail', 'unknown']).toContain(task.verify(instance, answer, kind).kind)
    expect(['fail', 'unknown', 'pass']).toContain(task.verify(instance, text, kind).kind)
  }
  task.grade(instance, text)
  task.rectify?.state(instance, text)
  task.rectify?.collapse?.(instance, text)
}

const pieces = [
  '\\boxed{',
  '}',
  '{',
  'answer is ',
  'Answer:',
  '<answer>',
  '</answer>',
  '"answer":"',
  '\\',
  ' ',
  '\n',
  '7',
  '1: 2, ',
  '= ',
  '(',
  '$',
  '**',
  'VAR AAAAA',
  '####',
  '\u0000',
  'e',
  ', ',
  '-',
  '\\frac',
  '8 - 4 = 4 ',
  '</think>',
  '"',
  "'",
]

describe.each(cases)('%s', (_name, task, instance) => {
  it('bears a megabyte of anything', () => {
    for (const piece of pieces) {
      const start = performance.now()
      everything(task, instance, piece.repeat(Math.ceil(1_000_000 / piece.length)))
      expect(performance.now() - start, JSON.stringify(piece)).toBeLessThan(5000)
    }
  }, 60_000)

  it('bears mixtures', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 60 }), (parts) =>
        everything(task, instance, parts.join('')),
      ),
      { numRuns: 300 },
    )
  })
})

describe('text', () => {
  it('finds boxes with their braces balanced', () => {
    expect(boxes('\\boxed{a}\\boxed {\\frac{1}{2}} \\boxed 5 \\fbox{b}')).toEqual(['a', '\\frac{1}{2}', '5', 'b'])
    expect(lastBox('\\boxed{\\{1,2\\}}')).toBe('\\{1,2\\}')
    expect(lastBox('\\boxed{open')).toBeUndefined()
    expect(untilBrace('a{b}c} d')).toBe('a{b}c')
    expect(untilBrace('a{b\nc')).toBe('a{b')
    expect(untilBrace('so far: \\boxed{1+2')).toBe('1+2')
  })

  it('knows an honest none', () => {
    for (const none of ['none', 'None yet.', 'not found', 'N/A', 'no solution', '-', ''])
      expect(isNone(none), none).toBe(true)
    for (const some of ['1', 'north', 'nonetheless', 'no 5']) expect(isNone(some), some).toBe(false)
  })
})
