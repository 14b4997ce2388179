import type { Monitor, Trigger } from '../steer/monitor.ts'
import { everyParagraphs } from '../steer/trigger.ts'
import { pass, unknown } from '../steer/verdict.ts'
import { confidence } from './entropy.ts'
import { probe } from './probe.ts'

export interface DeerOptions {
  readonly answerPrefix?: string
  readonly when?: Trigger
  readonly threshold?: number
  /** the probe's length at most */
  readonly tokens?: number
}

/**
 * DEER, dynamic early exit (Yang et al. 2025): after each step a short fork writes the answer that it would give now; when the
 * geometric mean of its tokens' probabilities is above the threshold, the thinking ends.
 * @example deer({ answerPrefix: task.answerPrefix, threshold: 0.95 })
 */
export function deer({
  answerPrefix = '',
  when = everyParagraphs(1),
  threshold = 0.95,
  tokens = 20,
}: DeerOptions = {}): Monitor<number> {
  return {
    name: 'deer',
    when,
    elicit: probe(answerPrefix, { maxTokens: tokens, topLogprobs: 1 }),
    extract: (text, view) => (text.trim() === '' ? undefined : confidence(view.forked)),
    show: (value) => value.toFixed(3),
    verify(value, view) {
      view.gauge('confidence', value)
      return value > threshold ? pass(true) : unknown(`confidence ${value.toFixed(3)}, not above ${threshold}`)
    },
    intervene: (verdict) => (verdict.kind === 'pass' ? { kind: 'conclude', text: '' } : { kind: 'continue' }),
  }
}
