import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { InputError } from '../../base/errors.ts'
import { readLog } from '../../trace/log.ts'
import { replaceFile } from '../journal.ts'
import type { Row } from '../row.ts'
import { logPath, readResults } from '../store.ts'
import { type Summary, summarise } from '../summary.ts'
import { reportHtml } from './html.ts'
import { pageData } from './page-data.ts'
import { toLatex, toMarkdown } from './table.ts'
import { tablesOf } from './tables.ts'
import { type Piece, transcript } from './transcript.ts'

/**
 * Makes summary.json, tables.md, tables.tex and report.html from what a folder holds, finished or not.
 * @example writeReport('out').rows[0].accuracy
 */
export function writeReport(dir: string): Summary {
  const { manifest, rows, timings } = readResults(dir)
  if (rows.length === 0) throw new InputError(`${dir} has no results yet: run the bench first`)
  const { model, created: date, methods } = manifest
  const summary = summarise({ model, date, methods, rows, timings })
  replaceFile(join(dir, 'summary.json'), [`${JSON.stringify(summary, null, 1)}\n`])
  const tables = tablesOf([summary])
  const title = `# ${model}, ${date.slice(0, 10)}\n`
  replaceFile(join(dir, 'tables.md'), [title, ...tables.map((t) => `\n${t.caption}\n\n${toMarkdown(t)}\n`)])
  replaceFile(
    join(dir, 'tables.tex'),
    tables.map((t) => `${toLatex(t)}\n\n`),
  )
  const logs = existsSync(join(dir, 'logs'))
  const data = pageData(summary, rows, { logs, transcripts: logs ? transcripts(dir, rows) : {} })
  replaceFile(join(dir, 'report.html'), reportHtml(data))
  return summary
}

/** Characters of transcripts that a report carries, so that it stays quick to open; every run's log is linked anyway. */
const budget = 3_000_000

/** The texts of the runs that are looked at first: where a method differs from cot, then a few of each cell. */
function transcripts(dir: string, rows: readonly Row[]): Record<number, Piece[]> {
  const out: Record<number, Piece[]> = {}
  let left = budget
  for (const i of interesting(rows)) {
    if (left <= 0) break
    const file = join(dir, logPath(rows[i]!, 0))
    if (!existsSync(file)) continue
    const pieces = transcript(readLog(file).events)
    left -= pieces.reduce((sum, piece) => sum + piece.text.length + 20, 0)
    out[i] = pieces
  }
  return out
}

function interesting(rows: readonly Row[]): number[] {
  const key = (row: Row): string => `${row.task}\n${row.instance}\n${row.seed}`
  const cot = new Map(rows.filter((row) => row.method === 'cot').map((row) => [key(row), row.correct]))
  const perCell = new Map<string, number>()
  const flipped: number[] = []
  const first: number[] = []
  for (const [i, row] of rows.entries()) {
    const cell = `${row.task}\n${row.method}`
    const seen = perCell.get(cell) ?? 0
    perCell.set(cell, seen + 1)
    const before = cot.get(key(row))
    if (before != null && row.correct !== null && before !== row.correct) flipped.push(i)
    else if (seen < 20) first.push(i)
  }
  return [...flipped.slice(0, 2000), ...first]
}
