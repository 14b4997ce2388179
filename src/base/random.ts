/** Seeded randomness: the same seed gives the same numbers on every machine. Nothing here reads the clock or Math.random. */

export interface Random {
  /** uniform in [0, 1) */
  next(): number
  /** uniform integer in [lo, hi], both ends included */
  int(lo: number, hi: number): number
  pick<T>(items: readonly T[]): T
  /** a shuffled copy */
  shuffle<T>(items: readonly T[]): T[]
  /** true with probability p */
  chance(p: number): boolean
  /** an independent stream, named, that does not advance this one */
  split(name: string | number): Random
}

/** 32-bit FNV-1a with a final avalanche: stable across versions, because train/test splits hang on it. */
export function hash32(text: string): number {
  let h = 0x811c9dc5
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** A seed for a named part of something that already has a seed (fork 3 of run 7). */
export function deriveSeed(seed: number, ...names: (string | number)[]): number {
  return hash32(`${seed}/${names.join('/')}`) & 0x7fffffff
}

/**
 * sfc32, seeded by hashing.
 * @example const rng = random(42); rng.int(1, 6)
 */
export function random(seed: number | string): Random {
  const key = String(seed)
  let a = hash32(`${key}a`)
  let b = hash32(`${key}b`)
  let c = hash32(`${key}c`)
  let counter = 1
  const next = (): number => {
    const t = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (c << 21) | (c >>> 11)
    c = (c + t) | 0
    return (t >>> 0) / 4294967296
  }
  for (let i = 0; i < 12; i++) next()
  const int = (lo: number, hi: number): number => lo + Math.floor(next() * (hi - lo + 1))
  return {
    next,
    int,
    pick: (items) => items[int(0, items.length - 1)]!,
    shuffle: (items) => {
      const out = [...items]
      for (let i = out.length - 1; i > 0; i--) {
        const j = int(0, i)
        const kept = out[i]!
        out[i] = out[j]!
        out[j] = kept
      }
      return out
    },
    chance: (p) => next() < p,
    split: (name) => random(`${key}/${name}`),
  }
}
