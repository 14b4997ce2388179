import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sharedDir } from '../../test/shared.ts'
import { game24 } from './game24/index.ts'
import { gsm8k } from './gsm8k/index.ts'
import { math } from './math/index.ts'

/**
 * Recorded answers of real models against their labels. Each kind of disagreement is named with its reason, and the test
 * asserts that reason for every row of the kind: a row that disagrees for any other reason fails.
 */
const shared = sharedDir()

// biome-ignore lint/suspicious/noExplicitAny: rows of many data sets
type Row = any
const rows = (file: string): Row[] =>
  readFileSync(join(shared!, 'data', 'traces', file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

const numbersIn = (text: string): number[] => (text.match(/\d+/g) ?? []).map(Number)

describe.skipIf(!shared)('recorded answers (need ../shared/data/traces)', () => {
  const gymRows = (): { numbers: number[]; target: number; row: Row }[] => [
    ...rows('reasoning_gym/puzzle24.jsonl').map((row) => ({
      numbers: numbersIn(/using ([\d, ]+)/.exec(row.question)![1]!),
      target: 24,
      row,
    })),
    ...rows('reasoning_gym/countdown.jsonl').map((row) => ({
      numbers: numbersIn(/numbers:? ([\d, ]+)/.exec(row.question)![1]!),
      target: Number(/(?:equals|make|Calculate) (-?\d+)/.exec(row.question)![1]),
      row,
    })),
  ]

  it('puzzle24 and countdown', () => {
    let agreed = 0
    for (const { numbers, target, row } of gymRows()) {
      const instance = game24.read({ numbers, target })
      const ours = game24.grade(instance, row.text)
      const label = row.score === 1
      if (ours === label) {
        agreed++
      } else if (label) {
        // the label's scorer looks at the value only: these use a number twice or one that was not given
        const answer = game24.extract(instance, row.text, 'final')!
        expect(game24.verify(instance, answer, 'final')).toMatchObject({
          feedback: expect.stringMatching(/too often|not one of the numbers/),
        })
      } else if (ours) {
        // a right last line without the tags that the label's scorer wants
        expect(row.answer, row.text.slice(-100)).toBeNull()
      } else {
        // no answer marked, though a right expression stands in the text; or brackets that do not match
        expect(row.answer === null || !balanced(row.answer), row.text.slice(-100)).toBe(true)
      }
    }
    expect(agreed).toBeGreaterThan(650)
  })

  it('GPT-4 by chain of thought and tree of thoughts: every label agrees', () => {
    const sets = readFileSync(join(shared!, 'data', 'game24', '24.csv'), 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => numbersIn(line.split(',')[1]!))
    for (const row of rows('tot_game24/game24_gpt4_cot.jsonl'))
      for (const [i, text] of (row.ys as string[]).entries())
        expect(game24.grade({ numbers: sets[row.idx]!, target: 24 }, text), text).toBe(row.r[i] === 1)
    for (const row of rows('tot_game24/game24_gpt4_tot_bfs.jsonl'))
      for (const [i, text] of (row.ys as string[]).entries())
        expect(game24.grade({ numbers: numbersIn(row.steps[0].x), target: 24 }, text), text).toBe(row.infos[i].r === 1)
  })

  it('Qwen 1.5B on 24, with its own verifier: every label agrees', () => {
    for (const row of rows('game24_qwen1p5b/traces.jsonl'))
      expect(game24.grade(game24.read({ numbers: row.numbers }), row.text), row.text).toBe(row.verifier.is_correct)
  })

  it('GPT-4 in five prompting styles: all decided, by an independent reading of the last line', () => {
    for (const row of rows('meta_prompting_game24/gpt4_game24.jsonl')) {
      const ours = game24.grade(game24.read(row.input), row.output)
      expect(ours).toBeTypeOf('boolean')
      // a pass must at least use the four numbers and nothing else on the left of its "="
      if (!ours) continue
      const answer = game24.extract(game24.read(row.input), row.output, 'final')!
      expect(numbersIn(answer.split('=')[0]!).sort()).toEqual(numbersIn(row.input).sort())
    }
  })

  it('gsm_symbolic', () => {
    for (const row of rows('reasoning_gym/gsm_symbolic.jsonl')) {
      const ours = gsm8k.grade(gsm8k.read({ answer: String(row.gold) }), row.text)
      if (ours === (row.score === 1)) continue
      // right, but boxed or with a broken tag, where the label's scorer wants <answer>
      expect([ours, row.answer], row.text.slice(-80)).toEqual([true, null])
    }
  })

  it('DeepSeek-R1 on MATH-500', () => {
    for (const row of rows('math500_r1/traces.jsonl')) {
      const instance = math.read({ answer: row.ground_truth })
      const ours = math.grade(instance, row.full_response)
      if (ours === row.is_correct) continue
      // the label's scorer takes the last number of the text and compares strings: "2" of \frac{\pi}{2}, 90 against 90^\circ
      expect(row.is_correct).toBe(false)
      expect(row.extracted_answer).toMatch(/^-?[\d.]+$/)
      expect(row.ground_truth).toMatch(/\\/)
    }
    for (const row of rows('math500_r1/rasbt_samples.jsonl'))
      expect(math.grade(math.read({ answer: row.gtruth_answer }), row.message_content)).toBe(true)
  })

  it('thought anchors: every label agrees', () => {
    for (const row of rows('thought_anchors/traces.jsonl').filter((r) => typeof r.gold === 'string'))
      expect(math.grade(math.read({ answer: row.gold }), row.full_cot), row.gold).toBe(row.is_correct)
  })

  it('ZeroEval: wherever the answer is a plain number, the verdict is that of the numbers', () => {
    let plain = 0
    for (const row of rows('zeroeval/gsm_math.jsonl')) {
      const task = row.task === 'gsm' ? gsm8k : math
      const instance = task.read({ answer: row.answer })
      const answer = task.extract(instance, row.output[0], 'final')
      const bare = answer?.replace(/^[$\s]+|,(?=\d{3})/g, '')
      if (bare === undefined || !/^-?\d+(?:\.\d+)?$/.test(bare)) continue
      plain++
      expect(task.grade(instance, row.output[0]), `${row.answer} and ${answer}`).toBe(
        Number(bare) === Number(instance.answer!.replaceAll(',', '')),
      )
    }
    expect(plain).toBeGreaterThan(600)
  })
})

function balanced(text: string): boolean {
  let depth = 0
  for (const c of text) {
    if (c === '(') depth++
    if (c === ')' && --depth < 0) return false
  }
  return depth === 0
}
