/**
 * Decides conjunctions of strict orders and equalities on one line (x or y of a map). Every such conjunction over the
 * rationals is satisfiable exactly when merging the equal things leaves the graph of "less than" without a cycle.
 */

export interface Bound {
  readonly a: number
  readonly b: number
  /** a is less than b, or equal to it */
  readonly kind: '<' | '='
}

export interface Order {
  readonly consistent: boolean
  /** is a < b in every arrangement? */
  less(a: number, b: number): boolean
  /** is a = b in every arrangement? */
  equal(a: number, b: number): boolean
}

/** The closure of the bounds over n things (Warshall on bit rows). */
export function orderOf(n: number, bounds: readonly Bound[]): Order {
  const parent = Array.from({ length: n }, (_, i) => i)
  const find = (i: number): number => {
    let root = i
    while (parent[root] !== root) root = parent[root]!
    return root
  }
  for (const { a, b, kind } of bounds) if (kind === '=') parent[find(a)] = find(b)
  const cls = parent.map((_, i) => find(i))
  const reach = Array.from({ length: n }, () => new Uint8Array(n))
  for (const { a, b, kind } of bounds) if (kind === '<') reach[cls[a]!]![cls[b]!] = 1
  for (let k = 0; k < n; k++)
    for (let i = 0; i < n; i++) if (reach[i]![k]) for (let j = 0; j < n; j++) if (reach[k]![j]) reach[i]![j] = 1
  return {
    consistent: cls.every((c) => reach[c]![c] === 0),
    less: (a, b) => reach[cls[a]!]![cls[b]!] === 1,
    equal: (a, b) => cls[a] === cls[b],
  }
}
