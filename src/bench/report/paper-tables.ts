import { baseline, groupBy, type Summary, type SummaryRow } from '../summary.ts'
import type { Sweep, SweepPoint } from '../sweeps.ts'
import type { Cell, Table } from './table.ts'

/** The tables of both papers, in their shapes. Each takes summaries, one a model, and none reads a file. */

const pct = (share: number): string => (100 * share).toFixed(1)
const num = (value: number | null, digits = 1): string => (value === null ? '–' : value.toFixed(digits))

const short: Readonly<Record<string, string>> = {
  cot: 'CoT',
  'cot-pe': 'CoT-PE',
  interwhen: 'IW',
  'interwhen-meta': 'IW-meta',
  tot: 'ToT',
  got: 'GoT',
  'self-consistency': 'CoT-SC',
  'generate-test-critic': 'GT-c',
  adacot: 'AdaCoT',
  'cot-valve': 'CoT-Valve',
  'k-stable': 'k-Stable',
  eat: 'EAT',
  deer: 'DEER',
  halo: 'Halo',
}

/** The papers' column heads: best-of-k:k=2 is Bo2, with a critic Bo2-c (k is 4 unless given). Others keep their names. */
export function shortName(spec: string): string {
  const best = /^best-of-k(-critic)?(?::k=(\d+))?$/.exec(spec)
  if (best) return `Bo${best[2] ?? 4}${best[1] ? '-c' : ''}`
  const [name, parameters] = spec.split(':') as [string, string?]
  return `${short[name] ?? name}${parameters ? ` (${parameters})` : ''}`
}

const tasksOf = (summaries: readonly Summary[]): string[] => [
  ...new Set(summaries.flatMap((s) => s.rows.map((row) => row.task))),
]

const cellAt = (summary: Summary, task: string, method: string): SummaryRow | undefined =>
  summary.rows.find((row) => row.task === task && row.method === method)

/** How many runs the cells have: a bench that was stopped, or a task with few instances, makes them differ. */
function spanOf(cells: readonly SummaryRow[]): string {
  const runs = cells.map((cell) => cell.n)
  const [least, most] = [Math.min(...runs), Math.max(...runs)]
  return runs.length === 0 ? '0' : least === most ? `${most}` : `${least} to ${most}`
}

/**
 * interwhen, Tables 2 and 4: a row of accuracy and one of %tokens for each dataset, methods side by side, models beside each
 * other. The best accuracy is underlined; the best among those that cost at most two samples is bold.
 */
export function methodTable(summaries: readonly Summary[], methods: readonly string[], id = 'methods'): Table {
  const columns = summaries.flatMap((summary) => methods.map((method) => ({ summary, method })))
  const rows: (Cell | string)[][] = []
  for (const task of tasksOf(summaries)) {
    const cells = columns.map(({ summary, method }) => cellAt(summary, task, method))
    const best = new Map(summaries.map((s) => [s, bestOf(s, task, methods, () => true)]))
    const cheap = new Map(
      summaries.map((s) => [s, bestOf(s, task, methods, (r) => (r.tokensPct ?? 0) <= bo2(s, task))]),
    )
    rows.push([
      task,
      'Acc. (%) ↑',
      ...cells.map((cell, i): Cell => {
        const { summary } = columns[i]!
        if (!cell) return { text: '–' }
        const text = `${pct(cell.accuracy)} ±${pct((cell.ci[1] - cell.ci[0]) / 2)}`
        return {
          text,
          underline: cell.accuracy === best.get(summary),
          bold: isCheapBest(cell, cheap.get(summary), bo2(summary, task)),
        }
      }),
    ])
    rows.push(['', '% Tok. ↓', ...cells.map((cell) => (cell ? num(cell.tokensPct) : '–'))])
  }
  const n = spanOf(columns.flatMap(({ summary, method }) => summary.rows.filter((r) => r.method === method)))
  return {
    id,
    caption: `Accuracy (± half its 95% Wilson interval) and token usage relative to CoT, n = ${n} runs a cell. Underlined: the highest accuracy; bold: the highest among those that use at most as many tokens as Bo2 (200% where Bo2 was not run).`,
    head: [
      ['', '', ...columns.map(({ summary }) => summary.model)],
      ['Dataset', 'Metric', ...columns.map(({ method }) => shortName(method))],
    ],
    rows,
  }
}

function bestOf(s: Summary, task: string, methods: readonly string[], fits: (row: SummaryRow) => boolean): number {
  const cells = methods.flatMap((m) => cellAt(s, task, m) ?? []).filter(fits)
  return Math.max(-1, ...cells.map((cell) => cell.accuracy))
}

