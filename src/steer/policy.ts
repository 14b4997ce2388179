import { InputError } from '../base/errors.ts'
import type { Policy } from './monitor.ts'

/** interwhen's R = 5; the rest are limits that no sane run meets. */
export const defaultPolicy: Policy = {
  retries: 5,
  maxTokens: 32_768,
  maxForks: 1_000,
  maxMs: 3_600_000,
  maxConcurrentChecks: 8,
  sync: false,
  answerPrefix: '',
  sampling: {},
}

/** Node fires at once when asked to wait longer. */
const LONGEST_TIMER = 2 ** 31 - 1

export function completePolicy(given: Partial<Policy>): Policy {
  const policy = { ...defaultPolicy, ...given }
  const least = { retries: 0, maxTokens: 1, maxForks: 0, maxMs: 1, maxConcurrentChecks: 1 } as const
  for (const [name, min] of Object.entries(least) as [keyof typeof least, number][]) {
    const value = policy[name]
    if (!(typeof value === 'number' && value >= min))
      throw new InputError(`policy.${name} must be at least ${min}, not ${value}`)
  }
  return { ...policy, maxMs: Math.min(policy.maxMs, LONGEST_TIMER) }
}
