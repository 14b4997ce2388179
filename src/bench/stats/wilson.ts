/** The 97.5% quantile of the normal distribution: two-sided 95%. */
export const z95 = 1.959963984540054

export type Interval = readonly [lo: number, hi: number]

/**
 * Wilson's score interval for a proportion: honest at 0, at 1 and with few samples, where the textbook interval is not.
 * No samples: the whole range.
 * @example wilson(8, 10) // [0.490, 0.943]
 */
export function wilson(right: number, n: number, z = z95): Interval {
  if (n === 0) return [0, 1]
  const p = right / n
  const z2 = z * z
  const centre = p + z2 / (2 * n)
  const spread = z * Math.sqrt((p * (1 - p) + z2 / (4 * n)) / n)
  const scale = 1 + z2 / n
  // at the edges the root cancels exactly on paper but not in floating point
  const lo = right === 0 ? 0 : Math.max(0, (centre - spread) / scale)
  const hi = right === n ? 1 : Math.min(1, (centre + spread) / scale)
  return [lo, hi]
}
