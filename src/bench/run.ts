import { InputError, UserError } from '../base/errors.ts'
import type { Engine, Sampling } from '../engine/engine.ts'
import { recalling } from '../engine/recall.ts'
import type { BenchConfig } from './config.ts'
import { execute } from './execute.ts'
import type { Write } from './journal.ts'
import type { Parts } from './parts.ts'
import { type Job, makePlan, type Plan } from './plan.ts'
import { runPool } from './pool.ts'
import { type Row, rowKey } from './row.ts'
import { openStore, type Store } from './store.ts'

export interface BenchOptions {
  readonly signal?: AbortSignal
  onPlan?(plan: Plan, done: readonly Row[]): void
  onRow?(row: Row): void
  /** something that the user should know while the bench goes on */
  onNote?(text: string): void
  /** tests: a disk that fails, an engine that is given up sooner, a fixed date */
  readonly write?: Write
  readonly patience?: readonly number[]
  readonly date?: string
}

export interface BenchResult {
  readonly dir: string
  readonly total: number
  readonly done: number
  /** how many of them this call made */
  readonly made: number
  readonly skipped: readonly string[]
}

/**
 * Makes every run of the config that its output folder does not hold yet. Killed at any point and called again, it goes on:
 * no row is made twice and none is lost, and the finished results.jsonl is that of an undisturbed run.
 * @example await runBench(parseConfig({ tasks: ['game24'], methods: ['cot'], out: 'out' }), parts)
 */
export async function runBench(config: BenchConfig, parts: Parts, options: BenchOptions = {}): Promise<BenchResult> {
  // what is misspelt is said before an engine is opened
  for (const name of config.tasks) parts.task(name)
  for (const spec of [...config.methods, ...config.sweep]) parts.method(spec)
  const engines = await openEngines(config, parts)
  try {
    const plan = await makePlan(config, parts, engines[0]!)
    const store = openStore(config.out, manifestOf(config, plan, engines[0]!, options.date), options.write)
    try {
      return await work(config, parts, engines, plan, store, options)
    } finally {
      store.close()
    }
  } finally {
    await Promise.allSettled(engines.map((engine) => engine.close?.()))
  }
}

async function work(
  config: BenchConfig,
  parts: Parts,
  engines: readonly Engine[],
  plan: Plan,
  store: Store,
  options: BenchOptions,
): Promise<BenchResult> {
  const signal = options.signal ?? new AbortController().signal
  const keys = plan.jobs.map(rowKey)
  const left = plan.order.filter((i) => !store.has(keys[i]!)).map((i) => plan.jobs[i]!)
  const before = plan.jobs.length - left.length
  options.onPlan?.(plan, store.rows)
  let made = 0
  const onRow = (outcome: Finished): void => {
    if (!store.add(outcome.row, config.recall ? undefined : outcome.timing, outcome.logs)) return
    made++
    options.onRow?.(outcome.row)
  }
  if (left.length > 0) {
    if (config.queue === undefined) await locally(config, parts, engines, left, signal, onRow, options)
    else {
      const { runQueued } = await import('./queue/coordinate.ts')
      const url = config.queue.replace(/\/\/[^@/]*@/, '//')
      await runQueued(left, config, {
        run: plan.fingerprint,
        model: engines[0]!.model,
        signal,
        onRow,
        onIdle: () => options.onNote?.(`no worker takes the runs yet: start one with "rein worker ${url}"`),
      })
    }
  }
  if (before + made === plan.jobs.length) store.finish(keys)
  return { dir: config.out, total: plan.jobs.length, done: before + made, made, skipped: plan.skipped }
}

type Finished = Extract<Awaited<ReturnType<typeof execute>>, { kind: 'row' }>

function locally(
  config: BenchConfig,
  parts: Parts,
  engines: readonly Engine[],
  jobs: readonly Job[],
  signal: AbortSignal,
  onRow: (outcome: Finished) => void,
  options: BenchOptions,
): Promise<void> {
  const { maxTokens, sampling, logs } = config
  return runPool(jobs, engines, {
    concurrency: (engine) => config.concurrency ?? concurrencyFor(engine, config.recall),
    signal,
    ...(options.patience && { patience: options.patience }),
    execute: (job, engine, jobSignal, acceptFailure) =>
      execute(job, engine, parts, {
        maxTokens,
        sampling: sampling as Sampling,
        logs: logs === 'all',
        sync: !config.async,
        signal: jobSignal,
        acceptFailure,
      }),
    onRow,
  })
}

/** Enough to keep it full: a server batches, an engine with one stream at a time does not. */
export function concurrencyFor(engine: Engine, recall = false): number {
  if (engine.can.fork === 'serial') return 1
  // runs that read what another one generates keep the model no busier
  if (recall) return 32
  return isNano(engine) ? 8 : 16
}

const isNano = ({ can, name }: Engine): boolean => can.fork === 'shared' && name.startsWith('nano')

/** All of them, and all of one model: rows of different models must not be mixed in one table. */
async function openEngines(config: BenchConfig, parts: Parts): Promise<Engine[]> {
  const opened = await Promise.allSettled(config.engine.map((spec) => parts.engine(spec)))
  const engines = opened.flatMap((o) => (o.status === 'fulfilled' ? [o.value] : []))
  const failed = opened.find((o) => o.status === 'rejected')
  const close = (): Promise<unknown> => Promise.allSettled(engines.map((engine) => engine.close?.()))
  if (failed) {
    await close()
    throw failed.reason
  }
  const other = engines.find((engine) => engine.model !== engines[0]!.model)
  if (other) {
    await close()
    throw new UserError(
      `the engines serve different models (${engines[0]!.model} and ${other.model}): bench each into its own --out`,
    )
  }
  if (!config.recall) return engines
  const server = engines.find((engine) => !isNano(engine))
  if (server) {
    await close()
    throw new InputError(`recall is for nano: a seed repeats nothing exactly on ${server.name}`)
  }
  return engines.map((engine) => recalling(engine))
}

function manifestOf(config: BenchConfig, plan: Plan, engine: Engine, date = new Date().toISOString()) {
  const { fingerprint, methods } = plan
  return { rein: 'bench', version: 1, fingerprint, model: engine.model, created: date, methods, config } as const
}
