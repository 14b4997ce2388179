import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fakeEngine } from '../../test/fake-engine.ts'
import { sharedDir } from '../../test/shared.ts'
import { choice } from '../early-stop/choice.ts'
import { eatRule } from '../early-stop/eat.ts'
import { confidence } from '../early-stop/entropy.ts'
import { expression } from '../early-stop/expression.ts'
import { stability } from '../early-stop/statement.ts'
import { game24 } from '../tasks/game24/index.ts'
import type { Task } from '../tasks/task.ts'
import { readCritic } from './critic.ts'
import { parseMethod } from './registry.ts'
import { readValue } from './value.ts'

/** The faults of the published code that concern early stopping and baselines, each with the right answer. */

// biome-ignore lint/suspicious/noExplicitAny: rows of many shapes
type Row = { id: string; component: string; input: any; expected: any }

const dir = sharedDir()
const rows: Row[] = dir
  ? readFileSync(join(dir, 'vectors', 'interwhen_defects.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  : []
const of = (component: string) => rows.filter((row) => row.component === component)

describe.skipIf(!dir)('vectors (needs ../shared)', () => {
  test.each(of('kstable.mcq'))('$id', ({ input, expected }) => {
    const options = Object.entries<string>(input.options).map(([letter, text]) => ({ letter, text }))
    const found = stability(choice(options)(input.lines.join('\n')), input.k)
    expect(found.stable).toBe(expected.stable)
    if (expected.answer !== undefined) expect(found.answer).toBe(expected.answer)
  })

  test.each(of('kstable.game24'))('$id', ({ input, expected }) => {
    const numbers = input.numbers ?? [1, 2, 3, 4]
    const found = stability(expression({ numbers, target: 24 })(input.lines.join('\n')), input.k)
    expect(found.stable).toBe(expected.stable)
  })

  test.each(of('baseline.tot'))('$id', ({ input, expected }) => {
    expect(readValue(input.value_response)).toBe(expected)
  })

  test('deer-top1-not-sampled', () => {
    const row = rows.find((r) => r.id === 'deer-top1-not-sampled')!
    const { sampled, top_logprobs } = row.input
    const top = Object.entries<number>(top_logprobs).map(([text, logprob]) => ({ text, logprob }))
    expect(confidence([{ text: sampled, logprob: top_logprobs[sampled], top }])).toBeCloseTo(row.expected.confidence, 2)
  })

  test('deer-probe-request', async () => {
    const { input, expected } = rows.find((r) => r.id === 'deer-probe-request')!
    const engine = fakeEngine({
      say: (_t, { purpose }) => (purpose === 'fork' ? 'B}' : 'Hm.\n\nYes.\n\n</think>\n\nB'),
    })
    const { method, parameters } = parseMethod('deer')
    const task: Task = { ...(game24 as Task), prompt: () => input.question }
    await method.run({ engine, task, instance: { numbers: [1, 2], target: 24 }, seed: 1, parameters, maxTokens: 100 })
    const probes = engine.requests.filter((r) => r.options.purpose === 'fork')
    expect(probes.length).toBeGreaterThan(0)
    for (const probe of probes) {
      expect(probe.text).toContain(input.question)
      expect(probe.options.maxTokens).toBe(expected.max_tokens)
    }
  })

  test('no row of these components is left out', () => {
    const known = ['kstable.mcq', 'kstable.game24', 'baseline.tot', 'earlystop.deer']
    const mine = rows.filter((r) => /^(?:kstable|earlystop|baseline)/.test(r.component)).map((r) => r.component)
    expect(mine.length).toBeGreaterThan(0)
    expect([...new Set(mine)].filter((c) => !known.includes(c))).toEqual([])
  })
})

/** Faults that the notes on the published code describe without a row. */
describe('described faults', () => {
  const options = (...texts: string[]) => texts.map((text, i) => ({ letter: 'ABCD'[i]!, text }))
  const answer = (of: { letter: string; text: string }[], ...lines: string[]) =>
    stability(choice(of)(lines.join('\n')), 2)
  test('"no" in "now", "cant" in "significant", 1 in 10, bold letters, all values in one line', () => {
    expect(answer(options('Yes', 'No'), 'The answer is now clear', 'The answer is now clear').stable).toBe(false)
    expect(answer(options('4', '5'), 'The significant answer is B', 'Answer: B, a significant one').answer).toBe('5')
    expect(answer(options('1', '2', '10', '3'), 'The answer is 10', 'The answer is 10')).toMatchObject({
      stable: true,
      answer: '10',
    })
    expect(answer(options('4', '5'), 'The answer is **B**', 'Answer: **B**')).toMatchObject({
      stable: true,
      answer: '5',
    })
    expect(answer(options('4', '5'), 'Of 4 and 5 the answer is 5', 'Of A and B the answer is B')).toMatchObject({
      stable: true,
      answer: '5',
    })
  })
  test('a constant high entropy is no certainty', () => {
    expect(eatRule(Array(20).fill(5)).stop).toBe(false)
    expect(eatRule(Array(20).fill(0.01)).stop).toBe(true)
    expect(eatRule([0.01, 0.01, 0.01]).stop).toBe(false)
  })
  test('INCORRECT is not CORRECT', () => {
    expect(readCritic('VERDICT: INCORRECT')).toBe(false)
  })
})
