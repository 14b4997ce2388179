import type { Monitor, Trigger } from '../steer/monitor.ts'
import { everyParagraphs } from '../steer/trigger.ts'
import { pass, unknown } from '../steer/verdict.ts'
import type { Token } from '../trace/token.ts'
import type { Trace } from '../trace/trace.ts'
import { entropyBits } from './entropy.ts'
import { probe } from './probe.ts'

export interface EatOptions {
  readonly answerPrefix?: string
  readonly when?: Trigger
  /** weight of the newest reading */
  readonly alpha?: number
  /** stop only when the moving average (bits) is below this … */
  readonly average?: number
  /** … and the moving variance below this: a steady high entropy is no certainty */
  readonly variance?: number
  /** readings before it may stop */
  readonly least?: number
}

/**
 * EAT, entropy after </think> (Wang et al. 2025): after each paragraph a one-token fork behind the close of thinking reads the
 * entropy of the answer's first token; the thinking ends when that entropy is low and has settled.
 * @example eat({ answerPrefix: task.answerPrefix, average: 0.2, variance: 0.01 })
 */
export function eat(options: EatOptions = {}): Monitor<number> {
  const { answerPrefix = '', when = everyParagraphs(1) } = options
  const readings: { at: number; last: Token | undefined; bits: number }[] = []
  return {
    name: 'eat',
    when,
    elicit: probe(answerPrefix, { maxTokens: 1, topLogprobs: 20 }),
    extract: (_text, view) => (view.forked[0] ? entropyBits(view.forked[0]) : undefined),
    show: (bits) => `${bits.toFixed(3)} bits`,
    verify(bits, view) {
      readings.push({ at: view.at, last: lastToken(view.trace, view.at), bits })
      // readings from text that was rolled back since are not part of this trace
      const series = readings
        .filter((r) => r.at <= view.at && lastToken(view.trace, r.at) === r.last)
        .sort((a, b) => a.at - b.at)
        .map((r) => r.bits)
      const rule = eatRule(series, options)
      view.gauge('entropy after thinking', bits)
      view.gauge('entropy average', rule.average)
      return rule.stop
        ? pass(true)
        : unknown(`average ${rule.average.toFixed(3)}, variance ${rule.variance.toFixed(4)} bits`)
    },
    intervene: (verdict) => (verdict.kind === 'pass' ? { kind: 'conclude', text: '' } : { kind: 'continue' }),
  }
}

const lastToken = (trace: Trace, at: number): Token | undefined =>
  at > 0 && at <= trace.length ? trace.token(at - 1) : undefined

/**
 * The rule alone: m_t = α·H_t + (1−α)·m_{t−1}, v_t = α·(H_t − m_t)² + (1−α)·v_{t−1}; stop when both are low.
 * @example eatRule([5, 5, 5, 5, 5]).stop // false: constant, but not certain
 */
export function eatRule(
  bits: readonly number[],
  { alpha = 0.2, average = 0.2, variance = 0.01, least = 4 }: EatOptions = {},
): { stop: boolean; average: number; variance: number } {
  let m = bits[0] ?? Number.POSITIVE_INFINITY
  let v = 0
  for (const h of bits.slice(1)) {
    m = alpha * h + (1 - alpha) * m
    v = alpha * (h - m) ** 2 + (1 - alpha) * v
  }
  return { stop: bits.length >= least && m < average && v < variance, average: m, variance: v }
}
