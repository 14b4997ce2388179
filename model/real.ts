/**
 * How often real models doubt, re-check, restate, loop and slip: the figures that the training mix is chosen by.
 * Reads the recorded outputs in ../shared/data/traces and prints one line a source. Run: npx tsx model/real.ts
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../src/base/paths.ts'

const folder = join(process.env.REIN_SHARED ?? join(packageRoot, '..', 'shared'), 'data', 'traces')

/** file, the fields that may hold the text, and the fields that tell a right one */
const sources: readonly [string, readonly string[]][] = [
  ['math500_r1/traces.jsonl', ['full_response']],
  ['thought_anchors/traces.jsonl', ['solution']],
  ['r1_distill_mixed/traces.jsonl', ['response']],
  ['reasoning_gym/puzzle24.jsonl', ['text']],
  ['reasoning_gym/countdown.jsonl', ['text']],
  ['reasoning_gym/zebra.jsonl', ['text']],
  ['reasoning_gym/maze.jsonl', ['text']],
  ['maze_ascii/traces.jsonl', ['text']],
  ['game24_qwen1p5b/traces.jsonl', ['text']],
]

const doubt = /\b(wait|hmm|hold on|actually|maybe i|not sure|that can't be|mistake)\b/i
const recheck = /\b(double[- ]check|let me check|verify|let me make sure|check again|let me confirm|re-?examine)\b/i
const settled = /\b(so the (final )?answer|the answer (is|should be)|therefore|\\boxed)/i

const equation = /(?<![\d.\w)]|[-+*/×÷] ?)(-?\d{1,4}) ?([-+*/×÷]) ?(\d{1,4}) ?= ?(-?\d{1,6})(?!\d|\.\d| ?[-+*/×÷])/g

/** [equations read, of them wrong] in plain `a op b = c` form */
export function slips(text: string): [number, number] {
  let read = 0
  let wrong = 0
  for (const m of text.matchAll(equation)) {
    const [a, b, c] = [Number(m[1]), Number(m[3]), Number(m[4])]
    const op = m[2]!
    const value = op === '+' ? a + b : op === '-' ? a - b : op === '*' || op === '×' ? a * b : a / b
    if (!Number.isInteger(value)) continue
    read++
    if (value !== c) wrong++
  }
  return [read, wrong]
}

export function describe(texts: readonly string[]): Record<string, number> {
  const sum = { sentences: 0, doubts: 0, checks: 0, repeats: 0, looping: 0, after: 0, late: 0, read: 0, wrong: 0 }
  for (const text of texts) {
    const sentences = text.split(/(?<=[.!?])\s+|\n+/).filter((s) => s.trim().length > 8)
    const seen = new Map<string, number>()
    let first = -1
    sentences.forEach((s, i) => {
      sum.sentences++
      if (doubt.test(s)) sum.doubts++
      if (recheck.test(s)) sum.checks++
      const n = (seen.get(s) ?? 0) + 1
      seen.set(s, n)
      if (n > 1) sum.repeats++
      if (first < 0 && settled.test(s)) first = i
    })
    if ([...seen.values()].some((n) => n >= 4)) sum.looping++
    if (first >= 0 && sentences.length > 4) {
      sum.late++
      sum.after += (sentences.length - 1 - first) / sentences.length
    }
    const [read, wrong] = slips(text)
    sum.read += read
    sum.wrong += wrong
  }
  const pct = (a: number, b: number) => Math.round((1000 * a) / Math.max(1, b)) / 10
  return {
    traces: texts.length,
    'sentences/trace': Math.round(sum.sentences / texts.length),
    'doubt %': pct(sum.doubts, sum.sentences),
    're-check %': pct(sum.checks, sum.sentences),
    'repeated %': pct(sum.repeats, sum.sentences),
    'looping traces %': pct(sum.looping, texts.length),
    'text after first answer %': pct(sum.after, sum.late),
    equations: sum.read,
    'wrong equations %': pct(sum.wrong, sum.read),
  }
}

if (process.argv[1]?.endsWith('real.ts')) {
  const rows: Record<string, Record<string, number>> = {}
  for (const [file, fields] of sources) {
    const path = join(folder, file)
    if (!existsSync(path)) continue
    const texts = readFileSync(path, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .map((row) => fields.map((f) => row[f]).find((t) => typeof t === 'string') as string | undefined)
      .filter((t): t is string => t !== undefined && t.length > 0)
    rows[file] = describe(texts)
  }
  const gpt4 = join(folder, 'tot_game24/game24_gpt4_cot.jsonl')
  if (existsSync(gpt4)) {
    const lines = readFileSync(gpt4, 'utf8').split('\n').filter(Boolean)
    rows['tot_game24/game24_gpt4_cot.jsonl'] = describe(lines.flatMap((l) => (JSON.parse(l) as { ys: string[] }).ys))
  }
  console.table(rows)
}
