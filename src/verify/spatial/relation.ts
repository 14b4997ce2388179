import { type Bound, type Order, orderOf } from './orders.ts'

/** Compass relations on a map: x grows to the east, y to the north. */

export const compass = ['north', 'south', 'east', 'west', 'northeast', 'northwest', 'southeast', 'southwest'] as const
export type Compass = (typeof compass)[number]

/** "a is to the `direction` of b"; a and b number the objects. */
export interface Relation {
  readonly a: number
  readonly b: number
  readonly direction: Compass
}

/**
 * What "north of" means: `exact` north with no shift to the side, or `loose`, anywhere further north. The diagonal
 * directions mean the same in both. A verdict is given only where it is the same in both.
 */
export type Reading = 'exact' | 'loose'
export const readings: readonly Reading[] = ['exact', 'loose']

export const axisSigns = (direction: Compass): readonly [x: -1 | 0 | 1, y: -1 | 0 | 1] => [
  direction.endsWith('east') ? 1 : direction.endsWith('west') ? -1 : 0,
  direction.startsWith('north') ? 1 : direction.startsWith('south') ? -1 : 0,
]

export interface Plane {
  readonly n: number
  readonly x: Order
  readonly y: Order
  readonly consistent: boolean
}

function bound(a: number, b: number, sign: -1 | 0 | 1, reading: Reading): Bound[] {
  if (sign === 0) return reading === 'exact' ? [{ a, b, kind: '=' }] : []
  return sign > 0 ? [{ a: b, b: a, kind: '<' }] : [{ a, b, kind: '<' }]
}

/** The two axes never constrain each other, so each is decided alone. */
export function planeOf(n: number, relations: readonly Relation[], reading: Reading): Plane {
  const x = orderOf(
    n,
    relations.flatMap((r) => bound(r.a, r.b, axisSigns(r.direction)[0], reading)),
  )
  const y = orderOf(
    n,
    relations.flatMap((r) => bound(r.a, r.b, axisSigns(r.direction)[1], reading)),
  )
  return { n, x, y, consistent: x.consistent && y.consistent }
}

/** Can all of these hold at once? */
export function satisfiable(n: number, relations: readonly Relation[], reading: Reading): boolean {
  return planeOf(n, relations, reading).consistent
}

/** Does the relation hold in every arrangement of this (consistent) plane? */
export function entailed(plane: Plane, relation: Relation, reading: Reading): boolean {
  const holds = (order: Order, sign: -1 | 0 | 1): boolean => {
    if (sign === 0) return reading === 'loose' || order.equal(relation.a, relation.b)
    return sign > 0 ? order.less(relation.b, relation.a) : order.less(relation.a, relation.b)
  }
  const [dx, dy] = axisSigns(relation.direction)
  return relation.a !== relation.b && holds(plane.x, dx) && holds(plane.y, dy)
}

/** A smallest set of these claims that cannot hold with the premises: leaving any one out makes it possible. */
export function minimalConflict(
  n: number,
  premises: readonly Relation[],
  claims: readonly Relation[],
  reading: Reading,
): Relation[] {
  let core = [...claims]
  for (const claim of claims) {
    const without = core.filter((c) => c !== claim)
    if (!satisfiable(n, [...premises, ...without], reading)) core = without
  }
  return core
}
