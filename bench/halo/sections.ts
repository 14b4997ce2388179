import { fitHorizon } from '../../src/halo/index.ts'
import type { Arena, Row } from './arena.ts'
import { histogram, mean, quantile, rate, resets, rsr, rto, share, show, success, table, tokens } from './figures.ts'

/** Each section measures and gives the body of its page. What is asked for twice is measured once: the arena keeps rows. */
export type Section = (arena: Arena) => Promise<string>

const N = 16
const lengths = [8, 12, 16, 20, 24, 32, 48, 64]
/** cot has long been at zero here: only Halo is run */
const far = [96]
const methods = ['cot', 'interwhen', 'halo', 'halo+verify']

const chain = (method: string, size: number, n = N) => ({ task: 'chain', method, size, n })

async function curves(
  arena: Arena,
  names: readonly string[],
  sizes: readonly number[],
  n = N,
): Promise<Map<string, Row[][]>> {
  const out = new Map<string, Row[][]>(names.map((name) => [name, []]))
  for (const size of sizes) for (const name of names) out.get(name)!.push(await arena.run(chain(name, size, n)))
  return out
}

/** The longest length up to which at least half of the runs end right, interpolated. */
function half(sizes: readonly number[], rates: readonly number[]): string {
  const at = rates.findIndex((r) => r < 0.5)
  if (at < 0) return `> ${sizes.at(-1)}`
  if (at === 0) return `< ${sizes[0]}`
  const [a, b] = [rates[at - 1]!, rates[at]!]
  return show(sizes[at - 1]! + ((a - 0.5) / (a - b)) * (sizes[at]! - sizes[at - 1]!), 0)
}

export const length: Section = async (arena) => {
  const near = await curves(arena, methods, lengths)
  const further = await curves(arena, ['halo', 'halo+verify'], far, N / 2)
  const cell = (name: string, i: number): Row[] | undefined =>
    i < lengths.length ? near.get(name)![i] : further.get(name)?.[i - lengths.length]
  const all = [...lengths, ...far]
  const of = (f: (rows: Row[], base: Row[] | undefined) => string) =>
    all.map((size, i) => [
      String(size),
      ...methods.map((name) => {
        const rows = cell(name, i)
        return rows ? f(rows, cell('cot', i)) : '–'
      }),
    ])
  const head = ['steps', ...methods]
  const horizon = methods.map((name) => {
    const sizes = all.filter((_, i) => cell(name, i))
    return half(
      sizes,
      sizes.map((_, i) => success(cell(name, i)!)),
    )
  })
  return [
    '## Success by length\n\nShare of runs that end right, with Wilson’s 95% interval.',
    table(head, [...of((rows) => rate(rows)), ['half of the runs right up to', ...horizon]]),
    '## Tokens a run\n\nAll purposes: text, thrown-away text, forks, compressions.',
    table(
      head,
      of((rows) => show(tokens(rows), 0)),
    ),
    '## Relative token overhead (cot = 1), resets a run, and rectification success rate\n\nWhere cot fails it runs into the token limit, so an overhead below 1 there is what looping costs, not what Halo saves on work that gets done.',
    table(
      ['steps', 'RTO halo', 'RTO halo+verify', 'RTO interwhen', 'resets halo', 'RSR halo', 'right states'],
      all.map((size, i) => {
        const [cot, h, v, w] = ['cot', 'halo', 'halo+verify', 'interwhen'].map((name) => cell(name, i))
        const against = (rows: Row[] | undefined): string => (rows && cot ? show(rto(rows, cot)) : '–')
        const states =
          h!.reduce((sum, row) => sum + row.rightStates, 0) / h!.reduce((s, row) => s + row.resets.length, 0)
        return [String(size), against(h), against(v), against(w), show(resets(h!), 1), share(rsr(h!)), share(states)]
      }),
    ),
  ].join('\n\n')
}

export const grid: Section = async (arena) => {
  const { calibrationOf } = await import('./calibration.ts')
  const { alpha, psi } = calibrationOf('attention')
  const alphas = [0.8, 0.9, 1, 1.1]
  const psis = [0.1, 0.5, 1, 2, 8]
  const cells: Row[][][] = []
  for (const a of alphas) {
    const row: Row[][] = []
    for (const p of psis) {
      const method = `halo:alpha=${(alpha * a).toPrecision(4)},psi=${(psi * p).toPrecision(4)}`
      row.push(await arena.run(chain(method, 32, 8)))
    }
    cells.push(row)
  }
  const as = (f: (rows: Row[]) => string): string =>
    table(
      ['α \\ Ψ', ...psis.map((p) => `${p}×`)],
      cells.map((row, i) => [`${alphas[i]}×`, ...row.map(f)]),
    )
  return [
    `Multiples of nano’s own calibration (α = ${show(alpha)}, β fixed, Ψ = ${show(psi)}); chains of 32 steps, eight instances a cell.`,
    '## Success',
    as((rows) => share(success(rows))),
    '## Tokens a run',
    as((rows) => show(tokens(rows), 0)),
    '## Resets a run',
    as((rows) => show(resets(rows), 1)),
  ].join('\n\n')
}

