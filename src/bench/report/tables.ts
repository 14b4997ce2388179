import type { Summary } from '../summary.ts'
import { addedTable, earlyStopTable, gridTable, methodTable, successTable, sweepTable } from './paper-tables.ts'
import type { Table } from './table.ts'

/** Every table that these results can fill: the papers' main tables always, those of sweeps and additions where they were run. */
export function tablesOf(summaries: readonly Summary[]): Table[] {
  const [first] = summaries
  if (!first) return []
  const swept = new Set(summaries.flatMap((s) => s.methods.filter((m) => m.swept).map((m) => m.spec)))
  const all = [...new Set(summaries.flatMap((s) => s.rows.map((row) => row.method)))]
  // a sweep's settings have tables of their own; the main ones show what was asked for by name
  const main = all.filter((method) => !swept.has(method))
  const shown = main.length > 0 ? main : all
  const tables = [methodTable(summaries, shown), ...summaries.map((s, i) => successTable(s, shown, `success-${i + 1}`))]
  if (all.includes('cot') && all.includes('interwhen-meta')) tables.push(addedTable(first, 'cot', 'interwhen-meta'))
  for (const [i, summary] of summaries.entries())
    if (summary.sweeps.some((sweep) => sweep.axes.length === 1)) tables.push(sweepTable(summary, `sweeps-${i + 1}`))
  if (summaries.some((s) => s.sweeps.some((sweep) => sweep.axes.length === 1))) tables.push(earlyStopTable(summaries))
  for (const summary of summaries)
    for (const sweep of summary.sweeps)
      if (sweep.axes.length === 2) tables.push(gridTable(sweep, summary.model, `grid-${sweep.method}-${sweep.task}`))
  return [...tables, flipsTable(first)]
}

/** What changed against cot, with the exact test beside it. */
export function flipsTable(summary: Summary, id = 'flips'): Table {
  const rows = summary.rows.flatMap((row) => {
    const c = row.vsCot
    if (!c) return []
    const points = (x: number): string => `${x >= 0 ? '+' : ''}${(100 * x).toFixed(1)}`
    const interval = `[${points(c.accuracy.ci[0])}, ${points(c.accuracy.ci[1])}]`
    const p = c.mcnemar < 0.001 ? '< 0.001' : c.mcnemar.toFixed(3)
    return [
      [row.task, row.method, String(c.pairs), String(c.gained), String(c.lost), points(c.accuracy.diff), interval, p],
    ]
  })
  return {
    id,
    caption: `Flips against CoT on the same instances and seeds (${summary.model}): wrong made right, right made wrong, the difference in points with its paired-bootstrap interval, and the exact McNemar p.`,
    head: [['Task', 'Method', 'Pairs', 'Gained', 'Lost', 'Difference', '95% CI', 'p']],
    rows,
  }
}
