import type { CheckView, RunView } from '../steer/monitor.ts'
import type { Task } from '../tasks/task.ts'
import type { Verdict } from '../trace/words.ts'
import { statedBy, statedNow } from './stated.ts'

/** The model's words since rein last spoke. */
export function sinceFeedback({ trace }: Pick<RunView, 'trace'>): string {
  const last = trace.segments.findLast((s) => s.origin !== 'model')
  return trace.slice(last?.textEnd ?? 0)
}

/** The model's thinking since it was last corrected, words that rein put in its mouth to end it included. */
export function sinceCorrected({ trace }: Pick<RunView, 'trace'>): string {
  const last = trace.segments.findLast((s) => s.origin === 'feedback' || s.origin === 'prompt')
  return trace.slice(last?.textEnd ?? 0)
}

/** The verifier's word on thinking that is itself written in the fork's format; undefined where it is not. */
export function readVerdict<I>(task: Task<I>, instance: I, text: string): Verdict | undefined {
  // a verifier in a process of its own is not asked at every line
  const state = task.verifyAsync ? undefined : task.extract(instance, text, 'partial')
  return state === undefined ? undefined : task.verify(instance, state, 'partial')
}

export const isWhole = (verdict: Verdict | undefined): boolean => verdict?.kind === 'pass' && verdict.complete

/**
 * Reads, where it stands, an answer that the newest line states, or a state that is right and whole once an answer was stated.
 * A fork costs tokens; reading costs none.
 */
export function answerReader<I>(task: Task<I>, instance: I): (text: string, view: CheckView) => string | undefined {
  const stated = statedBy(task as Task, instance)
  const now = statedNow(stated)
  return (text, view) => {
    const answer = now(text)
    // only what the task itself reads as a partial answer is one
    if (answer !== undefined) return task.extract(instance, answer, 'partial')
    const said = sinceFeedback(view)
    // a state that checks out is not yet an answer (a path is not its number of turns): one must have been stated, too
    if (stated(said).length === 0) return undefined
    return isWhole(readVerdict(task, instance, said)) ? task.extract(instance, said, 'partial') : undefined
  }
}
