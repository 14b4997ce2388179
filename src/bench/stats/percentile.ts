/** Linear interpolation between the two nearest ranks (R's type 7, NumPy's default). */
export function quantileSorted(sorted: ArrayLike<number>, q: number): number {
  if (sorted.length === 0) return Number.NaN
  const at = q * (sorted.length - 1)
  const lo = Math.floor(at)
  const hi = Math.ceil(at)
  return sorted[lo]! + (sorted[hi]! - sorted[lo]!) * (at - lo)
}

export interface Percentiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

/** @example percentiles([3, 1, 2]).p50 // 2 */
export function percentiles(values: Iterable<number>): Percentiles | undefined {
  const sorted = Float64Array.from(values).sort()
  if (sorted.length === 0) return undefined
  return {
    p50: quantileSorted(sorted, 0.5),
    p95: quantileSorted(sorted, 0.95),
    p99: quantileSorted(sorted, 0.99),
  }
}
