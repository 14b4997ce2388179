/**
 * How well the extractors of k-stable read real traces: `npx tsx bench/extractors.ts [--misses]`.
 *
 * A row's truth is the answer that its own source extracted. Precision: of the rows in which an answer was found, how many
 * end on the true one. Recall: of the rows that have a true answer, how many were found to end on it. `articles` counts lines
 * in which an option letter was read although the trace has no options at all.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assignment } from '../src/early-stop/assignment.ts'
import { choice } from '../src/early-stop/choice.ts'
import { expression, normalForm } from '../src/early-stop/expression.ts'
import { answerKey, mathAnswer } from '../src/early-stop/number.ts'
import type { Extractor } from '../src/early-stop/statement.ts'
import { evaluate, literals, parseExpression } from '../src/verify/expression.ts'
import { format } from '../src/verify/rational.ts'
import { sharedDir } from '../test/shared.ts'

export interface Case {
  readonly text: string
  readonly extractor: Extractor
  /** the key of the answer that the trace ends on; undefined: it ends on none that counts */
  readonly truth: string | undefined
}

export interface Score {
  readonly rows: number
  readonly withAnswer: number
  readonly found: number
  readonly precision: number
  readonly recall: number
  readonly misses: readonly string[]
}

export function score(cases: readonly Case[]): Score {
  let withAnswer = 0
  let found = 0
  let right = 0
  const misses: string[] = []
  for (const { text, extractor, truth } of cases) {
    const last = extractor(text).at(-1)
    if (truth !== undefined) withAnswer++
    // a trace without an answer of its own cannot tell a good reading from a bad one
    if (truth === undefined) continue
    if (last) found++
    if (last?.key === truth) right++
    else misses.push(`wanted ${truth}, read ${last?.key ?? 'nothing'}: …${text.slice(-240).replace(/\n/g, ' ⏎ ')}`)
  }
  return { rows: cases.length, withAnswer, found, precision: right / found, recall: right / withAnswer, misses }
}

// biome-ignore lint/suspicious/noExplicitAny: rows of many sources
type Row = any

function rowsOf(path: string): Row[] {
  const dir = sharedDir()
  if (!dir) return []
  try {
    return readFileSync(join(dir, 'data', 'traces', path), 'utf8')
      .trim()
      .split('\n')
      .map((l) => JSON.parse(l))
  } catch {
    return []
  }
}

/** The one string in Python's repr of a list, as some sources keep it. */
function pythonString(text: string): string {
  return text.slice(2, -2).replace(/\\(.)/g, (_, c) => (c === 'n' ? '\n' : c === 't' ? '\t' : c))
}

/** The normal form of an answer that is right: exactly the numbers, exactly the target. */
function rightKey(answer: string, numbers: readonly number[], target: number): string | undefined {
  const parsed = parseExpression(answer)
  const side = parsed.ok ? parsed.sides[0] : undefined
  const value = side && evaluate(side)
  if (!side || !value || format(value) !== String(target)) return undefined
  const used = literals(side)
    .map((l) => format(l.value))
    .sort()
  const wanted = numbers.map(String).sort()
  return used.length === wanted.length && used.every((n, i) => n === wanted[i]) ? normalForm(side) : undefined
}

function puzzle(row: Row): Case {
  const head = String(row.question).split('\n')[0]!
  const target = Number(/(?:equals|calculate|make|get|reach|target(?: of)?) (\d+)/i.exec(head)?.[1] ?? 24)
  const listed = /(?:using|numbers:?) ((?:\d+,? ?(?:and )?){2,})/i.exec(head)?.[1] ?? ''
  const numbers = (listed.match(/\d+/g) ?? []).map(Number)
  return {
    text: row.text,
    extractor: expression({ numbers, target }),
    truth: rightKey(String(row.answer ?? ''), numbers, target),
  }
}

/** Counted by hand, not by the extractor: every value of the solution, house by house. */
function solutionKey(json: string, cells: number): string | undefined {
  const houses = json.split(/"House (?=\d+")/).slice(1)
  const values = houses.map((h) =>
    [...h.matchAll(/:\s*"([^"]*)"/g)].map((m) => m[1]!.toLowerCase().replace(/[.']/g, '')),
  )
  if (values.flat().length !== cells || values.flat().includes('')) return undefined
  return houses.map((h, i) => `${/^\d+/.exec(h)![0]}:${values[i]!.sort().join(',')}`).join(';')
}

const numeric = (text: string | undefined): string | undefined =>
  text === undefined || !/\d/.test(text) ? undefined : answerKey(text)