export const alignment: Section = async (arena) => {
  const failures: number[] = []
  const interventions: number[] = []
  for (const size of lengths.filter((s) => s >= 20)) {
    for (const row of await arena.run(chain('cot', size)))
      if (!row.right && row.wrongLine !== null) failures.push(row.wrongLine + 1)
    for (const row of await arena.run(chain('halo', size))) interventions.push(...row.resets)
  }
  const random: number[] = []
  for (const size of [32, 48])
    for (const row of await arena.run(chain('halo-random:every=10', size))) random.push(...row.resets)
  const stats = (name: string, values: number[]): string[] => [
    name,
    String(values.length),
    ...[0.1, 0.25, 0.5, 0.75, 0.9].map((q) => String(quantile(values, q))),
    show(mean(values), 1),
  ]
  return [
    'Lines of thinking since the (last fresh) start: where cot writes its first wrong line in runs that fail (a wrong step, or the first doubt about a right one), and where Halo resets. Chains of 20 to 64 steps. The third row is the control: resets at random.',
    table(
      ['', 'n', '10%', '25%', '50%', '75%', '90%', 'mean'],
      [
        stats('cot goes wrong at line', failures),
        stats('Halo resets after line', interventions),
        stats('random resets after line', random),
      ],
    ),
    `## Where cot goes wrong\n\n\`\`\`\n${histogram(failures)}\n\`\`\``,
    `## Where Halo resets\n\n\`\`\`\n${histogram(interventions)}\n\`\`\``,
  ].join('\n\n')
}

export const tasks: Section = async (arena) => {
  const names = ['cot', 'interwhen', 'halo', 'halo+verify']
  const blocks: string[] = []
  for (const [task, n] of [
    ['game24', 16],
    ['ruler-vt', 16],
  ] as const) {
    const all: Row[][] = []
    for (const method of names) all.push(await arena.run({ task, method, n }))
    blocks.push(
      `## ${task}`,
      table(
        ['method', 'success', 'tokens', 'RTO', 'resets a run', 'RSR'],
        names.map((name, i) => {
          const rows = all[i]!
          return [
            name,
            rate(rows),
            show(tokens(rows), 0),
            show(rto(rows, all[0]!)),
            show(resets(rows), 1),
            share(rsr(rows)),
          ]
        }),
      ),
    )
  }
  return blocks.join('\n\n')
}

export const control: Section = async (arena) => {
  const sizes = [16, 24, 32, 48]
  const rows: string[][] = []
  for (const size of sizes) {
    const halo = await arena.run(chain('halo', size))
    const predictive = await arena.run(chain('halo:signal=predictive', size))
    // as often as Halo: lines between its resets, or lines a run where it hardly ever resets
    const every = Math.max(1, Math.round(mean(halo.map((row) => row.lines)) / Math.max(0.25, resets(halo))))
    const chance = await arena.run(chain(`halo-random:every=${every}`, size))
    for (const [name, of] of [
      ['halo, attention entropy', halo],
      ['halo, predictive entropy', predictive],
      [`halo-random, every ${every} lines`, chance],
    ] as const)
      rows.push([String(size), name, rate(of), show(tokens(of), 0), show(resets(of), 1), share(rsr(of))])
  }
  return [
    'The same mean number of resets, at random lines: the difference to `halo` is what the signal itself is worth.',
    table(['steps', 'method', 'success', 'tokens', 'resets a run', 'RSR'], rows),
  ].join('\n\n')
}

export const horizon: Section = async (arena) => {
  const sizes = [...lengths]
  const fits: string[][] = []
  for (const name of methods) {
    const points = []
    for (const size of sizes) {
      const rows = await arena.run(chain(name, size))
      points.push({ steps: size, of: rows.length, right: rows.filter((row) => row.right).length })
    }
    const fit = fitHorizon(points)
    const flat = points.every((p) => p.right === p.of)
    fits.push([
      name,
      flat ? '–' : show(fit.lambda, 3),
      flat ? '–' : fit.psi.toPrecision(3),
      flat ? `> ${sizes.at(-1)}` : show(fit.horizon, 1),
      show(fit.logLikelihood, 1),
    ])
  }
  const widths = [1, 2, 4, 8]
  const body: string[][] = []
  for (const size of [16, 20, 24]) {
    const n = 5
    for (const k of widths) {
      const wide = await arena.run({ ...chain(`self-consistency:k=${k},early=false`, size, n), budget: k })
      const deep = k <= 2 ? await arena.run({ ...chain('cot', size, n), budget: k }) : undefined
      body.push([
        String(size),
        String(k),
        rate(wide),
        show(tokens(wide), 0),
        deep ? rate(deep) : '–',
        deep ? show(tokens(deep), 0) : '–',
      ])
    }
  }
  return [
    '## The system behind the curves\n\nλ and Ψ/σ² by maximum likelihood from success by length (Eq. 7; σ² is the unit), and N* of the fitted system.',
    table(['method', 'λ', 'Ψ/σ²', 'N*', 'log-likelihood'], fits),
    '## Depth and width\n\nk samples and a majority vote, each with k times the usual token limit, against one chain with the same limit (nano’s context ends after two).',
    table(['steps', 'k', 'k samples', 'tokens', 'one chain, k× limit', 'tokens'], body),
  ].join('\n\n')
}
