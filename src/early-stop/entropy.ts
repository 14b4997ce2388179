import type { Token } from '../trace/token.ts'

/**
 * Entropy in bits of the distribution that a token was drawn from, as far as its alternatives show it. What the listed
 * alternatives leave over is counted as one more outcome, which bounds the entropy from below. Undefined without logprobs.
 */
export function entropyBits(token: Token): number | undefined {
  if (!token.top || token.top.length === 0) return undefined
  let mass = 0
  let bits = 0
  for (const { logprob } of token.top) {
    const p = Math.min(1, Math.exp(logprob))
    mass += p
    if (p > 0) bits -= p * Math.log2(p)
  }
  const rest = 1 - mass
  return rest > 1e-9 ? bits - rest * Math.log2(rest) : bits
}

/**
 * Geometric mean of the probabilities of the tokens that were produced (not of the best alternatives). 0 without tokens.
 * @example confidence([{ text: 'B', logprob: -4.6 }]) // 0.01
 */
export function confidence(tokens: readonly Token[]): number {
  const known = tokens.filter((t) => t.logprob !== undefined && (t.count ?? 1) > 0)
  if (known.length === 0) return 0
  return Math.exp(known.reduce((sum, t) => sum + t.logprob!, 0) / known.length)
}

/** DeepConf, Eq. 2: minus the mean logprob of the k best alternatives; high when the model has one clear favourite. */
export function tokenConfidence(token: Token): number | undefined {
  if (!token.top || token.top.length === 0) return undefined
  return -token.top.reduce((sum, t) => sum + Math.max(t.logprob, -100), 0) / token.top.length
}
