import type { Clue } from '../../src/verify/zebra/index.ts'

/** For each value of a zebra puzzle the houses where it may be, as bits. Plain lists, because stories keep old ones. */
export type Domains = number[]

export const single = (bits: number): boolean => bits !== 0 && (bits & (bits - 1)) === 0
export const settled = (d: Domains): boolean => d.every(single)

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

/** One round of "all different" in a feature: settled houses are taken from the others, a house for one value alone is its. */
export function settleFeature(n: number, before: Domains, feature: number): Domains | undefined {
  const d = before.slice()
  const slots = Array.from({ length: n }, (_, i) => feature * n + i)
  for (const v of slots) if (single(before[v]!)) for (const w of slots) if (w !== v) d[w]! &= ~before[v]!
  if (slots.some((v) => d[v] === 0)) return undefined
  for (let h = 0; h < n; h++) {
    const who = slots.filter((v) => (d[v]! >> h) & 1)
    if (who.length === 0) return undefined
    if (who.length === 1) d[who[0]!] = 1 << h
  }
  return slots.some((v) => d[v] === 0) ? undefined : d
}
