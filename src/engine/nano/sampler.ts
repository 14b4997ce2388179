import type { Sampling } from '../engine.ts'
import type { Model } from './model.ts'

/**
 * From logits to one token. The random number of a position is a function of the seed and the position alone, so that a
 * stream that is cut and resumed, or runs beside others, draws what it would have drawn anyway.
 */

/** Uniform in [0, 1) with 32 bits: two rounds of murmur3's finaliser over seed and position. */
export function uniform(seed: number, position: number): number {
  const mix = (h0: number): number => {
    let h = Math.imul(h0 ^ (h0 >>> 16), 0x85ebca6b)
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
    return (h ^ (h >>> 16)) >>> 0
  }
  const high = mix(Math.trunc(seed / 4294967296) ^ 0x2545f491)
  const a = mix((seed ^ high) + 0x9e3779b9)
  return mix(a + Math.imul(position, 0x9e3779b1) + 0x7f4a7c15) / 4294967296
}

export interface Drawn {
  id: number
  logprob: number
}

export interface Sampler {
  /** Draws from row `i` of the model's last logits. `seen` flags the ids so far, where a repetition penalty wants them. */
  draw(i: number, sampling: Sampling, position: number, seed: number, seen: Uint8Array | undefined): Drawn
  /** The n most likely of row `i`, best first, by the untempered distribution. */
  top(i: number, n: number): { ids: number[]; logprobs: number[] }
}

export function createSampler(model: Model): Sampler {
  const kept = new Float32Array(model.shape.vocab)

  /** Temperature 1 and no penalty: what logprobs are about. */
  function normaliser(i: number): number {
    const { sum, max } = model.exponentials(i, 1)
    return max + Math.log(sum)
  }

  function penalise(logits: Float32Array, seen: Uint8Array, penalty: number): void {
    kept.set(logits)
    for (let v = 0; v < seen.length; v++)
      if (seen[v]) logits[v] = logits[v]! > 0 ? logits[v]! / penalty : logits[v]! * penalty
  }

  function pick(i: number, sampling: Sampling, u: number): number {
    const { temperature = 1, topP = 1, topK = 0, minP = 0 } = sampling
    if (temperature <= 0 || topK === 1) return argmax(model.logits(i))
    const { values, sum } = model.exponentials(i, 1 / temperature)
    if (topP >= 1 && topK <= 0 && minP <= 0) return walk(values, undefined, values.length, u * sum)
    const ids = candidates(values, sum, topP, topK, minP)
    let total = 0
    for (const id of ids) total += values[id]!
    return walk(values, ids, ids.length, u * total)
  }

  return {
    draw: (i, sampling, position, seed, seen) => {
      const norm = normaliser(i)
      const logits = model.logits(i)
      const penalty = sampling.repetitionPenalty ?? 1
      const penalised = penalty !== 1 && seen !== undefined
      if (penalised) penalise(logits, seen, penalty)
      const id = pick(i, sampling, uniform(seed, position))
      if (penalised) logits.set(kept)
      return { id, logprob: logits[id]! - norm }
    },
    top: (i, n) => {
      const norm = normaliser(i)
      const logits = model.logits(i)
      const ids = largest(logits, Math.min(n, logits.length))
      return { ids, logprobs: ids.map((id) => logits[id]! - norm) }
    },
  }
}

export function argmax(x: Float32Array): number {
  let best = 0
  for (let v = 1; v < x.length; v++) if (x[v]! > x[best]!) best = v
  return best
}

/** The n largest, best first; equal ones in the order of their ids. */
export function largest(x: Float32Array, n: number): number[] {
  const out: number[] = []
  for (let v = 0; v < x.length; v++) {
    const value = x[v]!
    if (out.length === n && value <= x[out[n - 1]!]!) continue
    let at = out.length
    while (at > 0 && x[out[at - 1]!]! < value) at--
    out.splice(at, 0, v)
    if (out.length > n) out.pop()
  }
  return out
}

/** The first id at which the running sum passes `target`. */
function walk(values: Float32Array, ids: readonly number[] | undefined, n: number, target: number): number {
  let sum = 0
  let last = ids ? ids[0]! : 0
  for (let j = 0; j < n; j++) {
    const id = ids ? ids[j]! : j
    const value = values[id]!
    sum += value
    if (value > 0) last = id
    if (sum > target) return id
  }
  // Rounding can leave the target a hair above the sum.
  return last
}

/** What top-k, top-p and min-p leave, most likely first: each is applied to the tempered distribution, in this order. */
function candidates(values: Float32Array, sum: number, topP: number, topK: number, minP: number): number[] {
  // Ids below this share of the whole cannot be needed for top-p: all of them together are less than 1 - p.
  const floor = topP < 1 ? ((1 - topP) * sum) / values.length : 0
  let ids: number[] = []
  if (topK > 0) {
    ids = largest(values, Math.min(topK, values.length))
  } else {
    for (let v = 0; v < values.length; v++) if (values[v]! >= floor) ids.push(v)
    ids.sort((a, b) => values[b]! - values[a]! || a - b)
  }
  if (topP < 1) {
    const total = topK > 0 ? ids.reduce((s, id) => s + values[id]!, 0) : sum
    let mass = 0
    let n = 0
    while (n < ids.length && mass < topP * total) mass += values[ids[n++]!]!
    ids.length = Math.max(1, n)
  }
  if (minP > 0) {
    const least = minP * values[ids[0]!]!
    ids = ids.filter((id) => values[id]! >= least)
  }
  return ids
}
