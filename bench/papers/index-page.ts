import type { Page } from './pages.ts'

/** What became of each table and figure of the papers: the page that has it, or why there is none. */
const items: readonly [item: string, pages: string | undefined, note: string][] = [
  [
    'interwhen, Table 2: methods by accuracy and tokens',
    'interwhen.md',
    'with the paired tests; VERINA is left out: nano writes no Lean',
  ],
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
  ['(ours) how often to fork', 'interval.md', ''],
  [
    'Halo, Table 2: success and overhead',
    'halo.md halo-length.md halo-tasks.md',
    'on chain, game24 and RULER’s variable tracking, which have states to restart from',
  ],
  ['Halo, Table 3: across models', undefined, 'there is one nano'],
  ['Halo, Tables 4 and 8: Ψ × α', 'halo-grid.md halo-alpha-psi.md', 'multiples of nano’s own calibration'],
  [
    'Halo, Table 6: entropy aggregations',
    'aggregation.md halo-signals.md',
    'correlation with being past the first wrong line',
  ],
  ['Halo, Figure 1: width and depth', 'width.md halo-horizon.md', ''],
  ['(ours) what Halo’s signal is worth: resets at random places', 'halo-control.md', '`npm run bench:halo`'],
  [
    'Halo, Figures 6 and 7: success by length, N*',
    'halo.md halo-length.md',
    'a curve a method, with the fitted horizon',
  ],
  ['Halo, Figure 4: t-SNE of hidden states', undefined, 'nano’s engine does not give hidden states'],
  ['Halo, Figure 5: where failures and interventions fall', 'halo-alignment.md', '`npm run bench:halo`'],
]

/** `there`: the files of docs/results; a table may have been made by this program or by bench:halo. */
export function indexPage(there: ReadonlySet<string>, about: string): Page {
  const rows = items.map(([item, pages, note]) => {
    const found = pages?.split(' ').filter((page) => there.has(page)) ?? []
    const links = found.map((page) => `[${page}](${page})`).join(', ')
    return `| ${item} | ${links || (pages ? 'not run yet' : '–')} | ${note} |`
  })
  const text = `# Both papers on nano

${about} Made by \`npm run bench:papers\` (and \`npm run bench:halo\`); each page has its command and its date. Figures on nano are figures on nano: it is a test bed of ours, small enough to ship, and says nothing of how large models fare.

![Accuracy against tokens](pareto.svg)

| in the papers | here | note |
| :-- | :-- | :-- |
${rows.join('\n')}
`
  return { file: 'README.md', text }
}
