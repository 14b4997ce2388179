import type { Sampling } from '../engine/engine.ts'
import type { Ledger } from '../trace/ledger.ts'
import type { Token } from '../trace/token.ts'
import type { Trace } from '../trace/trace.ts'
import type { Intervention, Phase, Prompt, Purpose, Verdict } from '../trace/words.ts'

/**
 * A monitor watches one trace: `when` says at which tokens it looks, `elicit` how it asks the model what it believes so far
 * (absent: it reads the trace itself), `extract` finds the belief Z in that text, `verify` judges it, `intervene` says what to do.
 * interwhen, early stopping and Halo are all of this shape.
 */
export interface Monitor<Z = string> {
  readonly name: string
  readonly when: Trigger
  readonly elicit?: Elicitation
  /** With a fork: its text and tokens. Without: what was written so far (at the end: the answer after the thinking). */
  extract(text: string, view: CheckView): Z | undefined
  verify(z: Z, view: CheckView): Verdict | Promise<Verdict>
  intervene(verdict: Verdict, z: Z | undefined, view: CheckView): Intervention
  /** how Z is shown in events and in the result; JSON for anything but strings by default */
  show?(z: Z): string
  /** the verifier's own time, after which the verdict is `unknown`; 10 s unless given. `ask` and `again` do not count. */
  readonly timeoutMs?: number
}

/** Any monitor, whatever it extracts. */
// biome-ignore lint/suspicious/noExplicitAny: Z is private to each monitor
export type AnyMonitor = Monitor<any>

/** What a monitor may look at. Nothing in it changes under its hands except while its trigger is being asked. */
export interface RunView {
  readonly trace: Trace
  readonly phase: Phase
  /** the model thinks in tags, so that `phase` means something; without them all of its text is the answer */
  readonly thinks: boolean
  /** the prompt that the user asked, also after a rectification */
  readonly prompt: Prompt
  readonly epoch: number
  readonly retries: number
  readonly maxRetries: number
  readonly ledger: Ledger
  readonly seed: number | undefined
}

export interface CheckView extends RunView {
  /** the check is of the final answer, after the model has ended its turn */
  readonly final: boolean
  /** where it forked */
  readonly at: number
  /** the side stream's tokens with their logprobs; empty without a fork */
  readonly forked: readonly Token[]
  /** aborted when the text it was forked from is rolled back, or at the time limit */
  readonly signal: AbortSignal
  /** The fork once more, drawn instead of greedy, on the run's bill: is that what the model believes, or only what it said? '' without a fork. */
  again(sampling?: Sampling): Promise<string>
  /** Asks a model something beside the run, on the run's bill. A Trace is continued, a Prompt begun afresh. */
  ask(what: Trace | Prompt, options: AskOptions): Promise<string>
  /** Puts a number on the record, for curves. */
  gauge(name: string, value: number): void
}

export interface AskOptions extends Sampling {
  readonly maxTokens: number
  readonly stop?: readonly string[]
  readonly purpose: Purpose
}

/** When a monitor looks. A factory of watches, because each run counts for itself. */
export interface Trigger {
  readonly name: string
  /** fires once, when the model has ended its turn; such a monitor checks the final answer */
  readonly final?: boolean
  /** what the engine has to send along for this trigger to see */
  readonly needs?: { readonly topLogprobs?: number; readonly attention?: boolean | 'heads' }
  watch(): Watch
}

/** Counts tokens for one run. `state` is plain data: it is put back when the run rolls back. */
export interface Watch {
  /** true: look now. Called for each of the model's own tokens, in order. */
  push(token: Token, view: RunView & { gauge(name: string, value: number): void }): boolean
  state: unknown
}

/** How a fork makes the model state its belief. */
export interface Elicitation {
  /** put after the trace; '' just lets it go on */
  readonly suffix: string | ((view: RunView) => string)
  /** close the thinking before the suffix when it is still open (default true) */
  readonly closeThinking?: boolean
  readonly maxTokens: number
  readonly stop?: readonly string[]
  /** sampling of the fork; greedy unless given */
  readonly sampling?: Sampling
  readonly topLogprobs?: number
  readonly purpose?: 'fork' | 'compress'
}

export interface Policy {
  /** corrections before the run gives up; the answer after the last one is still checked */
  readonly retries: number
  /** names of the monitors that the final answer must pass for `verified`; default: all with a final trigger */
  readonly verifiedBy?: readonly string[]
  /** generated tokens of every purpose */
  readonly maxTokens: number
  readonly maxForks: number
  readonly maxMs: number
  /** forks and verifications at a time */
  readonly maxConcurrentChecks: number
  /** wait for each verdict before the next token */
  readonly sync: boolean
  /** what follows the close of thinking, in the model's voice, when rein closes it: "The final expression is \\boxed" */
  readonly answerPrefix: string
  readonly sampling: Sampling
}
