import type { TopLogprob } from '../trace/token.ts'

/**
 * Predictive entropy from a truncated distribution. Only k alternatives and the mass left over are known, so the truth lies
 * between two bounds; a threshold belongs to one k and one logprob mode and does not transfer.
 */
export interface Entropy {
  /** alternatives seen */
  readonly k: number
  /** −Σ p ln p over those alternatives, in nats; nothing renormalised */
  readonly seen: number
  /** probability that they do not cover */
  readonly tail: number
  /** the whole tail is one token */
  readonly lower: number
  /** the tail is spread evenly over the rest of the vocabulary; Infinity where its size is not known */
  readonly upper: number
}

/** H of one token in nats. @example predictiveEntropy([{ text: 'a', logprob: Math.log(0.5) }], 2).upper // ln 2 */
export function predictiveEntropy(top: readonly TopLogprob[], vocabulary?: number): Entropy {
  let seen = 0
  let mass = 0
  let k = 0
  const ids = new Set<number>()
  for (const { id, logprob } of top) {
    // vLLM sends the sampled token as entry k+1 when it is not among the k, and sometimes again when it is
    if (id !== undefined && ids.has(id)) continue
    if (id !== undefined) ids.add(id)
    k++
    // -inf comes as -9999 (vLLM) or null; p ln p → 0
    if (!(logprob > -700)) continue
    const p = Math.exp(Math.min(0, logprob))
    seen -= p * Math.log(p)
    mass += p
  }
  // rounding can push the sum over one
  const tail = Math.max(0, 1 - mass)
  if (tail < 1e-9) return { k, seen, tail: 0, lower: seen, upper: seen }
  const rest = vocabulary === undefined ? Number.POSITIVE_INFINITY : Math.max(1, vocabulary - k)
  return { k, seen, tail, lower: seen - tail * Math.log(tail), upper: seen - tail * Math.log(tail / rest) }
}
