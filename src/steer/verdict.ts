import type { Property, Verdict } from '../trace/words.ts'

/** @example fail('House 2 has two colours') */
export const fail = (feedback: string, properties?: readonly Property[]): Extract<Verdict, { kind: 'fail' }> =>
  properties ? { kind: 'fail', feedback, properties } : { kind: 'fail', feedback }

/** `complete`: what passed is a whole answer. */
export const pass = (complete = false, properties?: readonly Property[]): Extract<Verdict, { kind: 'pass' }> =>
  properties ? { kind: 'pass', complete, properties } : { kind: 'pass', complete }

export const unknown = (reason: string): Extract<Verdict, { kind: 'unknown' }> => ({ kind: 'unknown', reason })

/** Several properties, one verdict: a failed one fails it, an unknown one leaves it open, and only all passed is a pass. */
export function conjunction(properties: readonly Property[], complete = false): Verdict {
  const failed = properties.filter((p) => p.verdict === 'fail')
  if (failed.length > 0) return fail(failed.map((p) => p.feedback ?? `${p.name} does not hold`).join(' '), properties)
  const open = properties.filter((p) => p.verdict === 'unknown')
  if (open.length > 0) return { ...unknown(`undecided: ${open.map((p) => p.name).join(', ')}`), properties }
  return pass(complete, properties)
}
