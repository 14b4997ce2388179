import type { Row } from './row.ts'
import { type Bootstrap, pairedBootstrap } from './stats/bootstrap.ts'
import { mcnemar } from './stats/mcnemar.ts'
import { frontProbability, paretoFront } from './stats/pareto.ts'

/** Two methods on the same instances and seeds. */
export interface Comparison {
  readonly pairs: number
  /** wrong with the baseline and right with the method, and the other way round */
  readonly gained: number
  readonly lost: number
  readonly mcnemar: number
  /** of accuracy, and of tokens a run */
  readonly accuracy: Bootstrap
  readonly tokens: Bootstrap
}

const pairKey = (row: Row): string => `${row.instance}\n${row.seed}`

export function compare(baseline: readonly Row[], rows: readonly Row[]): Comparison | undefined {
  const before = new Map(baseline.map((row) => [pairKey(row), row]))
  const a: Row[] = []
  const b: Row[] = []
  for (const row of rows) {
    const other = before.get(pairKey(row))
    if (!other || other.correct === null || row.correct === null) continue
    a.push(other)
    b.push(row)
  }
  if (a.length === 0) return undefined
  const gained = b.filter((row, i) => row.correct && !a[i]!.correct).length
  const lost = b.filter((row, i) => !row.correct && a[i]!.correct).length
  return {
    pairs: a.length,
    gained,
    lost,
    mcnemar: mcnemar(gained, lost),
    accuracy: pairedBootstrap(a.map(right), b.map(right)),
    tokens: pairedBootstrap(a.map(tokensOf), b.map(tokensOf)),
  }
}

/** Tokens in % of the baseline's, on the instances and seeds that both have: an unfinished run compares like with like. */
export function tokenShare(baseline: readonly Row[], rows: readonly Row[]): number | null {
  const before = new Map(baseline.map((row) => [pairKey(row), row.tokens]))
  let [mine, theirs] = [0, 0]
  for (const row of rows) {
    const other = before.get(pairKey(row))
    if (other === undefined) continue
    mine += row.tokens
    theirs += other
  }
  return theirs === 0 ? null : (100 * mine) / theirs
}

const right = (row: Row): number => (row.correct ? 1 : 0)
const tokensOf = (row: Row): number => row.tokens

export interface Place {
  readonly on: boolean
  /** the share of resamples of the instances that put it on the front; null where the methods share no instances */
  readonly probability: number | null
}

/** Each method's place on the front of accuracy against tokens, in the order given. */
export function places(methods: readonly (readonly Row[])[]): Place[] {
  const points = methods.map((rows) => {
    const graded = rows.filter((row) => row.correct !== null)
    return { accuracy: mean(graded.map(right)), tokens: mean(rows.map(tokensOf)) }
  })
  const front = paretoFront(points)
  const shared = sharedRows(methods)
  const probability =
    shared[0]!.length === 0
      ? undefined
      : frontProbability(shared.map((rows) => ({ correct: rows.map(right), tokens: rows.map(tokensOf) })))
  return front.map((on, i) => ({ on, probability: probability?.[i] ?? null }))
}

/** The rows of the instances and seeds that every method has a graded row for, in one order. */
function sharedRows(methods: readonly (readonly Row[])[]): Row[][] {
  const maps = methods.map((rows) => new Map(rows.filter((r) => r.correct !== null).map((r) => [pairKey(r), r])))
  const keys = [...(maps[0]?.keys() ?? [])].filter((key) => maps.every((map) => map.has(key)))
  return maps.map((map) => keys.map((key) => map.get(key)!))
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((s, x) => s + x, 0) / values.length
}
