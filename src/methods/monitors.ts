import type { AnyMonitor, CheckView, Monitor, Trigger } from '../steer/monitor.ts'
import { everyLines, everyParagraphs, finalAnswer, when } from '../steer/trigger.ts'
import { unknown } from '../steer/verdict.ts'
import type { Kind, Task } from '../tasks/task.ts'
import { totalTokens } from '../trace/ledger.ts'
import type { Intervention, Verdict } from '../trace/words.ts'
import { readOptions } from '../verify/choice.ts'
import { promptText } from './prompt.ts'
import { isWhole, readVerdict, sinceCorrected } from './reading.ts'

/** Monitors out of any task: the three functions of interwhen (extract, verify, intervene) are the task's own. */

export interface ThinkingOptions {
  readonly k?: number
  readonly by?: 'lines' | 'paragraphs'
  readonly warmup?: number
  /** instead of k, by and warmup */
  readonly when?: Trigger
  /** how often a refuted fork is made again: only what the model says each time is its belief, and corrected */
  readonly confirm?: number
  readonly name?: string
}

/**
 * Every k lines (or paragraphs) a fork elicits what the model believes so far; what the verifier refutes is fed back at the
 * fork point, what it proves whole and right ends the thinking, and `unknown` changes nothing.
 * @example steer(engine, task.prompt(i), [verifyThinking(task, i, { k: 10 }), verifyFinal(task, i)])
 */
export function verifyThinking<I>(
  task: Task<I>,
  instance: I,
  { k = 10, by = 'lines', warmup = 0, when, confirm = 0, name = 'thinking' }: ThinkingOptions = {},
): Monitor {
  return {
    name,
    when: when ?? (by === 'lines' ? everyLines(k, { warmup }) : everyParagraphs(k, { warmup })),
    elicit: task.elicit(instance),
    extract: (text) => task.extract(instance, text, 'partial'),
    async verify(answer, view) {
      const verdict = await verdictOf(task, instance, answer, 'partial', view)
      for (let i = 0; i < confirm && verdict.kind === 'fail'; i++) {
        const other = task.extract(instance, await view.again(), 'partial')
        const second = other === undefined ? undefined : await verdictOf(task, instance, other, 'partial', view)
        if (second?.kind !== 'fail' || second.feedback !== verdict.feedback)
          return { kind: 'unknown', reason: 'asked again, the model said something else' }
      }
      return verdict
    },
    intervene: (verdict, answer, view) => steerBy(task, instance, verdict, answer, view),
  }
}

export const retryWays = ['answer', 'thinking', 'escalate'] as const
export type Retry = (typeof retryWays)[number]

export interface FinalOptions {
  /**
   * What becomes of a refuted answer: it is answered again at once, or taken back and thought over. `escalate` first does the
   * cheap thing: once, or where the question lists options as often as there are others to choose. Thinking that itself
   * reads as right and whole is never thought over: it is only the answer that does not follow from it.
   */
  readonly retry?: Retry
  /** second thoughts after which the run abstains from an answer that needs another */
  readonly thoughts?: number
  readonly name?: string
}

/** The final answer has to pass: `verified` rests on this monitor. */
export function verifyFinal<I>(
  task: Task<I>,
  instance: I,
  { retry = 'answer', thoughts = Number.POSITIVE_INFINITY, name = 'final' }: FinalOptions = {},
): Monitor {
  const others = readOptions(promptText(task.prompt(instance))).length - 1
  // what was wrong with the answers since the thinking ended: a second thought should know of all of them
  let notes: string[] = []
  let thought = 0
  let thinkingHolds = false
  const cheaply = (): boolean => {
    if (retry !== 'escalate') return retry === 'answer'
    return thinkingHolds || (others > 0 ? notes.length <= others : notes.length === 1 && thought === 0)
  }
  return {
    name,
    when: finalAnswer(),
    extract: (text) => task.extract(instance, text, 'final'),
    verify: (answer, view) => verdictOf(task, instance, answer, 'final', view),
    intervene(verdict, answer, view) {
      if (verdict.kind !== 'fail' || answer === undefined) return { kind: 'continue' }
      // only the first answer after a thought has all of it before it, and no note
      if (notes.length === 0) thinkingHolds = isWhole(readVerdict(task, instance, sinceCorrected(view)))
      notes.push(task.feedback(instance, answer, verdict, 'think'))
      // A turn of the user's needs the answer that it is about; only a thought can replace it.
      if (task.voice === 'user' || cheaply())
        return { kind: 'rollback', feedback: task.feedback(instance, answer, verdict, 'answer'), voice: task.voice }
      if (++thought > thoughts) return { kind: 'abstain', reason: `refuted after ${thoughts} second thoughts` }
      const feedback = [...new Set(notes)].join('\n')
      notes = []
      return { kind: 'rollback', feedback, voice: task.voice, to: 'thinking' }
    },
  }
}

