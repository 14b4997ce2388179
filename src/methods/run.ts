import type { AnyMonitor, Policy } from '../steer/monitor.ts'
import { steer } from '../steer/steer.ts'
import type { Event, Result } from '../trace/event.ts'
import { addLedgers, emptyLedger, type Ledger } from '../trace/ledger.ts'
import type { Prompt, Purpose } from '../trace/words.ts'
import type { MethodContext, MethodResult } from './method.ts'

/** What the methods share: steered runs with the context's engine, seed and limits, their events passed on, their bill kept. */
export interface Runs {
  run(prompt: Prompt, monitors: readonly AnyMonitor[], options?: RunOptions): Promise<Result>
  /** A question beside the solution (critic, value, proposal): what was said after any thinking, billed under `purpose`. */
  ask(prompt: Prompt, options?: AskedOptions): Promise<string>
  /** the bill of all runs so far */
  readonly ledger: Ledger
  readonly count: number
}

export interface RunOptions {
  readonly policy?: Partial<Policy>
  /** the context's own unless given */
  readonly seed?: number
  onEvent?(event: Event): void
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
    { policy = {}, seed = context.seed, onEvent }: RunOptions,
    bill: (of: Ledger) => Ledger,
  ): Promise<Result> => {
    const number = count++
    const result = await steer(
      context.engine,
      prompt,
      monitors,
      {
        maxTokens: context.maxTokens,
        answerPrefix: context.task.answerPrefix,
        ...policy,
        ...(context.sync && { sync: true }),
        sampling: { ...context.sampling, ...policy.sampling, seed },
      },
      {
        ...(context.signal && { signal: context.signal }),
        onEvent(event) {
          onEvent?.(event)
          context.onEvent?.(event, number)
        },
      },
    ).result()
    ledger = addLedgers(ledger, bill(result.ledger))
    return result
  }
  return {
    run: (prompt, monitors, options = {}) => go(prompt, monitors, options, (of) => of),
    async ask(prompt, { purpose = 'judge', maxTokens = context.maxTokens, temperature, seed = context.seed } = {}) {
      const sampling = temperature === undefined ? {} : { temperature }
      const policy = { maxTokens: Math.min(maxTokens, context.maxTokens), answerPrefix: '', sampling }
      const result = await go(prompt, [], { policy, seed }, (of) => rebill(of, purpose))
      return result.text === '' ? result.thinking : result.text
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
  return purpose === 'main' ? ledger : { ...ledger, main: 0, [purpose]: ledger[purpose] + ledger.main }
}

/** Fail closed: an abstained or failed run has text, but none that is given as an answer. */
export const shown = (result: Result): string =>
  result.status === 'abstained' || result.status === 'failed' ? '' : result.text

/** What a result states in the task's own terms. */
export function answerOf({ task, instance }: MethodContext, result: Result): string | undefined {
  const output = shown(result)
  if (output === '') return undefined
  return result.answer ?? task.extract(instance, output, 'final')
}

/** A method's result out of the run that it chose. */
export function outcome(
  context: MethodContext,
  result: Result,
  runs: Runs,
  figures?: MethodResult['figures'],
): MethodResult {
  return {
    status: result.status,
    output: shown(result),
    answer: answerOf(context, result),
    ledger: runs.ledger,
    ...(figures && { figures }),
  }
}
