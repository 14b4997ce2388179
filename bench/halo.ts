// Halo on nano: npm run bench:halo -- length|grid|signals|alignment|tasks|control|horizon|all   (one or more)
// Prints a page of tables and writes it to docs/results/halo-NAME.md. Rows are kept in out/halo: killed and started again it
// goes on, and sections that need the same runs share them.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../src/base/paths.ts'
import { openEngine } from '../src/engine/index.ts'
import { recalling } from '../src/engine/recall.ts'
import { openArena } from './halo/arena.ts'
import { alignment, control, grid, horizon, length, type Section, tasks } from './halo/sections.ts'
import { signalTables } from './halo/signals.ts'

const titles: Record<string, string> = {
  length: 'Halo on nano: success by chain length',
  grid: 'Halo on nano: α × Ψ (Tables 4 and 8)',
  signals: 'Halo on nano: signals and aggregations (Table 6)',
  alignment: 'Halo on nano: failures and interventions (Figure 5)',
  tasks: 'Halo on nano: game24 and RULER’s variable tracking',
  control: 'Halo on nano: what the signal is worth',
  horizon: 'Halo on nano: the horizon, depth and width',
}

/** halo-grid.md is a page of bench:papers */
const files: Record<string, string> = { grid: 'alpha-psi' }

const wanted = process.argv.slice(2)
const names = wanted[0] === 'all' ? Object.keys(titles) : wanted
if (names.length === 0 || !names.every((name) => name in titles)) {
  console.error(`name a section: ${Object.keys(titles).join(', ')}, or all`)
  process.exit(2)
}

// no table shows a time, so what runs have in common is generated once
const engine = recalling(await openEngine('nano'), { tokens: 300_000 })
const arena = openArena(engine)
const sections: Record<string, Section> = {
  length,
  grid,
  signals: () => signalTables(engine, arena),
  alignment,
  tasks,
  control,
  horizon,
}
try {
  for (const name of names) {
    const body = await sections[name]!(arena)
    const date = new Date().toISOString().slice(0, 10)
    const page = `# ${titles[name]}

${engine.model}, ${date}. Held-out instances, the same instances and seeds for every method, temperature 0.7, at most 200 tokens and 30 a step on chains (about 1.7 times what careful work takes), 1,500 elsewhere. Figures on nano are figures on nano.

\`\`\`sh
npm run bench:halo -- ${name}
\`\`\`

${body}
`
    console.log(page)
    mkdirSync(join(packageRoot, 'docs', 'results'), { recursive: true })
    writeFileSync(join(packageRoot, 'docs', 'results', `halo-${files[name] ?? name}.md`), page)
  }
} finally {
  await engine.close?.()
}
