import { InputError } from '../base/errors.ts'
import type { Engine } from '../engine/engine.ts'
import { predictiveEntropy } from '../engine/entropy.ts'
import type { Trigger } from '../steer/monitor.ts'
import type { Token } from '../trace/token.ts'

/**
 * The observer: one number a token, H̄_t. Attention entropy where the engine gives it, in the four aggregations of Halo's
 * Table 6, else the predictive entropy of the next token. It knows tokens; it knows nothing of drift or thresholds.
 */
export const signals = ['attention', 'attention-final', 'attention-head', 'attention-first-half', 'predictive'] as const
export type Signal = (typeof signals)[number]

/** How often Ω is updated: at each token, or once a line with the line's mean. */
export type Granularity = 'token' | 'line'

export interface ObserverOptions {
  readonly signal: Signal
  /** for 'attention-head': which head, counted layer by layer; a calibration finds the one of greatest variance */
  readonly head?: number
}

/** What the main stream must carry for this signal to be seen. */
export function needsOf(signal: Signal): NonNullable<Trigger['needs']> {
  if (signal === 'predictive') return { topLogprobs: 20 }
  return { attention: signal === 'attention' ? true : 'heads' }
}

/** One sentence when the engine does not give the signal. */
export function signalRefusal(engine: Pick<Engine, 'name' | 'can'>, signal: Signal): string | undefined {
  if (signal === 'predictive')
    return engine.can.topLogprobs > 0
      ? undefined
      : `${engine.name} gives no logprobs, so there is no predictive entropy to watch`
  return engine.can.attentionEntropy
    ? undefined
    : `${engine.name} gives no attention entropy: use signal=predictive, with a calibration made for it`
}

const mean = (values: ArrayLike<number>, from = 0, to = values.length): number => {
  let sum = 0
  for (let i = from; i < to; i++) sum += values[i]!
  return sum / (to - from)
}

/** The signal's value for a token, or undefined where the token carries none (forced text, a hole in the stream). */
export function observe(token: Token, { signal, head = 0 }: ObserverOptions): number | undefined {
  if (signal === 'predictive') return token.top?.length ? predictiveEntropy(token.top).lower : undefined
  const { attention } = token
  if (!attention) return undefined
  if (signal === 'attention') return attention.mean
  const { heads, layers } = attention
  if (!heads || !layers) return undefined
  const perLayer = heads.length / layers
  switch (signal) {
    case 'attention-final':
      return mean(heads, heads.length - perLayer)
    case 'attention-first-half':
      return mean(heads, 0, Math.max(1, Math.floor(layers / 2)) * perLayer)
    case 'attention-head':
      return heads[head]
    default:
      throw new InputError(`there is no signal "${signal satisfies never}"; there are: ${signals.join(', ')}`)
  }
}
