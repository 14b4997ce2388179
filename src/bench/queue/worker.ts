import { type Job as BullJob, Worker } from 'bullmq'
import { messageOf, UserError } from '../../base/errors.ts'
import type { Engine, Sampling } from '../../engine/engine.ts'
import { execute } from '../execute.ts'
import type { Parts } from '../parts.ts'
import { answers } from '../pool.ts'
import { concurrencyFor } from '../run.ts'
import { connect, queueName } from './connection.ts'
import type { Finished, QueuedJob } from './coordinate.ts'

export interface WorkerOptions {
  /** engines of this machine, in place of those that the bench names */
  readonly engines?: readonly string[]
  readonly concurrency?: number
  readonly signal: AbortSignal
  /** a job whose worker has died goes to another one after this long */
  readonly lockMs?: number
  onRow?(outcome: Finished): void
  onTrouble?(message: string): void
}

/**
 * Takes runs from Redis until the signal. A worker that dies loses nothing: its locks run out and others take its jobs.
 * @example await runWorker('redis://localhost:6379', parts, { signal })
 */
export async function runWorker(url: string, parts: Parts, options: WorkerOptions): Promise<void> {
  const redis = await connect(url)
  const engines = new Map<string, Promise<Engine>>()
  const open = (spec: string): Promise<Engine> => {
    const known = engines.get(spec)
    if (known) return known
    const opened = parts.engine(spec)
    engines.set(spec, opened)
    opened.catch(() => engines.delete(spec))
    return opened
  }
  const lockMs = options.lockMs ?? 30_000
  let next = 0
  const processor = async ({ data }: BullJob<QueuedJob, Finished>): Promise<Finished> => {
    const specs = options.engines ?? data.engines
    const engine = await open(specs[next++ % specs.length]!)
    if (engine.model !== data.model)
      throw new UserError(`this worker's engine serves ${engine.model}, the bench wants ${data.model}`)
    const outcome = await attempt(data, engine, parts, options.signal)
    options.onRow?.(outcome)
    return outcome
  }
  const concurrency = options.concurrency ?? (options.engines ? concurrencyFor(await open(options.engines[0]!)) : 4)
  const worker = new Worker<QueuedJob, Finished>(queueName, processor, {
    connection: redis,
    concurrency,
    lockDuration: lockMs,
    stalledInterval: lockMs / 2,
    // a run whose workers keep dying is still to be done; the bench, not the queue, decides when to give up
    maxStalledCount: 1_000_000,
  })
  worker.on('error', (error) => options.onTrouble?.(messageOf(error)))
  worker.on('failed', (_, error) => options.onTrouble?.(messageOf(error)))
  await new Promise<void>((resolve) => {
    if (options.signal.aborted) resolve()
    else options.signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await Promise.race([worker.close(true), new Promise((resolve) => setTimeout(resolve, 2000).unref())])
  redis.disconnect()
  await Promise.allSettled([...engines.values()].map(async (engine) => (await engine).close?.()))
}

async function attempt(data: QueuedJob, engine: Engine, parts: Parts, signal: AbortSignal): Promise<Finished> {
  const { job, maxTokens, logs, sync } = data
  for (let tries = 0; ; tries++) {
    const settings = { maxTokens, sampling: data.sampling as Sampling, logs, sync, signal, acceptFailure: tries >= 2 }
    const outcome = await execute(job, engine, parts, settings)
    if (outcome.kind === 'row') return outcome
    // a stopped worker says nothing more of its job: the lock runs out and another worker takes it, no attempt is counted
    if (outcome.kind === 'aborted') return new Promise(() => {})
    if (!(await answers(engine, [500, 1500], signal)))
      throw new UserError(`the engine ${engine.name} went away (${outcome.message})`)
  }
}
