import type { Verdict } from '../../trace/words.ts'
import { type Cell, houseTable, readCells } from './assignments.ts'
import { clueLines, readClues } from './clues.ts'
import { readHead, type ZebraHead } from './features.ts'
import { type PhraseReader, phraseReader } from './phrase.ts'
import { canHold, type Grid, minimalConflict, type Solution, solve } from './solver.ts'

export interface Zebra {
  readonly head: ZebraHead
  readonly grid: Grid
  readonly phrases: PhraseReader
  /** the only solution, where the clues leave one */
  readonly solution: Solution | undefined
}

/** Reads a puzzle whole: one clue that is not understood makes it unread, because every verdict would be a guess. */
export function readZebra(puzzle: string): Zebra | { readonly unread: string } {
  if (puzzle.length > 50_000) return { unread: 'the puzzle is too long' }
  const head = readHead(puzzle)
  if ('unread' in head) return head
  const lines = clueLines(puzzle)
  if (!lines) return { unread: 'the list of clues cannot be told from the text around it' }
  const phrases = phraseReader(head)
  const read = readClues(lines, head.houses, phrases)
  if ('unread' in read) return read
  const grid = { houses: head.houses, features: head.features.length, clues: read.clues }
  const solutions = solve(grid, [], 2)
  if (!solutions) return { unread: 'the puzzle is too hard to decide' }
  if (solutions.length === 0) return { unread: 'the clues as read contradict each other' }
  // a phrase told apart by style alone is trusted only in a puzzle that comes out even
  if (read.guessed && solutions.length > 1) return { unread: 'a clue names a value that two features have' }
  return { head, grid, phrases, solution: solutions.length === 1 ? solutions[0] : undefined }
}

/** Judges stated assignments together: they fail if no solution has all of them; a final answer must also be whole. */
export function checkZebra(
  zebra: Zebra | { readonly unread: string },
  text: string,
  kind: 'partial' | 'final',
): Verdict {
  if ('unread' in zebra) return { kind: 'unknown', reason: zebra.unread }
  const table = houseTable(text)
  if (!table) return { kind: 'unknown', reason: 'no assignments in JSON found' }
  const { head, phrases } = zebra
  const stated = readCells(head, table, (feature, said) => phrases.valueOf(head.features.indexOf(feature), said))
  const possible = holds(zebra, stated.cells)
  if (possible === undefined) return { kind: 'unknown', reason: 'too hard to decide' }
  if (!possible) {
    const core = conflict(zebra, stated.cells).map((c) => showCell(head, c))
    const feedback =
      core.length === 1
        ? `${core[0]} contradicts the clues.`
        : `these contradict the clues together: ${core.join('; ')}.`
    return { kind: 'fail', feedback }
  }
  if (stated.strays.length > 0)
    return { kind: 'fail', feedback: `not in this puzzle: ${stated.strays.slice(0, 3).join('; ')}.` }
  if (stated.unclear.length > 0) return { kind: 'unknown', reason: `unclear: ${stated.unclear.slice(0, 3).join('; ')}` }
  if (stated.cells.length === 0) return { kind: 'unknown', reason: 'nothing is assigned' }
  const missing = firstMissing(head, stated.cells)
  if (kind === 'final' && missing) return { kind: 'fail', feedback: `${missing} is not filled.` }
  return { kind: 'pass', complete: missing === undefined }
}

/** With one solution a look tells; else it is searched. */
function holds({ grid, solution }: Zebra, cells: readonly Cell[]): boolean | undefined {
  if (solution) return cells.every((c) => solution[c.feature * grid.houses + c.value] === c.house)
  return canHold(grid, cells)
}

/** With one solution a cell that it does not have contradicts the clues alone. */
function conflict({ grid, solution }: Zebra, cells: readonly Cell[]): readonly Cell[] {
  const wrong = solution && cells.find((c) => solution[c.feature * grid.houses + c.value] !== c.house)
  return wrong ? [wrong] : minimalConflict(grid, cells)
}

function firstMissing(head: ZebraHead, cells: readonly Cell[]): string | undefined {
  const filled = new Set(cells.map((c) => c.house * head.features.length + c.feature))
  for (let house = 0; house < head.houses; house++)
    for (const [f, feature] of head.features.entries())
      if (!filled.has(house * head.features.length + f)) return `House ${house + 1}: ${feature.key}`
  return undefined
}

const showCell = (head: ZebraHead, c: Cell): string =>
  `House ${c.house + 1}: ${head.features[c.feature]!.key} = ${head.features[c.feature]!.values[c.value]}`
