import { messageOf } from '../base/errors.ts'
import type { Engine, Sampling } from '../engine/engine.ts'
import { EngineError } from '../engine/errors.ts'
import type { MethodResult } from '../methods/method.ts'
import { gradeOf } from '../tasks/grade-of.ts'
import type { Task } from '../tasks/task.ts'
import type { Event } from '../trace/event.ts'
import { emptyLedger, totalTokens } from '../trace/ledger.ts'
import { encodeEvent, LOG_VERSION } from '../trace/log.ts'
import { finalChecks } from './final-checks.ts'
import type { Parts } from './parts.ts'
import type { Job } from './plan.ts'
import type { Row, Timing } from './row.ts'
import { noChecks } from './stats/verifier.ts'

/** What came of a job: a row, or no row because the engine failed under it (the pool decides what then) or it was called off. */
export type Outcome =
  | { readonly kind: 'row'; readonly row: Row; readonly timing: Timing; readonly logs: readonly string[] }
  | { readonly kind: 'engine'; readonly message: string }
  | { readonly kind: 'aborted' }

export interface ExecuteOptions {
  readonly maxTokens: number
  readonly sampling: Sampling
  readonly logs: boolean
  /** wait for every verdict, so that the row is the same on any machine */
  readonly sync: boolean
  readonly signal: AbortSignal
  /** after retries: an engine error is this instance's own (too long a prompt), so it becomes a row that says `failed` */
  readonly acceptFailure?: boolean
  now?(): number
}

/** Runs one job on one engine; all its streams, forks included, go to that engine, which keeps its prefix cache warm. */
export async function execute(job: Job, engine: Engine, parts: Parts, options: ExecuteOptions): Promise<Outcome> {
  const now = options.now ?? (() => performance.now())
  const task = parts.task(job.task)
  const { method, parameters } = parts.method(job.method)
  const checks = finalChecks((text) => task.grade(job.data, text))
  const logs: string[][] = []
  let verifyMs = 0
  let trouble: string | undefined
  const onEvent = (event: Event, run: number): void => {
    if (options.logs) (logs[run] ??= []).push(encodeEvent(event))
    if (event.type === 'verdict') verifyMs += event.ms
    if (event.type === 'error' && event.where === 'engine') trouble = event.message
    checks.see(event, run)
  }
  const began = now()
  let result: MethodResult
  try {
    const context = { engine, task, instance: job.data, seed: job.seed, parameters, sampling: options.sampling }
    result = await method.run({
      ...context,
      maxTokens: options.maxTokens,
      sync: options.sync,
      signal: options.signal,
      onEvent,
    })
  } catch (error) {
    if (options.signal.aborted) return { kind: 'aborted' }
    trouble = messageOf(error)
    if (error instanceof EngineError && !options.acceptFailure) return { kind: 'engine', message: trouble }
    result = { status: 'failed', output: '', answer: undefined, ledger: emptyLedger }
  }
  if (options.signal.aborted) return { kind: 'aborted' }
  if (result.status === 'failed' && trouble !== undefined && checks.engineFailed && !options.acceptFailure)
    return { kind: 'engine', message: trouble }
  const row = rowOf(job, result, await correctness(task, job, result, options.signal), trouble, checks.total())
  const { task: name, method: spec, instance, seed } = row
  const ms = Math.round(now() - began)
  const timing = { task: name, method: spec, instance, seed, ms, verifyMs: Math.round(verifyMs), engine: engine.name }
  return { kind: 'row', row, timing, logs: logs.filter(Boolean).map(logText) }
}

/** An abstention or a failure gives no answer, so it is never right; what cannot be decided is neither. */
async function correctness(task: Task, job: Job, result: MethodResult, signal: AbortSignal): Promise<boolean | null> {
  if (result.status === 'failed' || result.status === 'abstained') return false
  return (await gradeOf(task, job.data, result.output, signal)) ?? null
}

function rowOf(
  job: Job,
  result: MethodResult,
  correct: boolean | null,
  trouble: string | undefined,
  checks: Row['checks'],
): Row {
  const { main, discarded, fork, compress, judge } = result.ledger
  return {
    task: job.task,
    method: job.method,
    instance: job.instance,
    seed: job.seed,
    status: result.status,
    correct,
    tokens: totalTokens(result.ledger),
    tokensBy: { main, discarded, fork, compress, judge },
    answer: result.answer ?? null,
    ...(job.difficulty !== undefined && { difficulty: job.difficulty }),
    ...(checks && checks !== noChecks && { checks }),
    ...(result.figures && { figures: result.figures }),
    ...(result.status === 'failed' && trouble !== undefined && { error: trouble }),
  }
}

function logText(lines: readonly string[]): string {
  return `${JSON.stringify({ rein: 'log', version: LOG_VERSION })}\n${lines.join('\n')}\n`
}
