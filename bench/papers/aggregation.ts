import { loadInstances } from '../../src/bench/index.ts'
import type { Engine } from '../../src/engine/index.ts'
import { calibrate, lineEntropies, type Recording, signals } from '../../src/halo/index.ts'
import { collectRecordings } from '../../src/methods/record.ts'
import { getTask } from '../../src/tasks/registry.ts'

export interface Aggregation {
  readonly name: string
  readonly r: number
  readonly leadTokens: number
}

/** Halo, Table 6: each aggregation's correlation with the collapse, and the warning that its own calibration would give. */
export async function aggregations(engine: Engine, runs: number): Promise<Aggregation[]> {
  const task = getTask('chain')
  const instances = await loadInstances(task, { limit: runs, seed: 6, side: 'test', sizes: [16, 24, 32, 48] })
  const recordings = await collectRecordings({
    engine,
    task,
    instances: instances.map((instance) => instance.data),
    seed: 6,
    temperature: 0.8,
    maxTokens: 1500,
    concurrency: 4,
  })
  const tokensPerLine = meanTokens(recordings)
  return signals.map((signal) => {
    const fitted = calibrate(recordings, { signal, granularity: 'line' })
    const options = { signal, ...(fitted.head !== undefined && { head: fitted.head }) }
    return { name: signal, r: correlation(recordings, options), leadTokens: fitted.lead * tokensPerLine }
  })
}

/** Pearson's r between a line's H̄ and whether the chain is already wrong there. */
function correlation(recordings: readonly Recording[], options: Parameters<typeof lineEntropies>[1]): number {
  const pairs = recordings.flatMap(({ lines, collapse }) =>
    lineEntropies(lines, options).flatMap((h, i) =>
      h === undefined ? [] : [[h, collapse !== undefined && i >= collapse ? 1 : 0] as const],
    ),
  )
  const n = pairs.length
  const mean = (at: 0 | 1): number => pairs.reduce((s, p) => s + p[at], 0) / n
  const [mx, my] = [mean(0), mean(1)]
  let [xy, xx, yy] = [0, 0, 0]
  for (const [x, y] of pairs) {
    xy += (x - mx) * (y - my)
    xx += (x - mx) ** 2
    yy += (y - my) ** 2
  }
  return xy / Math.sqrt(xx * yy || 1)
}

function meanTokens(recordings: readonly Recording[]): number {
  const lines = recordings.flatMap((recording) => recording.lines).filter((line) => line.tokens.length > 0)
  return lines.reduce((s, line) => s + line.tokens.length, 0) / Math.max(1, lines.length)
}
