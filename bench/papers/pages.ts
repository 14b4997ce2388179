import {
  addedTable,
  aggregationTable,
  earlyStopTable,
  flipsTable,
  gridTable,
  methodTable,
  type Summary,
  successTable,
  sweepTable,
  type Table,
  toLatex,
  toMarkdown,
} from '../../src/bench/index.ts'
import { fitHorizon } from '../../src/halo/index.ts'
import type { Aggregation } from './aggregation.ts'
import { lengthSvg, paretoSvg, stoppingSvg, widthSvg } from './plots.ts'

/** A file of docs/results. */
export interface Page {
  readonly file: string
  readonly text: string
}

export interface Made {
  readonly summary: Summary
  readonly command: string
}

type Results = ReadonlyMap<string, Made>

const header = (title: string, { summary, command }: Made): string =>
  `# ${title}\n\n${summary.model}, ${summary.date.slice(0, 10)}, ${summary.runs} runs. Figures on nano are figures on nano: a model of our own, small enough for two CPU cores.\n\n\`\`\`sh\n${command}\n\`\`\`\n`

const shown = ({ summary }: Made): string[] => summary.methods.filter((m) => !m.swept).map((m) => m.spec)

function page(file: string, title: string, made: Made, blocks: readonly (Table | string)[]): Page[] {
  const body = blocks.map((b) => (typeof b === 'string' ? b : `${b.caption}\n\n${toMarkdown(b)}`))
  const tables = blocks.filter((b): b is Table => typeof b !== 'string')
  return [
    { file: `${file}.md`, text: `${[header(title, made), ...body].join('\n\n')}\n` },
    { file: `${file}.tex`, text: `${tables.map(toLatex).join('\n\n')}\n` },
  ]
}

export function pages(results: Results, aggregated: readonly Aggregation[] | undefined): Page[] {
  const out: Page[] = []
  const main = results.get('interwhen')
  if (main) {
    const methods = shown(main)
    const pareto = { file: 'pareto.svg', text: paretoSvg(main.summary, methods) }
    const tables = [
      '![Accuracy against tokens](pareto.svg)',
      methodTable(
        [main.summary],
        methods.filter((m) => m !== 'interwhen-meta'),
        'interwhen-2',
      ),
      '## Checkable notes asked for in the prompt (Table 3)\n\nThe base is plain CoT: nano was not trained on a meta-prompt.',
      addedTable(main.summary, 'cot', 'interwhen-meta', 'interwhen-3'),
      '## Flips',
      flipsTable(main.summary),
    ]
    out.push(pareto, ...page('interwhen', 'interwhen: Tables 2 and 3, Figures 1b, 5, 6 and 7', main, tables))
  }
  const stop = results.get('early-stop')
  if (stop) {
    const tasks = [...new Set(stop.summary.rows.map((row) => row.task))]
    const plots = tasks.map((task) => ({ file: `early-stop-${task}.svg`, text: stoppingSvg(stop.summary, task) }))
    const tables = [
      earlyStopTable([stop.summary], 'interwhen-5'),
      ...plots.map(({ file }) => `![${file}](${file})`),
      sweepTable(stop.summary, 'interwhen-6'),
    ]
    out.push(...plots, ...page('early-stop', 'interwhen: Tables 5 to 8, Figures 3 and 4', stop, tables))
  }
  const interval = results.get('interval')
  if (interval)
    out.push(...page('interval', 'interwhen: how often to fork', interval, [sweepTable(interval.summary, 'interval')]))
  const width = results.get('width')
  if (width) {
    out.push({ file: 'width.svg', text: widthSvg(width.summary) })
    out.push(
      ...page('width', 'Halo: Figure 1, left (width)', width, [
        '![Success by width](width.svg)',
        sweepTable(width.summary, 'halo-1'),
      ]),
    )
  }
  out.push(...haloPages(results, aggregated))
  return out
}

function haloPages(results: Results, aggregated: readonly Aggregation[] | undefined): Page[] {
  const out: Page[] = []
  const halo = results.get('halo') ?? results.get('length')
  if (halo) {
    const cot = halo.summary.rows.find((row) => row.task === 'chain' && row.method === 'cot')
    const fit =
      cot && cot.curve.length > 2
        ? fitHorizon(cot.curve.map((p) => ({ steps: p.x, of: p.n, right: Math.round(p.accuracy * p.n) })))
        : undefined
    const reach = fit?.horizon
    const marks =
      reach !== undefined && Number.isFinite(reach) && reach < 500
        ? [{ name: `N* = ${reach.toFixed(0)}`, x: reach }]
        : []
    out.push({ file: 'length.svg', text: lengthSvg(halo.summary, 'chain', marks) })
    const blocks: (Table | string)[] = [
      successTable(halo.summary, shown(halo), 'halo-2'),
      '![Success by length](length.svg)',
    ]
    if (marks.length > 0)
      blocks.push(`The line is the horizon N* of Eq. 7 fitted to CoT’s successes: ${reach!.toFixed(1)} steps.`)
    out.push(...page('halo', 'Halo: Table 2, Figures 1 (right), 6 and 7', halo, blocks))
  }
  const grid = results.get('halo-grid')
  const sweep = grid?.summary.sweeps.find((s) => s.axes.length === 2)
  if (grid && sweep)
    out.push(...page('halo-grid', 'Halo: Tables 4 and 8', grid, [gridTable(sweep, grid.summary.model, 'halo-4')]))
  if (halo && aggregated) {
    const named = { ...halo, command: 'npm run bench:papers' }
    out.push(
      ...page('aggregation', 'Halo: Table 6', named, [aggregationTable(aggregated, halo.summary.model, 'halo-6')]),
    )
  }
  return out
}
