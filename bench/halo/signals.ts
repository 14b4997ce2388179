import type { Engine } from '../../src/engine/index.ts'
import { auc, lineEntropies, measure, type Recording, type Series, signals } from '../../src/halo/index.ts'
import { collectRecordings } from '../../src/methods/record.ts'
import { getTask } from '../../src/tasks/registry.ts'
import { type Arena, instances, limitOf, TEMPERATURE } from './arena.ts'
import { calibrationOf } from './calibration.ts'
import { mean, rate, resets, share, show, table, tokens } from './figures.ts'

/**
 * Halo, Table 6, on held-out plain runs: how each signal tells lines before the collapse from those after it, and how early
 * the controller with that signal's own calibration would have called; then what Halo does with it.
 */
export async function signalTables(engine: Engine, arena: Arena): Promise<string> {
  const task = getTask('chain')
  const sizes = [8, 12, 16, 20, 24, 32]
  const all = sizes.flatMap((size) => instances(task, 8, size))
  const recordings = await collectRecordings({
    engine,
    task,
    instances: all,
    seed: 11,
    temperature: TEMPERATURE,
    maxTokens: (instance) => limitOf('chain', task.difficulty!(instance)),
    progress: (done) => process.stderr.write(`\r${done} of ${all.length} plain runs`),
  })
  process.stderr.write('\n')
  const decided = recordings.filter(({ right, collapse }) => right || collapse !== undefined)
  const perLine = mean(decided.flatMap(({ lines }) => lines.slice(0, -1).map((line) => line.tokens.length)))
  const seen = signals.map((signal) => {
    const { alpha, beta, psi, floor, head } = calibrationOf(signal)
    const series = decided.map((recording) => seriesOf(recording, { signal, ...(head !== undefined && { head }) }))
    const found = measure(series, { alpha, beta, psi, floor, hysteresis: 0 })
    const samples = series.flatMap(({ values, collapse }) =>
      values.map((x, i) => ({ x, y: (collapse !== undefined && i >= collapse ? 1 : 0) as 0 | 1 })),
    )
    return [
      signal,
      show(correlation(samples)),
      show(auc(samples)),
      share(found.caught),
      show(found.lead, 2),
      show(found.lead * perLine, 1),
      share(found.falseAlarms),
    ]
  })
  const effect: string[][] = []
  for (const signal of signals)
    for (const size of [16, 32]) {
      const rows = await arena.run({ task: 'chain', method: `halo:signal=${signal}`, size, n: 8 })
      effect.push([signal, String(size), rate(rows), show(tokens(rows), 0), show(resets(rows), 1)])
    }
  const collapsed = decided.filter((recording) => recording.collapse !== undefined).length
  return [
    `${decided.length} held-out plain runs of 8 to 32 steps, of which ${collapsed} collapsed. r and AUC: a line’s H̄ against whether the run has gone wrong by that line. Caught: collapses with an alarm at or before their first wrong line; lead: lines (tokens) from the first alarm to it; false alarms: sound runs with any alarm.`,
    table(['signal', 'r', 'AUC', 'caught', 'lead, lines', 'lead, tokens', 'false alarms'], seen),
    '## What Halo does with each',
    table(['signal', 'steps', 'success', 'tokens', 'resets a run'], effect),
  ].join('\n\n')
}

function seriesOf({ lines, collapse }: Recording, options: Parameters<typeof lineEntropies>[1]): Series {
  const points = lineEntropies(lines.slice(0, -1), options).flatMap((value, line) =>
    value === undefined ? [] : [{ value, line }],
  )
  const at = collapse === undefined ? -1 : points.findIndex(({ line }) => line >= collapse)
  return { values: points.map(({ value }) => value), collapse: at < 0 ? undefined : at }
}

/** Pearson's r. */
function correlation(samples: readonly { x: number; y: number }[]): number {
  const [mx, my] = [mean(samples.map((s) => s.x)), mean(samples.map((s) => s.y))]
  let [xy, xx, yy] = [0, 0, 0]
  for (const { x, y } of samples) {
    xy += (x - mx) * (y - my)
    xx += (x - mx) ** 2
    yy += (y - my) ** 2
  }
  return xy / Math.sqrt(xx * yy || 1)
}
