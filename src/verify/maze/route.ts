import { type Cell, cellsOf, charAt, type Grid, neighbours, sameCell } from './grid.ts'

/** Beyond this many steps of search a drawing counts as ambiguous. */
const patience = 200_000

/**
 * The route that the question is about, from S to E inclusive: the only walk over all cells marked X. Where nothing is
 * marked and S and E do not touch, the only way through the open cells. Undefined when there is none or more than one.
 */
export function routeOf(grid: Grid): Cell[] | undefined {
  const marked = cellsOf(grid.rows, 'X').length
  const touching = neighbours(grid.start).some((n) => sameCell(n, grid.exit))
  if (marked > 0 || touching) return onlyWalk(grid, 'XE', marked)
  return onlyWalk(grid, ' E', undefined)
}

/** Depth first with an own stack: a corridor of a million cells must not end the call stack. */
function onlyWalk(grid: Grid, over: string, inner: number | undefined): Cell[] | undefined {
  const width = grid.rows[0]!.length
  const key = ([r, c]: Cell): number => r * width + c
  const path: Cell[] = [grid.start]
  const on = new Set([key(grid.start)])
  const next = (cell: Cell): Cell[] => neighbours(cell).filter((n) => over.includes(charAt(grid, n)) && !on.has(key(n)))
  const open: Cell[][] = [next(grid.start)]
  let found: Cell[] | undefined
  for (let spent = 0; open.length > 0; spent++) {
    if (spent > patience) return undefined
    const cell = open[open.length - 1]!.pop()
    if (!cell) {
      open.pop()
      on.delete(key(path.pop()!))
    } else if (sameCell(cell, grid.exit)) {
      if (inner !== undefined && path.length !== inner + 1) continue
      if (found) return undefined
      found = [...path, cell]
    } else {
      path.push(cell)
      on.add(key(cell))
      open.push(next(cell))
    }
  }
  return found
}
