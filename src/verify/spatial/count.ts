import type { Order } from './orders.ts'
import { axisSigns, type Compass, type Plane, type Reading } from './relation.ts'

/** With more objects than this the subsets are too many to try, and bounds are given instead. */
const tryAll = 10

/**
 * How many objects can lie in this direction of `of`: every number for which some arrangement exists. On maps of more than
 * eleven objects it may hold numbers that do not occur, never lack one that does.
 */
export function possibleCounts(plane: Plane, of: number, direction: Compass, reading: Reading): Set<number> {
  const others = Array.from({ length: plane.n }, (_, i) => i).filter((i) => i !== of)
  const [sx, sy] = axisSigns(direction)
  if (others.length > tryAll) {
    const must = others.filter((o) => forced(plane.x, o, of, sx, reading) && forced(plane.y, o, of, sy, reading)).length
    const may = others.filter(
      (o) => allowed(plane.x, o, of, sx, reading) && allowed(plane.y, o, of, sy, reading),
    ).length
    return new Set(Array.from({ length: may - must + 1 }, (_, i) => must + i))
  }
  const xs = placings(plane.x, others, of, sx, reading)
  const ys = placings(plane.y, others, of, sy, reading)
  const counts = new Set<number>()
  for (const x of xs) for (const y of ys) counts.add(ones(x & y))
  return counts
}

function forced(order: Order, o: number, of: number, sign: number, reading: Reading): boolean {
  if (sign === 0) return reading === 'loose' || order.equal(o, of)
  return sign > 0 ? order.less(of, o) : order.less(o, of)
}

function allowed(order: Order, o: number, of: number, sign: number, reading: Reading): boolean {
  if (sign === 0) return reading === 'loose' || !(order.less(o, of) || order.less(of, o))
  return !order.equal(o, of) && !(sign > 0 ? order.less(o, of) : order.less(of, o))
}

/** The sets of objects (as bits) that can be exactly those on one side of `of`, or exactly those level with it. */
function placings(order: Order, others: readonly number[], of: number, sign: number, reading: Reading): number[] {
  const all = 2 ** others.length
  if (sign === 0 && reading === 'loose') return [all - 1]
  const must = mask(others, (o) => forced(order, o, of, sign, reading))
  const may = mask(others, (o) => allowed(order, o, of, sign, reading))
  const linked = others.map((o) =>
    mask(others, (p) => order.equal(o, p) || (sign > 0 && order.less(o, p)) || (sign < 0 && order.less(p, o))),
  )
  const apart = others.map((o) => (sign === 0 ? mask(others, (p) => order.less(o, p) || order.less(p, o)) : 0))
  const out: number[] = []
  for (let set = 0; set < all; set++) {
    if ((set & must) !== must || (set & ~may) !== 0) continue
    // a side takes along what lies beyond its members; a level holds nothing that is ordered against a member
    if (others.every((_, i) => (set & (1 << i)) === 0 || ((linked[i]! & ~set) === 0 && (apart[i]! & set) === 0)))
      out.push(set)
  }
  return out
}

const mask = (others: readonly number[], test: (o: number) => boolean): number =>
  others.reduce((m, o, i) => (test(o) ? m | (1 << i) : m), 0)

function ones(bits: number): number {
  let n = 0
  for (let b = bits; b !== 0; b &= b - 1) n++
  return n
}
