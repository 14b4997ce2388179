import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { UserError } from '../../base/errors.ts'
import type { BenchConfig } from '../config.ts'
import type { Outcome } from '../execute.ts'
import type { Job } from '../plan.ts'
import { rowKey } from '../row.ts'
import { connect, queueName } from './connection.ts'

/** What travels to a worker. */
export interface QueuedJob {
  readonly job: Job
  readonly engines: readonly string[]
  readonly model: string
  readonly maxTokens: number
  readonly sampling: BenchConfig['sampling']
  readonly logs: boolean
  readonly sync: boolean
}

export type Finished = Extract<Outcome, { kind: 'row' }>

export interface QueuedOptions {
  /** names the run, so that several can share one Redis */
  readonly run: string
  readonly model: string
  readonly signal: AbortSignal
  onRow(outcome: Finished): void
  /** nobody takes the jobs: said once, after some seconds */
  onIdle?(): void
  /** how often Redis is looked at, in milliseconds */
  readonly everyMs?: number
}

/** Jobs in Redis at a time: enough for many workers, little enough for its memory. */
const window = 2000

/** Longer than a worker takes to start. */
const IDLE_MS = 3000

/**
 * Hands the jobs to whatever workers there are and stores what comes back. It polls rather than listens: an event that was
 * sent while Redis was away is lost, a finished job's result is not. A job leaves Redis only after its row is stored, so
 * that this process may die and be started again; a job that Redis forgot (it came back empty) is handed in anew.
 */
export async function runQueued(jobs: readonly Job[], config: BenchConfig, options: QueuedOptions): Promise<void> {
  const redis = await connect(config.queue!)
  const queue = new Queue<QueuedJob, Finished>(queueName, { connection: redis })
  queue.on('error', () => {})
  const waiting = new Map(jobs.map((job) => [jobId(options.run, job), job]))
  const handed = new Set<string>()
  const idleFrom = Date.now() + IDLE_MS
  let idle = false
  try {
    await forgetFailures(queue, options.run)
    while (waiting.size > 0 && !options.signal.aborted) {
      await hand(queue, waiting, handed, config, options)
      const moved = await collect(queue, waiting, handed, options)
      if (moved) continue
      await notice(queue, redis, handed)
      if (!idle && Date.now() > idleFrom && waiting.size === jobs.length && (await queue.getWorkersCount()) === 0) {
        idle = true
        options.onIdle?.()
      }
      await sleep(options.everyMs ?? 250, undefined, { signal: options.signal }).catch(() => {})
    }
    if (options.signal.aborted) await Promise.all([...handed].map((id) => queue.remove(id).catch(() => 0)))
  } finally {
    await queue.close().catch(() => {})
    redis.disconnect()
  }
}

const jobId = (run: string, job: Job): string =>
  `${run}-${createHash('sha1').update(rowKey(job)).digest('hex').slice(0, 20)}`

async function hand(
  queue: Queue<QueuedJob, Finished>,
  waiting: ReadonlyMap<string, Job>,
  handed: Set<string>,
  config: BenchConfig,
  { model }: QueuedOptions,
): Promise<void> {
  if (handed.size >= Math.min(window, waiting.size)) return
  const { engine: engines, maxTokens, sampling } = config
  const fresh: Parameters<typeof queue.addBulk>[0] = []
  for (const [id, job] of waiting) {
    if (handed.size >= window) break
    if (handed.has(id)) continue
    handed.add(id)
    fresh.push({
      name: 'run',
      data: { job, engines, model, maxTokens, sampling, logs: config.logs === 'all', sync: !config.async },
      // the same id is taken once, so a job of an earlier start of this bench that is still there is not doubled
      opts: { jobId: id, attempts: 5, backoff: { type: 'exponential', delay: 1000 } },
    })
  }
  if (fresh.length > 0) await queue.addBulk(fresh)
}

/** Looks at every job that is out; true when something moved. */
async function collect(
  queue: Queue<QueuedJob, Finished>,
  waiting: Map<string, Job>,
  handed: Set<string>,
  options: QueuedOptions,
): Promise<boolean> {
  let moved = false
  for (const done of await queue.getCompleted(0, 499)) {
    const id = done.id!
    if (!id.startsWith(`${options.run}-`)) continue
    if (waiting.delete(id)) options.onRow(done.returnvalue)
    handed.delete(id)
    await done.remove().catch(() => {})
    moved = true
  }
  for (const failed of await queue.getFailed(0, 9))
    if (failed.id!.startsWith(`${options.run}-`))
      throw new UserError(
        `${failed.failedReason}: all finished runs are kept; mend it and start the same command again to go on`,
      )
  return moved
}

/** A job that we handed in and that Redis does not know any more is to be handed in again. */
async function notice(queue: Queue<QueuedJob, Finished>, redis: Redis, handed: Set<string>): Promise<void> {
  const ids = [...handed]
  for (let i = 0; i < ids.length; i += 500) {
    const some = ids.slice(i, i + 500)
    const there = await Promise.all(some.map((id) => redis.exists(queue.toKey(id))))
    for (const [j, id] of some.entries()) if (there[j] === 0) handed.delete(id)
  }
}

/** Jobs that an earlier start gave up on get a new chance. */
async function forgetFailures(queue: Queue<QueuedJob, Finished>, run: string): Promise<void> {
  for (const failed of await queue.getFailed())
    if (failed.id!.startsWith(`${run}-`)) await failed.remove().catch(() => {})
}
