import type { Status } from '../trace/words.ts'
import { type Comparison, compare, mean, places, tokenShare } from './compare.ts'
import type { MethodEntry } from './plan.ts'
import { purposes, type Row, rowKey, type Timing, type TokensBy } from './row.ts'
import { type CurvePoint, difficultyCurve } from './stats/curve.ts'
import { paretoFront } from './stats/pareto.ts'
import { type Percentiles, percentiles } from './stats/percentile.ts'
import { addConfusions, noChecks, type VerifierFigures, verifierFigures } from './stats/verifier.ts'
import { type Interval, wilson } from './stats/wilson.ts'
import { findSweeps, type Sweep } from './sweeps.ts'

/** summary.json: everything that the tables and plots show, computed once. */
export interface Summary {
  readonly model: string
  readonly date: string
  readonly runs: number
  readonly methods: readonly MethodEntry[]
  readonly rows: readonly SummaryRow[]
  /** each method over all tasks, every task with the same weight */
  readonly combined: readonly CombinedRow[]
  readonly sweeps: readonly Sweep[]
}

export interface SummaryRow {
  readonly task: string
  readonly method: string
  readonly n: number
  /** rows whose answer could be decided; accuracy is over these */
  readonly graded: number
  readonly accuracy: number
  readonly ci: Interval
  /** mean a run, of every purpose */
  readonly tokens: number
  /** of cot's on the same task; null where cot was not run */
  readonly tokensPct: number | null
  readonly tokensBy: TokensBy
  readonly statuses: Readonly<Partial<Record<Status, number>>>
  readonly latencyMs: Percentiles | null
  readonly verifyMs: Percentiles | null
  readonly verifier: VerifierFigures | null
  readonly vsCot: Comparison | null
  readonly pareto: boolean
  readonly paretoProbability: number | null
  readonly curve: readonly CurvePoint[]
  /** means of the methods' own numbers: samples drawn, rectifications … */
  readonly figures: Readonly<Record<string, number>>
}

export interface CombinedRow {
  readonly method: string
  readonly tasks: number
  readonly accuracy: number
  readonly tokensPct: number | null
  readonly pareto: boolean
}

export interface SummaryInput {
  readonly model: string
  readonly date: string
  readonly methods: readonly MethodEntry[]
  readonly rows: readonly Row[]
  readonly timings: readonly Timing[]
}

export const baseline = 'cot'

export function summarise({ model, date, methods, rows, timings }: SummaryInput): Summary {
  const timingOf = new Map(timings.map((timing) => [rowKey(timing), timing]))
  const out: SummaryRow[] = []
  for (const [task, ofTask] of groupBy(rows, (row) => row.task)) {
    const byMethod = inOrder(
      groupBy(ofTask, (row) => row.method),
      methods,
    )
    const cot = byMethod.get(baseline)
    const front = places([...byMethod.values()])
    for (const [i, [method, cell]] of [...byMethod].entries()) {
      const times = cell.flatMap((row) => timingOf.get(rowKey(row)) ?? [])
      out.push({
        ...cellFigures(task, method, cell),
        tokensPct: cot ? tokenShare(cot, cell) : null,
        latencyMs: percentiles(times.map((t) => t.ms)) ?? null,
        verifyMs: percentiles(times.map((t) => t.verifyMs)) ?? null,
        vsCot: (method !== baseline && cot && compare(cot, cell)) || null,
        pareto: front[i]!.on,
        paretoProbability: front[i]!.probability,
      })
    }
  }
  return {
    model,
    date,
    runs: rows.length,
    methods,
    rows: out,
    combined: combine(out),
    sweeps: findSweeps(out, methods),
  }
}

/** A run that was stopped has its rows in the order of their ends; tables want the order in which the methods were named. */
function inOrder(cells: Map<string, Row[]>, methods: readonly MethodEntry[]): Map<string, Row[]> {
  const place = new Map(methods.map((entry, i) => [entry.spec, i]))
  return new Map([...cells].sort(([a], [b]) => (place.get(a) ?? cells.size) - (place.get(b) ?? cells.size)))
}

type CellFigures = Omit<SummaryRow, 'tokensPct' | 'latencyMs' | 'verifyMs' | 'vsCot' | 'pareto' | 'paretoProbability'>

function cellFigures(task: string, method: string, cell: readonly Row[]): CellFigures {
  const graded = cell.filter((row) => row.correct !== null)
  const right = graded.filter((row) => row.correct).length
  const by = Object.fromEntries(purposes.map((p) => [p, mean(cell.map((row) => row.tokensBy[p]))])) as typeof emptyBy
  const statuses: Partial<Record<Status, number>> = {}
  for (const { status } of cell) statuses[status] = (statuses[status] ?? 0) + 1
  const checks = cell.flatMap((row) => row.checks ?? [])
  const placed = graded.flatMap(({ difficulty, correct, tokens }) =>
    difficulty === undefined ? [] : [{ difficulty, correct: correct === true, tokens }],
  )
  return {
    task,
    method,
    n: cell.length,
    graded: graded.length,
    accuracy: graded.length === 0 ? 0 : right / graded.length,
    ci: wilson(right, graded.length),
    tokens: mean(cell.map((row) => row.tokens)),
    tokensBy: by,
    statuses,
    verifier: checks.length === 0 ? null : verifierFigures(checks.reduce(addConfusions, noChecks)),
    curve: difficultyCurve(placed),
    figures: meanFigures(cell),
  }
}

const emptyBy: TokensBy = { main: 0, discarded: 0, fork: 0, compress: 0, judge: 0 }

function meanFigures(cell: readonly Row[]): Record<string, number> {
  const sums = new Map<string, { sum: number; n: number }>()
  for (const { figures } of cell)
    for (const [name, value] of Object.entries(figures ?? {})) {
      if (typeof value === 'string') continue
      const entry = sums.get(name) ?? { sum: 0, n: 0 }
      sums.set(name, { sum: entry.sum + Number(value), n: entry.n + 1 })
    }
  return Object.fromEntries([...sums].map(([name, { sum, n }]) => [name, sum / n]))
}

function combine(rows: readonly SummaryRow[]): CombinedRow[] {
  const tasks = new Set(rows.map((row) => row.task)).size
  const whole = [...groupBy(rows, (row) => row.method)].filter(([, cells]) => cells.length === tasks)
  const out = whole.map(([method, cells]) => ({
    method,
    tasks: cells.length,
    accuracy: mean(cells.map((cell) => cell.accuracy)),
    tokensPct: cells.every((cell) => cell.tokensPct !== null) ? mean(cells.map((cell) => cell.tokensPct!)) : null,
  }))
  const front = paretoFront(out.map(({ accuracy, tokensPct }) => ({ accuracy, tokens: tokensPct ?? 0 })))
  return out.map((row, i) => ({ ...row, pareto: row.tokensPct !== null && front[i]! }))
}

export function groupBy<T, K>(items: Iterable<T>, key: (item: T) => K): Map<K, T[]> {
  const out = new Map<K, T[]>()
  for (const item of items) {
    const k = key(item)
    const group = out.get(k)
    if (group) group.push(item)
    else out.set(k, [item])
  }
  return out
}
