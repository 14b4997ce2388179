import type { AnyMonitor, Policy } from '../steer/monitor.ts'
import { steer } from '../steer/steer.ts'
import type { Result } from '../trace/event.ts'
import { addLedgers, emptyLedger, type Ledger } from '../trace/ledger.ts'
import type { Prompt, Purpose } from '../trace/words.ts'
import type { MethodContext, MethodResult } from './method.ts'

/** What the methods share: one steered run with the context's engine, seed and limits, its events passed on, its bill kept. */
export interface Runs {
  /** one run; `seed` is the context's own unless given */
  run(prompt: Prompt, monitors: readonly AnyMonitor[], policy?: Partial<Policy>, seed?: number): Promise<Result>
  /** A question beside the solution (critic, value, proposal): what was said after any thinking, billed under `purpose`. */
  ask(prompt: Prompt, options?: AskedOptions): Promise<string>
  /** the bill of all runs so far */
  readonly ledger: Ledger
  readonly count: number
}

export interface AskedOptions {
  readonly purpose?: Purpose
  readonly maxTokens?: number
  readonly temperature?: number
  readonly seed?: number
}

/** @example const runs = startRuns(context); const result = await runs.run(task.prompt(instance), []) */
export function startRuns(context: MethodContext): Runs {
  let ledger = emptyLedger
  let count = 0
  const go = async (
    prompt: Prompt,
    monitors: readonly AnyMonitor[],
    policy: Partial<Policy>,
    seed: number,
    bill: (of: Ledger) => Ledger,
  ): Promise<Result> => {
    const number = count++
    const sampling = { ...context.sampling, ...policy.sampling, seed }
    const run = steer(
      context.engine,
      prompt,
      [...monitors],
      { maxTokens: context.maxTokens, answerPrefix: context.task.answerPrefix, ...policy, sampling },
      { ...(context.signal && { signal: context.signal }) },
    )
    for await (const event of run) context.onEvent?.(event, number)
    const result = await run.result()
    ledger = addLedgers(ledger, bill(result.ledger))
    return result
  }
  return {
    run: (prompt, monitors, policy = {}, seed = context.seed) => go(prompt, monitors, policy, seed, (of) => of),
    async ask(prompt, { purpose = 'judge', maxTokens = context.maxTokens, temperature, seed = context.seed } = {}) {
      const sampling = temperature === undefined ? {} : { temperature }
      const result = await go(prompt, [], { maxTokens, answerPrefix: '', sampling }, seed, (of) => rebill(of, purpose))
      return result.text
    },
    get ledger() {
      return ledger
    },
    get count() {
      return count
    },
  }
}

/** A side run's own text is billed under what it was for. */
function rebill(ledger: Ledger, purpose: Purpose): Ledger {
  if (purpose === 'main') return ledger
  const moved = ledger.main
  return { ...ledger, main: 0, [purpose]: ledger[purpose] + moved }
}

/** A run that ended without an answer that may be shown gives no text to grade. */
export function outcome(
  context: MethodContext,
  result: Result,
  runs: Runs,
  figures?: MethodResult['figures'],
): MethodResult {
  const output = shown(result)
  return {
    status: result.status,
    output,
    answer: result.answer ?? (output === '' ? undefined : context.task.extract(context.instance, output, 'final')),
    ledger: runs.ledger,
    ...(figures && { figures }),
  }
}

/** Fail closed: an abstained or failed run has text, but none that is given as an answer. */
export const shown = (result: Result): string =>
  result.status === 'abstained' || result.status === 'failed' ? '' : result.text
