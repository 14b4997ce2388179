import type { Rational } from './rational.ts'

/**
 * Can these numbers, each used once with + - * / and brackets, make the target? Exact, by dynamic programming over subsets:
 * the values of a set are the combinations of the values of its two parts. `undefined` when the search is cut off.
 */
export function reaches(numbers: readonly Rational[], target: Rational, limit = 3_000_000): boolean | undefined {
  if (numbers.length === 0) return false
  // |n| + d of any value is at most the product of |n| + d of its numbers, so small inputs stay exact in doubles
  let bound = 1
  for (const { n, d } of [...numbers, target]) bound *= Number(n < 0n ? -n : n) + Number(d)
  if (!(bound < Number.MAX_SAFE_INTEGER)) return numbers.length > 5 ? undefined : search(numbers, target, limit, big)
  return search(numbers, target, limit, small)
}

/** A field of fractions as pairs; `key` names a value. */
interface Field<V> {
  from(r: Rational): V
  combine(a: V, b: V, put: (v: V) => void): void
  key(v: V): string | number
  equals(a: V, b: V): boolean
}

function search<V>(
  numbers: readonly Rational[],
  target: Rational,
  limit: number,
  field: Field<V>,
): boolean | undefined {
  const n = numbers.length
  if (n > 12) return undefined
  const all = (1 << n) - 1
  const sets = new Map<number, Map<string | number, V>>()
  const goal = field.from(target)
  let work = 0
  const byCount = Array.from({ length: all }, (_, i) => i + 1).sort((a, b) => ones(a) - ones(b))
  for (const set of byCount) {
    const values = new Map<string | number, V>()
    if (ones(set) === 1) {
      const v = field.from(numbers[Math.log2(set)]!)
      if (n === 1) return field.equals(v, goal)
      values.set(field.key(v), v)
      sets.set(set, values)
      continue
    }
    let found = false
    const put = (v: V): void => {
      if (set === all) found ||= field.equals(v, goal)
      else values.set(field.key(v), v)
    }
    for (let part = (set - 1) & set; part > 0; part = (part - 1) & set) {
      const rest = set ^ part
      if (part < rest) continue
      const right = sets.get(rest)!
      work += sets.get(part)!.size * right.size
      if (work > limit) return undefined
      for (const a of sets.get(part)!.values()) for (const b of right.values()) field.combine(a, b, put)
      if (found) return true
    }
    sets.set(set, values)
  }
  return false
}

function ones(set: number): number {
  let count = 0
  for (let s = set; s > 0; s &= s - 1) count++
  return count
}

type Pair = readonly [n: number, d: number]

function reduced(n: number, d: number): Pair {
  if (n === 0) return [0, 1]
  let x = n < 0 ? -n : n
  let y = d < 0 ? -d : d
  while (y !== 0) [x, y] = [y, x % y]
  return d < 0 ? [-n / x, -d / x] : [n / x, d / x]
}

const small: Field<Pair> = {
  from: ({ n, d }) => [Number(n), Number(d)],
  combine([an, ad], [bn, bd], put) {
    const x = an * bd
    const y = bn * ad
    const d = ad * bd
    put(reduced(x + y, d))
    put(reduced(x - y, d))
    put(reduced(y - x, d))
    put(reduced(an * bn, d))
    if (bn !== 0) put(reduced(x, y))
    if (an !== 0) put(reduced(y, x))
  },
  key: ([n, d]) => (d === 1 ? n : `${n}/${d}`),
  equals: (a, b) => a[0] === b[0] && a[1] === b[1],
}

const reducedBig = (n: bigint, d: bigint): Rational => {
  let [x, y] = [n < 0n ? -n : n, d < 0n ? -d : d]
  while (y !== 0n) [x, y] = [y, x % y]
  const g = d < 0n ? -x : x
  return { n: n / g, d: d / g }
}

const big: Field<Rational> = {
  from: (r) => r,
  combine(a, b, put) {
    const x = a.n * b.d
    const y = b.n * a.d
    const d = a.d * b.d
    put(reducedBig(x + y, d))
    put(reducedBig(x - y, d))
    put(reducedBig(y - x, d))
    put(reducedBig(a.n * b.n, d))
    if (b.n !== 0n) put(reducedBig(x, y))
    if (a.n !== 0n) put(reducedBig(y, x))
  },
  key: ({ n, d }) => `${n}/${d}`,
  equals: (a, b) => a.n === b.n && a.d === b.d,
}