/**
 * Gives a run up that was corrected and still has no answer after `longest` times the tokens that it had taken at its first
 * correction: what a correction mends it mends soon, and a model that finds nothing may go on for ever.
 */
export function patience(longest: number): Monitor {
  interface State {
    /** tokens at the first correction; 0: there was none */
    readonly first: number
    readonly fired: boolean
  }
  const reason = `corrected, and no answer after ${longest} times the tokens until then`
  return {
    name: 'patience',
    when: when('a corrected run is too long', { first: 0, fired: false } as State, (state, _token, view) => {
      const spent = totalTokens(view.ledger)
      const first = state.first || (view.retries > 0 ? spent : 0)
      const fire = !state.fired && first > 0 && view.phase === 'think' && spent > longest * first
      return [{ first, fired: state.fired || fire }, fire]
    }),
    extract: () => 'no answer yet',
    verify: () => unknown(reason),
    intervene: () => ({ kind: 'abstain', reason }),
  }
}

/**
 * Reads an answer that the model states of its own accord, without a fork, and ends the thinking when it is whole and right.
 * A wrong one is left alone: a try is not a belief.
 */
export function concludeWhenRight<I>(
  task: Task<I>,
  instance: I,
  stated: (text: string, view: CheckView) => string | undefined,
  kind: Kind = 'partial',
): Monitor {
  return {
    name: 'stated',
    when: everyLines(1),
    extract: stated,
    verify: (answer, view) => verdictOf(task, instance, answer, kind, view),
    intervene: (verdict, answer, view) =>
      verdict.kind === 'pass' ? steerBy(task, instance, verdict, answer, view) : { kind: 'continue' },
  }
}

export function verdictOf<I>(
  task: Task<I>,
  instance: I,
  answer: string,
  kind: Kind,
  view: CheckView,
): Verdict | Promise<Verdict> {
  return task.verifyAsync ? task.verifyAsync(instance, answer, kind, view.signal) : task.verify(instance, answer, kind)
}

/** interwhen, Algorithm 1, lines 12 to 28: what a verdict on a partial answer leads to. */
export function steerBy<I>(
  task: Task<I>,
  instance: I,
  verdict: Verdict,
  answer: string | undefined,
  view: CheckView,
): Intervention {
  if (answer === undefined || verdict.kind === 'unknown') return { kind: 'continue' }
  if (verdict.kind === 'fail')
    return { kind: 'rollback', feedback: task.feedback(instance, answer, verdict, 'think'), voice: task.voice }
  if (!verdict.complete || !task.conclusion || concluded(view)) return { kind: 'continue' }
  return { kind: 'conclude', text: task.conclusion(instance, answer) }
}

/**
 * Was this trace concluded before? Then it is not concluded again: a model without think tags goes on being watched after a
 * conclusion, and an answer that was refuted after one needs the thinking that the conclusion cut off.
 */
export function concluded(view: CheckView): boolean {
  return view.trace.segments.some((s) => s.origin === 'forced' && s.start > view.trace.promptLength)
}

/** Early stopping, once in a trace. */
export function once<M extends AnyMonitor>(monitor: M): M {
  return {
    ...monitor,
    intervene: (verdict: Verdict, z: unknown, view: CheckView) => {
      const wanted = monitor.intervene(verdict, z, view)
      return wanted.kind === 'conclude' && concluded(view) ? { kind: 'continue' } : wanted
    },
  }
}
