import { type Interval, wilson } from './wilson.ts'

export interface CurvePoint {
  /** the bin's mean difficulty */
  readonly x: number
  readonly n: number
  readonly accuracy: number
  readonly ci: Interval
  readonly tokens: number
}

interface Sample {
  readonly difficulty: number
  readonly correct: boolean
  readonly tokens: number
}

/**
 * Success against difficulty. Few distinct values: a point each. Many: bins of equal count, so that every point has
 * samples; equal difficulties never fall into two bins.
 */
export function difficultyCurve(samples: readonly Sample[], maxPoints = 12): CurvePoint[] {
  const sorted = [...samples].sort((a, b) => a.difficulty - b.difficulty)
  const distinct = new Set(sorted.map((s) => s.difficulty)).size
  const target = distinct <= maxPoints ? 1 : Math.ceil(sorted.length / maxPoints)
  const out: CurvePoint[] = []
  let bin: Sample[] = []
  for (const [i, sample] of sorted.entries()) {
    bin.push(sample)
    const next = sorted[i + 1]
    if (next && (next.difficulty === sample.difficulty || bin.length < target)) continue
    out.push(pointOf(bin))
    bin = []
  }
  return out
}

function pointOf(bin: readonly Sample[]): CurvePoint {
  const n = bin.length
  const right = bin.filter((s) => s.correct).length
  return {
    x: bin.reduce((s, b) => s + b.difficulty, 0) / n,
    n,
    accuracy: right / n,
    ci: wilson(right, n),
    tokens: bin.reduce((s, b) => s + b.tokens, 0) / n,
  }
}
