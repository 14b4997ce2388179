/** A maze drawn in characters: walls #, open cells, start S, exit E, the marked route X. Rows and columns count from 0. */

export type Cell = readonly [row: number, col: number]

export interface Grid {
  readonly rows: readonly string[]
  readonly start: Cell
  readonly exit: Cell
  /** index of the text's first character after the grid */
  readonly end: number
}

export type Read<T> = T | { readonly unread: string }

export const isUnread = (read: object): read is { readonly unread: string } => 'unread' in read

const row = /^[#SEX ]*#[#SEX ]*$/

/**
 * Finds the one grid with an S and an E. It opens with a row of walls only; its last row may be glued to a comma and more
 * text. Rows of unequal length are refused: nobody can know which blank was lost.
 */
export function readGrid(text: string): Read<Grid> {
  const found: { rows: string[]; end: number }[] = []
  const lines = text.split('\n')
  let at = 0
  for (let i = 0; i < lines.length; ) {
    const rows: string[] = []
    let end = at
    while (i < lines.length) {
      const line = lines[i]!
      const comma = line.indexOf(',')
      const body = comma < 0 ? line.trimEnd() : line.slice(0, comma)
      const fits = rows.length === 0 ? /^#{3,}$/.test(body) : row.test(body)
      if (!fits) break
      rows.push(body)
      end = at + body.length
      at += line.length + 1
      i++
      if (comma >= 0) break
    }
    if (rows.length >= 3 && /S/.test(rows.join('')) && /E/.test(rows.join(''))) found.push({ rows, end })
    if (rows.length === 0) at += lines[i++]!.length + 1
  }
  if (found.length === 0) return { unread: 'no maze with S and E found' }
  if (found.length > 1) return { unread: 'more than one maze found' }
  return gridOf(found[0]!.rows, found[0]!.end)
}

function gridOf(rows: string[], end: number): Read<Grid> {
  if (rows.some((r) => r.length !== rows[0]!.length)) return { unread: 'the rows of the maze have unequal lengths' }
  const starts = cellsOf(rows, 'S')
  const exits = cellsOf(rows, 'E')
  if (starts.length !== 1 || exits.length !== 1) return { unread: 'the maze has more than one S or E' }
  return { rows, start: starts[0]!, exit: exits[0]!, end }
}

export function cellsOf(rows: readonly string[], mark: string): Cell[] {
  return rows.flatMap((r, i) => [...r].flatMap((c, j) => (c === mark ? [[i, j] as const] : [])))
}

export const charAt = (grid: Grid, [r, c]: Cell): string => grid.rows[r]?.[c] ?? '#'
export const sameCell = (a: Cell, b: Cell): boolean => a[0] === b[0] && a[1] === b[1]
export const showCell = ([r, c]: Cell): string => `(${r},${c})`

export const directions = ['up', 'right', 'down', 'left'] as const
export type Direction = (typeof directions)[number]
const deltas: readonly Cell[] = [
  [-1, 0],
  [0, 1],
  [1, 0],
  [0, -1],
]

export function neighbours([r, c]: Cell): Cell[] {
  return deltas.map(([dr, dc]) => [r + dr, c + dc] as const)
}

/** The direction of a move to a neighbouring cell, or undefined when the cells are not neighbours. */
export function directionOf(from: Cell, to: Cell): Direction | undefined {
  const i = deltas.findIndex(([dr, dc]) => from[0] + dr === to[0] && from[1] + dc === to[1])
  return directions[i]
}

export type Turn = 'straight' | 'right' | 'back' | 'left'

/** Clockwise is a right turn. */
export function turnOf(before: Direction, now: Direction): Turn {
  const quarter = (directions.indexOf(now) - directions.indexOf(before) + 4) % 4
  return (['straight', 'right', 'back', 'left'] as const)[quarter]!
}

export interface Turns {
  readonly right: number
  readonly left: number
}

export function turnsOf(path: readonly Cell[]): Turns {
  let right = 0
  let left = 0
  for (let i = 2; i < path.length; i++) {
    const turn = turnOf(directionOf(path[i - 2]!, path[i - 1]!)!, directionOf(path[i - 1]!, path[i]!)!)
    if (turn === 'right') right++
    if (turn === 'left') left++
  }
  return { right, left }
}
