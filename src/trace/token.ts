/** One step of a stream. Engines make them, the trace keeps them. */

export interface TopLogprob {
  readonly id?: number
  readonly text: string
  readonly logprob: number
}

/** Why a stream ended: the model's end-of-turn, a stop string (or stop id), or the length limit. An abort ends a stream without one. */
export type Finish = 'eos' | 'stop' | 'length'

export interface Token {
  /** absent where the engine gives no ids */
  readonly id?: number
  /** '' for a token that holds only a part of a UTF-8 character, when `bytes` is given */
  readonly text: string
  /** the token's own bytes, where the engine gives them; the trace joins characters that are cut across tokens */
  readonly bytes?: Uint8Array
  readonly logprob?: number
  readonly top?: readonly TopLogprob[]
  /** attention entropy in nats: the mean over layers and heads, and, when asked for, one value a head, layer by layer */
  readonly attention?: { readonly mean: number; readonly heads?: Float32Array; readonly layers?: number }
  /** on the last token of a finished stream only; a bare marker (text '', count 0) where the engine sends it alone */
  readonly finish?: Finish
  /** the stop string that ended it, when `finish` is 'stop' and the engine says so */
  readonly stop?: string
  /** how many tokens of the model's this stands for; 1 unless an engine without ids merges them, 0 for a bare marker */
  readonly count?: number
  /** what the server said of the prompt, on any one token of the stream */
  readonly usage?: { readonly prompt?: number; readonly cached?: number }
}
