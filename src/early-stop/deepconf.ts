import type { Monitor } from '../steer/monitor.ts'
import { fail } from '../steer/verdict.ts'
import type { Token } from '../trace/token.ts'
import { tokenConfidence } from './entropy.ts'

/**
 * DeepConf (Fu et al. 2025): a trace is as trustworthy as its least confident stretch. The confidence of a group is the mean
 * token confidence over a sliding window; a trace whose group confidence falls below the threshold is given up.
 */
export interface DeepConfOptions {
  readonly threshold: number
  /** tokens in a group */
  readonly window: number
}

/** @example deepConf({ threshold: lowest[10], window: 1024 }) */
export function deepConf({ threshold, window }: DeepConfOptions): Monitor<number> {
  return {
    name: 'deepconf',
    when: {
      name: `group confidence below ${threshold.toFixed(2)}`,
      needs: { topLogprobs: 20 },
      watch: () => ({
        state: [] as readonly number[],
        push(token) {
          const c = tokenConfidence(token)
          if (c === undefined) return false
          const group = [...(this.state as readonly number[]), c].slice(-window)
          this.state = group
          return group.length >= window && mean(group) < threshold
        },
      }),
    },
    extract: (_text, view) =>
      groupConfidence(view.trace.tokens(Math.max(0, view.at - window)).slice(0, window), window).at(-1),
    show: (value) => value.toFixed(3),
    verify: (value) => fail(`group confidence ${value.toFixed(3)} is below ${threshold.toFixed(3)}`),
    intervene: (verdict) =>
      verdict.kind === 'fail' ? { kind: 'abstain', reason: verdict.feedback } : { kind: 'continue' },
  }
}

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length

/** The mean confidence of every full window (of all tokens, when there are fewer), in order; empty without logprobs. */
export function groupConfidence(tokens: readonly Token[], window: number): number[] {
  const values = tokens.flatMap((t) => tokenConfidence(t) ?? [])
  if (values.length === 0) return []
  if (values.length <= window) return [mean(values)]
  const out: number[] = []
  let sum = values.slice(0, window).reduce((a, b) => a + b, 0)
  out.push(sum / window)
  for (let i = window; i < values.length; i++) {
    sum += values[i]! - values[i - window]!
    out.push(sum / window)
  }
  return out
}

/** DeepConf, Eq. 6: the trace's confidence is that of its lowest group. */
export const lowestGroup = (tokens: readonly Token[], window: number): number | undefined => {
  const groups = groupConfidence(tokens, window)
  return groups.length === 0 ? undefined : Math.min(...groups)
}

/** The value below which a share of the values lies; the threshold of DeepConf's warm-up is percentile(lowest, 1 − η). */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  if (sorted.length === 0) return Number.NEGATIVE_INFINITY
  const at = Math.min(1, Math.max(0, share)) * (sorted.length - 1)
  const low = sorted[Math.floor(at)]!
  return low + (sorted[Math.ceil(at)]! - low) * (at - Math.floor(at))
}
