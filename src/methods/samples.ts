import { deriveSeed } from '../base/random.ts'
import { normalForm } from '../early-stop/expression.ts'
import { answerKey } from '../early-stop/number.ts'
import type { Result } from '../trace/event.ts'
import { literals, parseExpression } from '../verify/expression.ts'
import type { MethodContext } from './method.ts'
import { answerOf, type RunOptions, type Runs } from './run.ts'

/** Independent samples of one prompt, and counting what they say. */

/** Sample 0 has the context's own seed, so that it is the run that cot would have made. */
export const sampleSeed = ({ seed }: MethodContext, i: number): number =>
  i === 0 ? seed : deriveSeed(seed, 'sample', i)

export interface Sample {
  readonly result: Result
  readonly answer: string | undefined
}

export async function drawSample(
  context: MethodContext,
  runs: Runs,
  i: number,
  monitors: Parameters<Runs['run']>[1] = [],
  options: RunOptions = {},
): Promise<Sample> {
  const { task, instance } = context
  const result = await runs.run(task.prompt(instance), monitors, { ...options, seed: sampleSeed(context, i) })
  return { result, answer: answerOf(context, result) }
}

/** One key for answers that are the same: sums and products in any order, numbers in any spelling. */
export function voteKey(answer: string): string {
  const parsed = parseExpression(answer)
  if (parsed.ok && literals(parsed.sides[0]).length > 1) return normalForm(parsed.sides[0])
  return answerKey(answer)
}

export interface Votes {
  /** the first sample with the most-voted answer; the first sample of all when none states one */
  readonly winner: number
  readonly votes: number
  /** the weight that the runner-up lacks to the winner */
  readonly lead: number
}

/** @example majority(['4', '5', '4.0']) // { winner: 0, votes: 2, lead: 1 } */
export function majority(answers: readonly (string | undefined)[], weights?: readonly number[]): Votes {
  const tally = new Map<string, { first: number; weight: number }>()
  for (const [i, answer] of answers.entries()) {
    if (answer === undefined) continue
    const key = voteKey(answer)
    const known = tally.get(key)
    tally.set(key, { first: known?.first ?? i, weight: (known?.weight ?? 0) + (weights?.[i] ?? 1) })
  }
  const ranked = [...tally.values()].sort((a, b) => b.weight - a.weight || a.first - b.first)
  const best = ranked[0]
  if (!best) return { winner: 0, votes: 0, lead: 0 }
  return { winner: best.first, votes: best.weight, lead: best.weight - (ranked[1]?.weight ?? 0) }
}
