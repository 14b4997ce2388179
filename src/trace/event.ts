import type { Ledger } from './ledger.ts'
import type { Finish, Token } from './token.ts'
import type { Turn } from './trace.ts'
import type { Intervention, Origin, Phase, Prompt, Purpose, Status, Verdict } from './words.ts'

/**
 * Everything that happens in a run, in order. The live run, the log, the replay, and the terminal all read this
 * one union. Positions (`at`, `to`) count the tokens of the current trace; `epoch` counts its fresh starts (rectifications).
 */
export type Event =
  | {
      readonly type: 'start'
      readonly run: string
      readonly engine: string
      readonly model: string
      readonly prompt: Prompt
      readonly seed: number | undefined
      readonly monitors: readonly string[]
      /** names of the monitors that the final answer must pass for `verified` */
      readonly verifiedBy: readonly string[]
      readonly policy: Readonly<Record<string, unknown>>
    }
  /** tokens that rein put into the trace: the rendered prompt, feedback, forced text */
  | {
      readonly type: 'inject'
      readonly origin: Origin
      readonly at: number
      readonly tokens: readonly Token[]
      readonly turn?: Turn
    }
  | { readonly type: 'token'; readonly at: number; readonly token: Token }
  /** from token `at` on the model thinks or answers; `offset` is where that text begins, `from` where its opening or closing tag does */
  | {
      readonly type: 'phase'
      readonly at: number
      readonly offset: number
      readonly from: number
      readonly phase: Phase
    }
  | { readonly type: 'request'; readonly purpose: Purpose; readonly id: string; readonly prompt: number }
  /** a server's word on how much of the prompt it had cached */
  | { readonly type: 'usage'; readonly id: string; readonly prompt: number; readonly cached: number }
  /** a monitor's trigger fired at `at`; with `suffix` it forked, without it read the trace itself */
  | {
      readonly type: 'check'
      readonly check: number
      readonly monitor: string
      readonly at: number
      readonly epoch: number
      readonly phase: Phase
      readonly final: boolean
      readonly suffix?: string
    }
  /** a side stream ended: what it said, what it cost */
  | {
      readonly type: 'forked'
      readonly check: number
      readonly text: string
      readonly tokens: number
      readonly purpose: Purpose
      readonly end: Finish | 'cancelled' | 'error'
    }
  /** tokens that a verifier spent on a model of its own */
  | { readonly type: 'asked'; readonly check: number; readonly purpose: Purpose; readonly tokens: number }
  | {
      readonly type: 'verdict'
      readonly check: number
      readonly monitor: string
      readonly answer: string | undefined
      readonly verdict: Verdict
      readonly ms: number
    }
  | { readonly type: 'cancelled'; readonly check: number; readonly reason: string }
  /** a number worth drawing: drift Ω, entropy, confidence */
  | {
      readonly type: 'gauge'
      readonly monitor: string
      readonly at: number
      readonly name: string
      readonly value: number
    }
  /** a monitor got its way: the trace is now `to` tokens long (0 for a fresh start), and what follows is injected after it */
  | {
      readonly type: 'intervention'
      readonly check: number
      readonly monitor: string
      readonly intervention: Exclude<Intervention, { kind: 'continue' }>
      readonly to: number
      readonly retry: number
    }
  | {
      readonly type: 'error'
      readonly where: 'engine' | 'verifier' | 'extractor' | 'monitor' | 'budget' | 'abort'
      readonly message: string
    }
  | { readonly type: 'end'; readonly status: Status; readonly reason: string; readonly ms: number }

/** A check whose verdict stands: what `verified` rests on. */
export interface Passed {
  readonly monitor: string
  readonly verdict: Extract<Verdict, { kind: 'pass' }>
}

interface Outcome {
  readonly run: string
  readonly reason: string
  /** thinking and answer as the model left them; roll-backs are not in it */
  readonly thinking: string
  /** everything after the thinking */
  readonly text: string
  /** what the final check's extractor found */
  readonly answer: string | undefined
  readonly ledger: Ledger
  readonly tokens: number
  readonly retries: number
  readonly rectifications: number
  readonly ms: number
}

/** `verified` cannot be said without the passed verdicts it rests on. */
export type Result =
  | (Outcome & { readonly status: 'verified'; readonly proof: readonly [Passed, ...Passed[]] })
  | (Outcome & { readonly status: Exclude<Status, 'verified'> })