const bo2 = (s: Summary, task: string): number =>
  s.rows.find((row) => row.task === task && shortName(row.method) === 'Bo2')?.tokensPct ?? 200

const isCheapBest = (cell: SummaryRow, best: number | undefined, limit: number): boolean =>
  cell.accuracy === best && (cell.tokensPct ?? 0) <= limit

/** interwhen, Table 3: a method on top of another, with the gain in brackets; % tokens relative to the one below it. */
export function addedTable(summary: Summary, base: string, added: string, id = 'added'): Table {
  const rows = tasksOf([summary]).flatMap((task): (Cell | string)[][] => {
    const [a, b] = [cellAt(summary, task, base), cellAt(summary, task, added)]
    if (!a || !b) return []
    const gain = 100 * (b.accuracy - a.accuracy)
    return [
      [task, shortName(base), pct(a.accuracy), '100.0'],
      [
        '',
        `+ ${shortName(added)}`,
        `${pct(b.accuracy)} (${gain >= 0 ? '+' : ''}${gain.toFixed(1)})`,
        num((100 * b.tokens) / a.tokens),
      ],
    ]
  })
  const caption = `${shortName(added)} applied on top of ${shortName(base)} (${summary.model}). % Tokens is relative to ${shortName(base)}.`
  return { id, caption, head: [['Task', 'Method', 'Accuracy (%) ↑', '% Tokens ↓']], rows }
}

/** interwhen, Table 5: for each early-stopping method the setting that saves most without losing accuracy against CoT. */
export function earlyStopTable(summaries: readonly Summary[], id = 'early-stop'): Table {
  const tasks = tasksOf(summaries)
  const rows: (Cell | string)[][] = []
  for (const summary of summaries) {
    const methods = [...new Set(summary.sweeps.map((sweep) => sweep.method))]
    rows.push([summary.model, 'Base', ...tasks.flatMap((task) => [num(accuracyOf(summary, task)), '0.0'])])
    const best = tasks.map((task) => methods.map((method) => bestSaving(summary, task, method)))
    for (const [i, method] of methods.entries())
      rows.push([
        '',
        method,
        ...tasks.flatMap((_, t): (Cell | string)[] => {
          const point = best[t]![i]
          if (!point) return ['–', '–']
          const most = Math.max(...best[t]!.map((p) => p?.saved ?? -Infinity))
          return [pct(point.accuracy), { text: point.saved.toFixed(1), bold: point.saved === most && most > 0 }]
        }),
      ])
  }
  return {
    id,
    caption:
      'Early stopping: accuracy and the largest token reduction (%Red) of any setting that keeps or improves the accuracy of CoT on the same instances; 0 where none does.',
    head: [
      ['', '', ...tasks.flatMap((task) => [task, task])],
      ['Model', 'Method', ...tasks.flatMap(() => ['Acc.', '%Red'])],
    ],
    rows,
  }
}

const accuracyOf = (summary: Summary, task: string): number | null => {
  const cell = cellAt(summary, task, baseline)
  return cell ? 100 * cell.accuracy : null
}

function bestSaving(summary: Summary, task: string, method: string): { accuracy: number; saved: number } | undefined {
  const base = cellAt(summary, task, baseline)
  const sweep = summary.sweeps.find((s) => s.task === task && s.method === method)
  if (!base || !sweep) return undefined
  const keeping = sweep.points
    .filter((point) => point.accuracy >= base.accuracy)
    .map((point) => ({ point, saved: saving(point) }))
  keeping.sort((a, b) => b.saved - a.saved)
  const first = keeping[0]
  return first && first.saved > 0
    ? { accuracy: first.point.accuracy, saved: first.saved }
    : { accuracy: base.accuracy, saved: 0 }
}

const saving = (point: SweepPoint): number => 100 - (point.tokensPct ?? 100)

