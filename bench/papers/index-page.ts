import type { Page } from './pages.ts'

/** What became of each table and figure of the papers: the page that has it, or why there is none. */
const items: readonly [item: string, page: string | undefined, note: string][] = [
  ['interwhen, Table 2: methods by accuracy and tokens', 'interwhen.md', 'VERINA is left out: nano writes no Lean'],
  [
    'interwhen, Table 3: on top of a meta-prompt',
    'interwhen.md',
    'the base is plain CoT: nano was not trained on a meta-prompt',
  ],
  ['interwhen, Table 4: thinking and non-thinking models', undefined, 'there is one nano, and it thinks'],
  ['interwhen, Table 5: early stopping, best settings', 'early-stop.md', ''],
  ['interwhen, Tables 6 to 8: early stopping, all settings', 'early-stop.md', 'one table, for one model'],
  ['interwhen, Figures 1b, 5, 6, 7: Pareto fronts', 'interwhen.md', 'all tasks in one plot'],
  ['interwhen, Figures 3 and 4: accuracy against tokens saved', 'early-stop.md', ''],
  ['(ours) steering and early stopping beside cot, up to 200 instances a task', 'methods.md', 'with the paired tests'],
  ['(ours) how often to fork', 'interval.md', ''],
  [
    'Halo, Table 2: success and overhead',
    'halo.md',
    'on chain, game24 and RULER’s variable tracking, which have states to restart from',
  ],
  ['Halo, Table 3: across models', undefined, 'there is one nano'],
  ['Halo, Tables 4 and 8: Ψ × α', 'halo-grid.md', 'multiples of nano’s own calibration'],
  ['Halo, Table 6: entropy aggregations', 'aggregation.md', 'correlation with being past the first wrong line'],
  ['Halo, Figure 1: width and depth', 'width.md', 'depth is in [halo.md](halo.md)'],
  ['Halo, Figures 6 and 7: success by length, N*', 'halo.md', 'a curve a method, with the fitted horizon'],
  ['Halo, Figure 4: t-SNE of hidden states', undefined, 'nano’s engine does not give hidden states'],
  [
    'Halo, Figure 5: where failures and interventions fall',
    undefined,
    'the calibration (`rein calibrate`) gives lead and false alarms instead',
  ],
]

export function indexPage(made: readonly Page[], about: string): Page {
  const there = new Set(made.map((page) => page.file))
  const rows = items.map(([item, page, note]) => {
    const link = page && there.has(page) ? `[${page}](${page})` : page ? 'not run yet' : '–'
    return `| ${item} | ${link} | ${note} |`
  })
  const text = `# Both papers on nano

${about} Made by \`npm run bench:papers\`, in under an hour on two cores; each page has its command and its date. Figures on nano are figures on nano: it is a test bed of ours, small enough to ship, and says nothing of how large models fare.

![Accuracy against tokens](pareto.svg)

| in the papers | here | note |
| :-- | :-- | :-- |
${rows.join('\n')}
`
  return { file: 'README.md', text }
}
