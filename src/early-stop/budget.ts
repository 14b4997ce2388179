import type { AnyMonitor, Monitor } from '../steer/monitor.ts'
import { endOfThinking, when } from '../steer/trigger.ts'
import { fail, pass, unknown } from '../steer/verdict.ts'

export interface BudgetOptions {
  /** thinking tokens after which the answer is asked for; 0: no limit */
  readonly max?: number
  /** thinking tokens before which an end of thinking is not accepted; 0: none */
  readonly min?: number
  /** how the model is kept thinking */
  readonly word?: string
}

/**
 * s1 budget forcing (Muennighoff et al. 2025): too long a thought is closed, too short a one is reopened with "Wait".
 * How often it may be reopened is the run's `retries`; after that the end stands.
 * @example steer(engine, prompt, budget({ min: 200, max: 2000 }), { retries: 2 })
 */
export function budget({ max = 0, min = 0, word = 'Wait' }: BudgetOptions): AnyMonitor[] {
  const longest: Monitor<number> = {
    name: 'budget',
    when: when('thinking budget', 0, (used, token, view) => {
      if (view.phase !== 'think') return [used, false]
      const now = used + (token.count ?? 1)
      return [now, used < max && now >= max]
    }),
    extract: () => max,
    verify: () => pass(true),
    intervene: () => ({ kind: 'conclude', text: '' }),
  }
  const shortest: Monitor<number> = {
    name: 'at-least',
    when: endOfThinking(),
    extract: (_text, view) => view.trace.length - view.trace.promptLength,
    verify: (used) => (used < min ? fail(`${used} thinking tokens, not ${min}`) : unknown('long enough')),
    intervene: (verdict, _used, view) =>
      verdict.kind === 'fail' && view.retries < view.maxRetries
        ? { kind: 'rollback', feedback: word, voice: 'model', to: 'thinking' }
        : { kind: 'continue' },
  }
  return [...(max > 0 ? [longest] : []), ...(min > 0 ? [shortest] : [])]
}