/** interwhen, Tables 6 to 8: every value of every sweep with accuracy, tokens and %Red per dataset. */
export function sweepTable(summary: Summary, id = 'sweeps'): Table {
  const tasks = tasksOf([summary])
  const base = tasks.map((task) => cellAt(summary, task, baseline))
  const rows: (Cell | string)[][] = [
    [
      'Baseline',
      '0',
      ...base.flatMap((cell) => (cell ? [pct(cell.accuracy), num(cell.tokens), '0.0'] : ['–', '–', '–'])),
    ],
  ]
  for (const [method, sweeps] of groupBy(
    summary.sweeps.filter((s) => s.axes.length === 1),
    (s) => s.method,
  )) {
    const values = [...new Set(sweeps.flatMap((s) => s.points.map((p) => String(p.values[0]))))]
    for (const [i, value] of values.entries())
      rows.push([
        i === 0 ? method : '',
        value,
        ...tasks.flatMap((task): (Cell | string)[] => sweepCells(sweeps, task, value, summary, method)),
      ])
  }
  return {
    id,
    caption: `Accuracy and token usage of every setting (${summary.model}). Bold: the largest reduction that keeps the baseline's accuracy.`,
    head: [
      ['', '', ...tasks.flatMap((task) => [task, task, task])],
      ['Method', 'Value', ...tasks.flatMap(() => ['Acc.', 'Tokens', '%Red'])],
    ],
    rows,
  }
}

function sweepCells(
  sweeps: readonly Sweep[],
  task: string,
  value: string,
  summary: Summary,
  method: string,
): (Cell | string)[] {
  const point = sweeps.find((s) => s.task === task)?.points.find((p) => String(p.values[0]) === value)
  if (!point) return ['–', '–', '–']
  const red = saving(point)
  const best = bestSaving(summary, task, method)
  const bold = best !== undefined && best.saved > 0 && best.saved === red
  return [pct(point.accuracy), num(point.tokens), { text: red.toFixed(1), bold }]
}

/** Halo, Table 2: success rate and relative token overhead (×) of each method on each task; best bold, second underlined. */
export function successTable(summary: Summary, methods: readonly string[], id = 'success'): Table {
  const tasks = tasksOf([summary])
  const ranks = tasks.map((task) =>
    [...new Set(methods.flatMap((m) => cellAt(summary, task, m)?.accuracy ?? []))].sort((a, b) => b - a),
  )
  const rows = methods.map((method) => [
    shortName(method),
    ...tasks.flatMap((task, t): (Cell | string)[] => {
      const cell = cellAt(summary, task, method)
      if (!cell) return ['–', '–']
      const [first, second] = ranks[t]!
      const rto = cell.tokensPct === null ? '–' : (cell.tokensPct / 100).toFixed(2)
      return [{ text: pct(cell.accuracy), bold: cell.accuracy === first, underline: cell.accuracy === second }, rto]
    }),
  ])
  return {
    id,
    caption: `Success rate (SR, %) and relative token overhead (RTO, ×) on ${summary.model}. Best bold, second-best underlined.`,
    head: [
      ['', ...tasks.flatMap((task) => [task, task])],
      ['Method', ...tasks.flatMap(() => ['SR ↑', 'RTO'])],
    ],
    rows,
  }
}

/** Halo, Tables 4 and 8: success rate over two parameters. */
export function gridTable(sweep: Sweep, model: string, id = 'grid'): Table {
  const [rowAxis, columnAxis] = [sweep.axes[0]!, sweep.axes[1]!]
  const values = (axis: 0 | 1): SweepPoint['values'][number][] => [...new Set(sweep.points.map((p) => p.values[axis]!))]
  const columns = values(1).sort((a, b) => Number(a) - Number(b))
  const best = Math.max(...sweep.points.map((p) => p.accuracy))
  const rows = values(0).map((row) => [
    String(row),
    ...columns.map((column): Cell => {
      const point = sweep.points.find((p) => p.values[0] === row && p.values[1] === column)
      return point ? { text: pct(point.accuracy), bold: point.accuracy === best } : { text: '–' }
    }),
  ])
  return {
    id,
    caption: `${sweep.method} on ${sweep.task} (${model}): success rate (%) over ${rowAxis} and ${columnAxis}.`,
    head: [[rowAxis, ...columns.map((column) => `${columnAxis} = ${column}`)]],
    rows,
  }
}

/** Halo, Table 6: how well each way of averaging the attention entropy foretells the collapse. */
export function aggregationTable(
  rows: readonly { readonly name: string; readonly r: number; readonly leadTokens: number }[],
  model: string,
  id = 'aggregation',
): Table {
  const best = Math.max(...rows.map((row) => row.r))
  return {
    id,
    caption: `Predictive power of entropy aggregations (${model}): Pearson correlation with drift, and tokens of warning before the collapse.`,
    head: [['Aggregation', 'Correlation (r)', 'Lead time (tokens)']],
    rows: rows.map(({ name, r, leadTokens }) => [
      name,
      { text: r.toFixed(2), bold: r === best },
      leadTokens.toFixed(1),
    ]),
  }
}
