import type { Clue } from '../../src/verify/zebra/index.ts'

/** For each value of a zebra puzzle the houses where it may be, as bits. Plain lists, because stories keep old ones. */
export type Domains = number[]

export const single = (bits: number): boolean => bits !== 0 && (bits & (bits - 1)) === 0
export const settled = (d: Domains): boolean => d.every(single)

/** "1 3" for 0b101 */
export const listed = (bits: number): string => (bits === 0 ? 'none' : houses(bits).join(' '))

/** [1, 3] for 0b101 */
export function houses(bits: number): number[] {
  const out: number[] = []
  for (let h = 0; bits >> h; h++) if ((bits >> h) & 1) out.push(h + 1)
  return out
}

export const differences = (a: Domains, b: Domains): number[] => a.flatMap((bits, i) => (bits === b[i] ? [] : [i]))

/** What one clue leaves; a 0 where it cannot hold. */
export function narrow(n: number, before: Domains, clue: Clue): Domains {
  const d = before.slice()
  const a = clue.a.feature * n + clue.a.value
  if (clue.kind === 'in') {
    d[a]! &= clue.houses
    return d
  }
  const b = clue.b.feature * n + clue.b.value
  const [x, y] = [d[a]!, d[b]!]
  const fits = (h: number, k: number): boolean => {
    if (clue.kind === 'same') return h === k
    if (clue.kind === 'differ') return h !== k
    if (clue.kind === 'left') return h < k
    if (clue.kind === 'offset') return k - h === clue.by
    return clue.kind === 'apart' && Math.abs(k - h) === clue.by
  }
  d[a] = 0
  d[b] = 0
  for (const h of houses(x))
    for (const k of houses(y))
      if (fits(h, k)) {
        d[a]! |= 1 << (h - 1)
        d[b]! |= 1 << (k - 1)
      }
  return d
}

/**
 * "All different" in a feature, to its end: settled houses are taken from the others, a house for one value alone is its.
 * A value that no house is left for has a 0.
 */
export function settleFeature(n: number, before: Domains, feature: number): Domains {
  const slots = Array.from({ length: n }, (_, i) => feature * n + i)
  let d = before
  for (;;) {
    const next = d.slice()
    for (const v of slots) if (single(d[v]!)) for (const w of slots) if (w !== v) next[w]! &= ~d[v]!
    if (slots.every((v) => next[v] !== 0))
      for (let h = 0; h < n; h++) {
        const who = slots.filter((v) => (next[v]! >> h) & 1)
        if (who.length === 1) next[who[0]!]! &= 1 << h
      }
    if (slots.some((v) => next[v] === 0) || differences(d, next).length === 0) return next
    d = next
  }
}

/** The houses that no value of the feature can be in. */
export function vacant(n: number, d: Domains, feature: number): number[] {
  const taken = d.slice(feature * n, feature * n + n).reduce((a, b) => a | b, 0)
  return houses(~taken & (2 ** n - 1))
}
