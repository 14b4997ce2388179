/** The words of the domain as types: what a run can say, and nothing that it must not say. */

/** Who put a stretch of the trace there. `forced` is text in the model's voice that rein wrote (a conclusion, an anchor state). */
export type Origin = 'prompt' | 'model' | 'feedback' | 'forced'

/** What a generated token was for. `discarded` is main text that a roll-back threw away. */
export type Purpose = 'main' | 'fork' | 'compress' | 'judge'

export type Phase = 'think' | 'answer'

export interface Property {
  readonly name: string
  readonly verdict: 'pass' | 'fail' | 'unknown'
  readonly feedback?: string
}

/**
 * What a verifier says. `complete`: the thing checked is a whole answer, not a part of one.
 * `feedback` tells what is wrong and never the right answer. `unknown` is honest: could not parse, timed out, out of scope.
 */
export type Verdict =
  | { readonly kind: 'pass'; readonly complete: boolean; readonly properties?: readonly Property[] }
  | { readonly kind: 'fail'; readonly feedback: string; readonly properties?: readonly Property[] }
  | { readonly kind: 'unknown'; readonly reason: string; readonly properties?: readonly Property[] }

/**
 * What a monitor wants done.
 * - rollback: drop everything after the fork point and go on from there with feedback, in the model's voice or as a user turn.
 *   `to: 'thinking'` goes back further, to the last word of the thinking, so that a refuted answer is thought over again.
 * - conclude: drop everything after the fork point, say `text` in the model's voice, close the thinking, let it answer.
 * - rectify: forget the trace and start from a new prompt (question and compressed state), with `text` already said by the model.
 */
export type Intervention =
  | { readonly kind: 'continue' }
  | { readonly kind: 'rollback'; readonly feedback: string; readonly voice: 'model' | 'user'; readonly to?: 'thinking' }
  | { readonly kind: 'conclude'; readonly text: string }
  | { readonly kind: 'rectify'; readonly prompt: Prompt; readonly text: string; readonly state: string }
  | { readonly kind: 'abstain'; readonly reason: string }

export interface Message {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** What the model is asked. A string is one user message. `raw` text is sent as it stands, with no chat template. */
export type Prompt = string | { readonly messages: readonly Message[] } | { readonly raw: string }

export type Status = 'verified' | 'unverified' | 'abstained' | 'truncated' | 'failed'
