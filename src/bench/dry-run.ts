import type { Engine, Sampling } from '../engine/engine.ts'
import { mean } from './compare.ts'
import type { BenchConfig } from './config.ts'
import { execute } from './execute.ts'
import type { Parts } from './parts.ts'
import type { Job, Plan } from './plan.ts'
import { duration } from './progress.ts'
import { concurrencyFor } from './run.ts'
import { groupBy } from './summary.ts'

export interface Estimate {
  readonly cells: readonly CellEstimate[]
  readonly runs: number
  readonly tokens: number
  readonly ms: number
}

export interface CellEstimate {
  readonly task: string
  readonly method: string
  readonly runs: number
  /** a run */
  readonly tokens: number
  readonly ms: number
  /** made by a pilot run; else guessed from the task's others */
  readonly measured: boolean
}

export interface PilotOptions {
  /** runs of each task and method */
  readonly pilot: number
  /** no new pilot run after this long */
  readonly patienceMs: number
  readonly signal: AbortSignal
  now?(): number
}

/** Tokens and time that a plan will take, from a few pilot runs that are thrown away. */
export async function estimate(
  plan: Plan,
  config: BenchConfig,
  parts: Parts,
  engine: Engine,
  options: PilotOptions,
): Promise<Estimate> {
  const now = options.now ?? (() => performance.now())
  const began = now()
  const cells = groupBy(plan.jobs, (job) => `${job.task}\n${job.method}`)
  const measured = new Map<string, { tokens: number[]; ms: number[] }>()
  for (const [key, jobs] of cells) {
    const seen: { tokens: number[]; ms: number[] } = { tokens: [], ms: [] }
    for (const job of jobs.slice(0, options.pilot)) {
      if (options.signal.aborted || now() - began > options.patienceMs) break
      const settings = {
        maxTokens: config.maxTokens,
        sampling: config.sampling as Sampling,
        logs: false,
        sync: !config.async,
        signal: options.signal,
        acceptFailure: true,
      }
      const outcome = await execute(job, engine, parts, settings)
      if (outcome.kind !== 'row') continue
      seen.tokens.push(outcome.row.tokens)
      seen.ms.push(outcome.timing.ms)
    }
    if (seen.tokens.length > 0) measured.set(key, seen)
  }
  return total(cells, measured, config.engine.length * (config.concurrency ?? concurrencyFor(engine)))
}

function total(
  cells: ReadonlyMap<string, readonly Job[]>,
  measured: ReadonlyMap<string, { tokens: number[]; ms: number[] }>,
  slots: number,
): Estimate {
  const all = [...measured.values()]
  const out = [...cells].map(([key, jobs]): CellEstimate => {
    const { task, method } = jobs[0]!
    const own = measured.get(key)
    const near = [...measured].filter(([other]) => other.startsWith(`${task}\n`)).map(([, seen]) => seen)
    const from = own ? [own] : near.length > 0 ? near : all
    const tokens = mean(from.flatMap((seen) => seen.tokens))
    const ms = mean(from.flatMap((seen) => seen.ms))
    return { task, method, runs: jobs.length, tokens, ms, measured: own !== undefined }
  })
  return {
    cells: out,
    runs: out.reduce((sum, cell) => sum + cell.runs, 0),
    tokens: out.reduce((sum, cell) => sum + cell.runs * cell.tokens, 0),
    // a pilot runs alone; a full engine shares its speed, so this is the hopeful end
    ms: out.reduce((sum, cell) => sum + cell.runs * cell.ms, 0) / slots,
  }
}

export function estimateText(estimated: Estimate, slots: number): string {
  const lines = estimated.cells.map(
    (cell) =>
      `${cell.task} × ${cell.method}: ${cell.runs} runs of about ${cell.tokens.toFixed(0)} tokens and ${(cell.ms / 1000).toFixed(2)} s${cell.measured ? '' : ' (guessed)'}`,
  )
  const alone = duration(estimated.ms * slots)
  return [
    ...lines,
    `in all ${estimated.runs} runs, about ${Math.round(estimated.tokens).toLocaleString('en')} tokens, ${duration(estimated.ms)} if ${slots} at a time cost no speed, ${alone} one by one`,
  ].join('\n')
}
