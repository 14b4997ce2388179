import type { Token } from '../trace/token.ts'
import type { Trace } from '../trace/trace.ts'
import type { Prompt, Purpose } from '../trace/words.ts'

/**
 * Where tokens come from. This file knows no server and no model: an engine is any object of this shape,
 * made by a factory (`vllm(url)`, `llamacpp(url)`, `nano()`).
 */
export interface Engine {
  readonly name: string
  /** the model's own name, as a calibration or a log should cite it */
  readonly model: string
  readonly can: Abilities
  readonly markers: Markers
  /** Renders a prompt with the model's chat template into the first segment of a trace, ready for the assistant's first token. */
  begin(prompt: Prompt, signal?: AbortSignal): Promise<Trace>
  /** Text that rein puts into a trace, as tokens: real ids where the engine takes ids, else one token without an id. */
  encode(text: string, signal?: AbortSignal): Promise<readonly Token[]>
  /**
   * Continues a prefix. Ends with a token that carries `finish`; throws an EngineError when the stream breaks off.
   * Aborting `signal`, or leaving the loop, stops generation at the server. With `sampling.seed`, the same prefix gives
   * the same continuation whatever ran before, so that a stream that was cut and resumed equals one that was not.
   */
  stream(prefix: Trace, options: StreamOptions): AsyncIterable<Token>
  close?(): Promise<void>
}

export interface Abilities {
  /** takes and gives token ids, so that nothing is tokenised twice */
  readonly ids: boolean
  /** how many alternatives a token can carry; 0: no logprobs */
  readonly topLogprobs: number
  readonly attentionEntropy: boolean
  readonly seed: boolean
  /** shared: a fork reuses the running stream's cache; reprefill: it may run beside it at a price; serial: one stream at a time */
  readonly fork: 'shared' | 'reprefill' | 'serial'
  /** turn: the engine cannot continue a half-written message, so it can be steered only between turns */
  readonly resume: 'token' | 'turn'
  /** in tokens; Infinity where the server does not say */
  readonly context: number
}

/** What marks thinking and turns in this model's text. Empty strings: the model does not think in tags. */
export interface Markers {
  readonly thinkOpen: string
  readonly thinkClose: string
  /** the rendered prompt ends inside an open think tag, so the model will not write one */
  readonly thinkOpened: boolean
  /** closes the assistant's turn, adds one of the user's, opens the assistant's again (think tag included where it opens by itself) */
  userTurn(text: string): string
}

export interface Sampling {
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly minP?: number
  readonly repetitionPenalty?: number
  readonly seed?: number
}

export interface StreamOptions extends Sampling {
  readonly maxTokens: number
  /** the stream ends after the stop text, which is part of the output */
  readonly stop?: readonly string[]
  /** alternatives wanted with each token */
  readonly topLogprobs?: number
  /** attention entropy wanted: the mean, or every head */
  readonly attention?: boolean | 'heads'
  readonly signal?: AbortSignal
  readonly purpose: Purpose
  /** names the request at the server: `<run>-<n>` */
  readonly requestId?: string
}
