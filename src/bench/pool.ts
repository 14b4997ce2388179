import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { UserError } from '../base/errors.ts'
import type { Engine } from '../engine/engine.ts'
import type { Outcome } from './execute.ts'
import type { Job } from './plan.ts'

export interface PoolOptions {
  /** runs at a time on each engine */
  concurrency(engine: Engine): number
  readonly signal: AbortSignal
  /** pauses between looks at an engine that failed, in milliseconds */
  readonly patience?: readonly number[]
  execute(job: Job, engine: Engine, signal: AbortSignal, acceptFailure: boolean): Promise<Outcome>
  onRow(outcome: Extract<Outcome, { kind: 'row' }>): void
}

/**
 * Keeps every engine full: each has its own slots and takes the next job when one is free. A run stays on the engine that
 * it began on. An engine that went away gives its job back to the others; when none is left the bench stops, and what is
 * done is kept.
 */
export async function runPool(jobs: readonly Job[], engines: readonly Engine[], options: PoolOptions): Promise<void> {
  const returned: Job[] = []
  let rows = 0
  let next = 0
  const dead = new Map<Engine, string>()
  const calledOff = new AbortController()
  const signal = AbortSignal.any([options.signal, calledOff.signal])
  // every run listens to it, and there may be hundreds at a time
  setMaxListeners(0, signal)
  const take = (): Job | undefined => returned.pop() ?? jobs[next++]

  const work = async (job: Job, engine: Engine): Promise<void> => {
    for (let attempt = 0; ; attempt++) {
      const outcome = await options.execute(job, engine, signal, attempt >= 2)
      if (outcome.kind === 'row') {
        rows++
        return options.onRow(outcome)
      }
      if (outcome.kind === 'aborted') return
      if (dead.has(engine) || !(await answers(engine, options.patience ?? [500, 1500, 3000], signal))) {
        dead.set(engine, outcome.message)
        returned.push(job)
        return
      }
    }
  }
  const slot = async (engine: Engine): Promise<void> => {
    while (!signal.aborted && !dead.has(engine)) {
      const job = take()
      if (!job) return
      await work(job, engine)
    }
  }
  const slots = engines.flatMap((engine) => Array.from({ length: options.concurrency(engine) }, () => slot(engine)))
  try {
    await Promise.all(slots)
    // a job given back after the others had gone home
    while (returned.length > 0 && !signal.aborted && dead.size < engines.length)
      await Promise.all(engines.filter((engine) => !dead.has(engine)).map(slot))
  } catch (error) {
    calledOff.abort()
    await Promise.allSettled(slots)
    throw error
  }
  if (dead.size === engines.length && !options.signal.aborted) throw new UserError(gone(dead, rows))
}

function gone(dead: ReadonlyMap<Engine, string>, rows: number): string {
  const [engine, message] = [...dead][0]!
  if (rows === 0) return `the engine ${engine.name} does not serve: ${message}`
  const which = dead.size === 1 ? `the engine ${engine.name}` : `all ${dead.size} engines`
  return `${which} went away (${message.replace(/\.$/, '')}): all finished runs are kept; bring it back and start the same command again to go on`
}

/** Is the engine there at all? One token says so; told apart from a prompt that it cannot serve. */
export async function answers(engine: Engine, pauses: readonly number[], signal: AbortSignal): Promise<boolean> {
  for (const pause of pauses) {
    try {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(10_000)])
      const trace = await engine.begin('Hi', limit)
      for await (const _ of engine.stream(trace, { maxTokens: 1, purpose: 'main', signal: limit })) break
      if (!limit.aborted) return true
    } catch {}
    if (signal.aborted) return false
    await sleep(pause, undefined, { signal }).catch(() => {})
  }
  return false
}
