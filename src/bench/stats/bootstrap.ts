import { random } from '../../base/random.ts'
import { quantileSorted } from './percentile.ts'
import type { Interval } from './wilson.ts'

export interface Bootstrap {
  readonly diff: number
  readonly ci: Interval
  /** two-sided: how often the resampled difference falls on the other side of zero, doubled */
  readonly p: number
}

export interface BootstrapOptions {
  readonly resamples?: number
  readonly seed?: number
}

/** Fewer resamples for many pairs: the cost stays bounded and the interval of a large sample needs no more. */
export function resamplesFor(n: number, wanted = 2000): number {
  return Math.max(400, Math.min(wanted, Math.floor(2e6 / Math.max(1, n))))
}

/**
 * The mean difference b − a over the same instances, with a percentile interval from resampling the pairs.
 * @example pairedBootstrap([0, 0, 1, 1], [1, 0, 1, 1]) // diff 0.25
 */
export function pairedBootstrap(a: readonly number[], b: readonly number[], options: BootstrapOptions = {}): Bootstrap {
  if (a.length !== b.length) throw new RangeError(`paired samples of ${a.length} and ${b.length}`)
  const n = a.length
  if (n === 0) return { diff: 0, ci: [0, 0], p: 1 }
  const gaps = Float64Array.from(a, (x, i) => b[i]! - x)
  const diff = gaps.reduce((s, x) => s + x, 0) / n
  const resamples = resamplesFor(n, options.resamples)
  const rng = random(`bootstrap/${options.seed ?? 1}`)
  const means = new Float64Array(resamples)
  for (let r = 0; r < resamples; r++) {
    let sum = 0
    for (let i = 0; i < n; i++) sum += gaps[Math.floor(rng.next() * n)]!
    means[r] = sum / n
  }
  means.sort()
  const below = means.filter((m) => m <= 0).length / resamples
  const above = means.filter((m) => m >= 0).length / resamples
  return {
    diff,
    ci: [quantileSorted(means, 0.025), quantileSorted(means, 0.975)],
    p: Math.min(1, 2 * Math.min(below, above)),
  }
}
