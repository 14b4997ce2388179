import type { Cell } from './assignments.ts'
import type { Clue } from './clues.ts'
import type { Named } from './phrase.ts'

/**
 * Solves a zebra puzzle: for each value the set of houses where it may be, as bits; clues and all-different narrow the sets
 * until nothing changes, then the smallest open set is split. Complete: an unsatisfiable puzzle is always found out.
 */
export interface Grid {
  readonly houses: number
  readonly features: number
  readonly clues: readonly Clue[]
}

/** A solution: for each feature and value (feature × houses + value) its house. */
export type Solution = Uint8Array

type Domains = Int32Array

/** Splits tried before a puzzle counts as too hard; real ones of 6 × 6 need a few hundred at most. */
const patience = 50_000

/** Up to `limit` solutions that have these cells; undefined when the search grew too long to tell. */
export function solve(grid: Grid, cells: readonly Cell[], limit: number): Solution[] | undefined {
  const n = grid.houses
  const domains = new Int32Array(grid.features * n).fill(2 ** n - 1)
  for (const c of cells) domains[c.feature * n + c.value]! &= 1 << c.house
  const compiled = grid.clues.map((clue) => compile(clue, n))
  const out: Solution[] = []
  return search({ n, clues: compiled, limit, out, left: patience }, domains) ? out : undefined
}

/** Can these cells be part of a solution? */
export function canHold(grid: Grid, cells: readonly Cell[]): boolean | undefined {
  const found = solve(grid, cells, 1)
  return found && found.length > 0
}

interface Search {
  readonly n: number
  readonly clues: readonly Narrow[]
  readonly limit: number
  readonly out: Solution[]
  left: number
}

/** False: out of patience. */
function search(s: Search, domains: Domains): boolean {
  if (s.left-- <= 0) return false
  if (!propagate(s.n, domains, s.clues)) return true
  let at = -1
  let fewest = 99
  for (let i = 0; i < domains.length && fewest > 2; i++) {
    const k = ones(domains[i]!)
    if (k > 1 && k < fewest) {
      fewest = k
      at = i
    }
  }
  if (at < 0) {
    s.out.push(Uint8Array.from(domains, (d) => 31 - Math.clz32(d)))
    return true
  }
  for (let rest = domains[at]!; rest !== 0 && s.out.length < s.limit; rest &= rest - 1) {
    const next = domains.slice()
    next[at] = rest & -rest
    if (!search(s, next)) return false
  }
  return true
}

/** Narrows the domains by one clue; the sets after it, or 0 in one of them when it cannot hold. */
type Narrow = (d: Domains) => boolean

const slot = (named: Named, n: number): number => named.feature * n + named.value

/** Each returns whether it changed anything. */
function compile(clue: Clue, n: number): Narrow {
  const a = slot(clue.a, n)
  if (clue.kind === 'in') return (d) => set(d, a, d[a]! & clue.houses)
  const b = slot(clue.b, n)
  const all = 2 ** n - 1
  switch (clue.kind) {
    case 'same':
      return (d) => set(d, a, d[a]! & d[b]!) || set(d, b, d[a]! & d[b]!)
    case 'differ':
      return (d) => {
        const x = single(d[b]!) ? set(d, a, d[a]! & ~d[b]!) : false
        return (single(d[a]!) ? set(d, b, d[b]! & ~d[a]!) : false) || x
      }
    case 'left':
      return (d) => {
        // a is left of b's rightmost house, b is right of a's leftmost one
        const x = set(d, a, d[b] === 0 ? 0 : d[a]! & (highest(d[b]!) - 1))
        const low = d[a]! & -d[a]!
        return set(d, b, low === 0 ? 0 : d[b]! & all & ~(low | (low - 1))) || x
      }
    case 'offset':
      return (d) => {
        const x = set(d, a, d[a]! & (d[b]! >> clue.by))
        return set(d, b, d[b]! & ((d[a]! << clue.by) & all)) || x
      }
    case 'apart':
      return (d) => {
        const x = set(d, a, d[a]! & ((d[b]! << clue.by) | (d[b]! >> clue.by)))
        return set(d, b, d[b]! & ((d[a]! << clue.by) | (d[a]! >> clue.by))) || x
      }
    default:
      return clue satisfies never
  }
}

function set(d: Domains, at: number, value: number): boolean {
  if (d[at] === value) return false
  d[at] = value
  return true
}

const single = (bits: number): boolean => bits !== 0 && (bits & (bits - 1)) === 0
const highest = (bits: number): number => 1 << (31 - Math.clz32(bits))

function ones(bits: number): number {
  let n = 0
  for (let b = bits; b !== 0; b &= b - 1) n++
  return n
}

function propagate(n: number, d: Domains, clues: readonly Narrow[]): boolean {
  for (let changed = true; changed; ) {
    changed = false
    for (const clue of clues) if (clue(d)) changed = true
    for (let f = 0; f < d.length; f += n) {
      const step = allDifferent(n, d, f)
      if (step === undefined) return false
      if (step) changed = true
    }
  }
  return true
}

/** A settled value leaves its house to no other; a house that only one value can take takes it. Undefined: impossible. */
function allDifferent(n: number, d: Domains, from: number): boolean | undefined {
  let changed = false
  let once = 0
  let twice = 0
  for (let i = from; i < from + n; i++) {
    const bits = d[i]!
    if (bits === 0) return undefined
    twice |= once & bits
    once |= bits
    if ((bits & (bits - 1)) !== 0) continue
    for (let j = from; j < from + n; j++)
      if (j !== i && (d[j]! & bits) !== 0) {
        d[j]! &= ~bits
        changed = true
      }
  }
  if (once !== 2 ** n - 1) return undefined
  const only = once & ~twice
  for (let i = from; i < from + n; i++) {
    const mine = d[i]! & only
    if (mine === 0 || mine === d[i]) continue
    // two houses that only this value can take cannot both be filled
    if ((mine & (mine - 1)) !== 0) return undefined
    d[i] = mine
    changed = true
  }
  return changed
}

/** Cells that cannot hold together with the clues, though all of them but any one can. */
export function minimalConflict(grid: Grid, cells: readonly Cell[]): Cell[] {
  for (const cell of cells) if (canHold(grid, [cell]) === false) return [cell]
  let core = [...cells]
  for (const cell of cells) {
    const without = core.filter((c) => c !== cell)
    if (canHold(grid, without) === false) core = without
  }
  return core
}