export function sources(): Record<string, Case[]> {
  return {
    'puzzle24 (11 models)': rowsOf('reasoning_gym/puzzle24.jsonl').map(puzzle),
    'countdown (11 models)': rowsOf('reasoning_gym/countdown.jsonl').map(puzzle),
    'game24 (Qwen2.5-1.5B)': rowsOf('game24_qwen1p5b/traces.jsonl').map((row) => ({
      text: row.text,
      extractor: expression({ numbers: row.numbers, target: 24 }),
      truth: row.verifier?.is_correct ? rightKey(row.extracted, row.numbers, 24) : undefined,
    })),
    'game24 (GPT-4, meta)': rowsOf('meta_prompting_game24/gpt4_game24.jsonl').map((row) => {
      const numbers = String(row.input).split(' ').map(Number)
      const last = /FINAL ANSWER:\s*"*\s*([^"]+?)\s*"/s.exec(row.output)?.[1] ?? ''
      return {
        text: row.output,
        extractor: expression({ numbers, target: 24 }),
        truth: rightKey(last.split('=')[0]!, numbers, 24),
      }
    }),
    'gsm_symbolic (11 models)': rowsOf('reasoning_gym/gsm_symbolic.jsonl').map((row) => ({
      text: row.text,
      extractor: mathAnswer,
      truth: numeric(row.answer),
    })),
    'maze length (5 models)': rowsOf('reasoning_gym/maze.jsonl').map((row) => ({
      text: row.text,
      extractor: mathAnswer,
      truth: /^\d+$/.test(row.answer ?? '') ? numeric(row.answer) : undefined,
    })),
    'MATH level 5 (R1-Distill, R1, QwQ)': rowsOf('thought_anchors/traces.jsonl').map((row) => ({
      text: row.solution,
      extractor: mathAnswer,
      truth: numeric(row.answer),
    })),
    'MATH-500 (R1 samples)': rowsOf('math500_r1/rasbt_samples.jsonl').map((row) => ({
      text: row.message_thinking ?? '',
      extractor: mathAnswer,
      truth: numeric(/\\boxed\{([^{}]*)\}/.exec(row.message_content ?? '')?.[1]),
    })),
    'MATH-500 thinking alone (R1, R1-Distill)': rowsOf('math500_r1/traces.jsonl').map((row) => ({
      text: row.reasoning_trace ?? '',
      extractor: mathAnswer,
      truth: /\\boxed\{(\d+)\}/.exec(row.answer_text ?? '')?.[1],
    })),
    'SpatialMap direction (several)': rowsOf('spatialmap_eureka/model_answers.jsonl')
      .filter((row) => /Northeast/.test(row.text) && !/How many|how many/.test(row.text))
      .map((row) => ({
        text: row.text,
        extractor: choice(
          ['Northeast', 'Northwest', 'Southwest', 'Southeast'].map((text, i) => ({ letter: 'ABCD'[i]!, text })),
        ),
        truth: 'A',
      })),
    'ZebraLogic (Llama-405B)': rowsOf('zeroeval/zebra_grid_llama405b.jsonl').map((row) => {
      const text = pythonString(String(row.output))
      const [houses, features] = String(row.size).split('*').map(Number)
      const whole = assignment({ cells: houses! * features! })
      const json = text.slice(text.search(/"solution"\s*:/))
      return { text, extractor: whole, truth: solutionKey(json, houses! * features!) }
    }),
  }
}

/** Lines of traces that have no options in which the choice extractor reads one all the same. */
export function falseLetters(): { lines: number; read: string[] } {
  const options = [...'ABCDEFGHIJ'].map((letter) => ({ letter, text: `option ${letter} text that nobody writes` }))
  const extractor = choice(options)
  const texts = [
    ...rowsOf('r1_distill_mixed/traces.jsonl').map((r) => r.response),
    ...rowsOf('thought_anchors/traces.jsonl').map((r) => r.solution),
    ...rowsOf('math500_r1/traces.jsonl').map((r) => r.full_response),
    ...rowsOf('reasoning_gym/gsm_symbolic.jsonl').map((r) => r.text),
    ...rowsOf('reasoning_gym/zebra.jsonl').map((r) => r.text),
    ...rowsOf('reasoning_gym/knights_knaves.jsonl').map((r) => r.text),
    ...rowsOf('reasoning_gym/maze.jsonl').map((r) => r.text),
  ]
  let lines = 0
  const read: string[] = []
  for (const text of texts)
    for (const line of String(text).split('\n')) {
      lines++
      const said = extractor(line)[0]
      if (said) read.push(`${said.key}: ${line.trim().slice(0, 200)}`)
    }
  return { lines, read }
}

if (process.argv[1]?.endsWith('extractors.ts')) {
  if (!sharedDir()) {
    process.stderr.write('bench/extractors.ts reads recorded traces from ../shared, which is not here\n')
    process.exit(2)
  }
  const percent = (x: number) => (Number.isNaN(x) ? '–' : `${(100 * x).toFixed(1)}%`)
  process.stdout.write('| traces | rows | with an answer | found | precision | recall |\n|---|---|---|---|---|---|\n')
  const misses = process.argv.includes('--misses')
  for (const [name, cases] of Object.entries(sources())) {
    const s = score(cases)
    process.stdout.write(
      `| ${name} | ${s.rows} | ${s.withAnswer} | ${s.found} | ${percent(s.precision)} | ${percent(s.recall)} |\n`,
    )
    if (misses) for (const miss of s.misses.slice(0, 12)) process.stdout.write(`    ${miss}\n`)
  }
  const { lines, read } = falseLetters()
  process.stdout.write(`\nOption letters read in ${lines} lines of traces without options: ${read.length}\n`)
  if (misses) for (const line of read) process.stdout.write(`    ${line}\n`)
}
