/** Logistic regression on one variable, and how well a variable separates two classes. */

export interface Sample {
  readonly x: number
  readonly y: 0 | 1
}

export interface Logistic {
  readonly slope: number
  readonly intercept: number
}

/**
 * Maximum likelihood with a small ridge on the slope (in units of x's own spread), so that classes that do not overlap give
 * a steep line and not an endless one. Newton's method; two parameters.
 */
export function fitLogistic(samples: readonly Sample[], ridge = 1e-3): Logistic {
  const n = samples.length
  const positives = samples.reduce((sum, { y }) => sum + y, 0)
  if (positives === 0 || positives === n) throw new RangeError('a separation needs samples of both kinds')
  const mean = samples.reduce((sum, { x }) => sum + x, 0) / n
  const spread = Math.sqrt(samples.reduce((sum, { x }) => sum + (x - mean) ** 2, 0) / n)
  if (spread === 0) throw new RangeError('the signal does not vary')
  let a = 0
  let b = Math.log(positives / (n - positives))
  for (let round = 0; round < 100; round++) {
    let ga = -ridge * n * a
    let gb = 0
    let haa = ridge * n
    let hab = 0
    let hbb = 1e-12
    for (const { x, y } of samples) {
      const z = (x - mean) / spread
      const p = 1 / (1 + Math.exp(-(a * z + b)))
      const w = p * (1 - p)
      ga += (y - p) * z
      gb += y - p
      haa += w * z * z
      hab += w * z
      hbb += w
    }
    const det = haa * hbb - hab * hab
    const da = (hbb * ga - hab * gb) / det
    const db = (haa * gb - hab * ga) / det
    a += da
    b += db
    if (Math.abs(da) + Math.abs(db) < 1e-10) break
  }
  return { slope: a / spread, intercept: b - (a * mean) / spread }
}

/** Area under the ROC curve: the chance that a sample of class 1 has the greater x, ties counting half. */
export function auc(samples: readonly Sample[]): number {
  const sorted = [...samples].sort((a, b) => a.x - b.x)
  const ones = sorted.reduce((sum, { y }) => sum + y, 0)
  const zeros = sorted.length - ones
  if (ones === 0 || zeros === 0) return Number.NaN
  let ranks = 0
  for (let i = 0; i < sorted.length; ) {
    let j = i
    while (j < sorted.length && sorted[j]!.x === sorted[i]!.x) j++
    const rank = (i + 1 + j) / 2
    for (let k = i; k < j; k++) if (sorted[k]!.y === 1) ranks += rank
    i = j
  }
  return (ranks - (ones * (ones + 1)) / 2) / (ones * zeros)
}
