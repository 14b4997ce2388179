import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { assignment } from './assignment.ts'
import { choice } from './choice.ts'
import { code } from './code.ts'
import { entropyBits } from './entropy.ts'
import { expression } from './expression.ts'
import { mathAnswer } from './number.ts'
import { type Extractor, stability } from './statement.ts'

const options = ['4', '5', 'Yes', 'North east'].map((text, i) => ({ letter: 'ABCD'[i]!, text }))
const all: Record<string, Extractor> = {
  choice: choice(options),
  expression: expression({ numbers: [1, 2, 3, 4], target: 24 }),
  mathAnswer,
  assignment: assignment(),
  code,
}
const words = fc.constantFrom(
  'the answer is',
  'answer:',
  'A',
  'a',
  'B',
  ' ',
  '\n',
  '\\boxed{',
  '}',
  '{',
  '"House 1":',
  '(',
  ')',
  '1',
  '24',
  '=',
  '*',
  '+',
  '/',
  'not',
  'is correct',
  'option',
  '?',
  '.',
  ',',
  '```',
  '[CODE]',
  '[/CODE]',
  '$',
  '\\frac{',
  'or',
  '**',
  '"',
  ':',
  '-',
  'wait',
  'é',
  '中',
)
const text = fc.array(words, { maxLength: 60 }).map((parts) => parts.join(''))

describe.each(Object.entries(all))('%s', (_name, extractor) => {
  test('reads anything without a crash, in order, inside the text', () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ maxLength: 200 })), (t) => {
        const found = extractor(t)
        let last = 0
        for (const s of found) {
          expect(s.end).toBeGreaterThanOrEqual(last)
          expect(s.end).toBeLessThanOrEqual(t.length)
          last = s.end
        }
        expect(stability(found, 1).stable).toBe(found.length > 0)
      }),
      { numRuns: 500 },
    )
  })

  test('what was read stays read when the text goes on', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const head = `${before}\n`
        const kept = extractor(`${head}\n${after}`).filter((s) => s.end <= before.length)
        expect(kept.map((s) => s.key)).toEqual(
          extractor(head)
            .filter((s) => s.end <= before.length)
            .map((s) => s.key),
        )
      }),
      { numRuns: 300 },
    )
  })

  test.each([
    '{"',
    '(',
    'the answer is ',
    '\\boxed{',
    '1+',
    'answer '.repeat(3),
    'House 1: ',
    '[CODE]',
    '```\n',
    '"',
    'A is the ',
  ])('a hundred thousand characters of %j take no time', (piece) => {
    const long = piece.repeat(Math.ceil(100_000 / piece.length))
    const started = performance.now()
    extractor(long)
    expect(performance.now() - started).toBeLessThan(5_000)
  })
})

test('entropy is between nothing and that of an even choice', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.001, max: 1, noNaN: true }), { minLength: 1, maxLength: 20 }),
      (weights) => {
        const total = weights.reduce((a, b) => a + b, 0)
        const top = weights.map((w, i) => ({ text: String(i), logprob: Math.log(w / total) }))
        const bits = entropyBits({ text: '', top })!
        expect(bits).toBeGreaterThanOrEqual(-1e-9)
        expect(bits).toBeLessThanOrEqual(Math.log2(weights.length) + 1e-6)
      },
    ),
  )
  expect(entropyBits({ text: 'x' })).toBeUndefined()
})
