import pc from 'picocolors'
import type { Summary, SummaryRow } from '../summary.ts'

/** The table that a finished bench prints. */
export function terminalTable(summary: Summary, colors = pc.isColorSupported): string {
  const paint = pc.createColors(colors)
  const head = ['task', 'method', 'n', 'accuracy', '95% CI', 'tokens', '% of cot', 'flips', 'p', 'p50 s', 'Pareto']
  const body = summary.rows.map((row) => cells(row))
  const widths = head.map((name, i) => Math.max(name.length, ...body.map((row) => row[i]!.length)))
  const line = (row: readonly string[]): string =>
    row.map((cell, i) => (i < 2 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  ')
  const lines = body.map((row, i) => {
    const { pareto, task } = summary.rows[i]!
    const text = pareto ? paint.bold(line(row)) : line(row)
    return i > 0 && summary.rows[i - 1]!.task !== task ? `\n${text}` : text
  })
  return `${paint.dim(line(head))}\n${lines.join('\n')}`
}

function cells(row: SummaryRow): string[] {
  const { vsCot } = row
  return [
    row.task,
    row.method,
    String(row.n),
    row.graded === 0 ? '–' : `${(100 * row.accuracy).toFixed(1)}%`,
    row.graded === 0 ? '–' : `${(100 * row.ci[0]).toFixed(1)}–${(100 * row.ci[1]).toFixed(1)}`,
    row.tokens.toFixed(0),
    row.tokensPct === null ? '–' : `${row.tokensPct.toFixed(1)}%`,
    vsCot ? `+${vsCot.gained} −${vsCot.lost}` : '–',
    vsCot ? vsCot.mcnemar.toPrecision(2) : '–',
    row.latencyMs ? (row.latencyMs.p50 / 1000).toFixed(2) : '–',
    row.pareto ? `yes ${row.paretoProbability === null ? '' : row.paretoProbability.toFixed(2)}`.trim() : '',
  ]
}
