import type { Verdict } from '../../trace/words.ts'
import type { Game24 } from '../../verify/game24.ts'
import { verifySteps } from '../../verify/game24-steps.ts'
import { isNone } from '../text.ts'

/** A state of the Game of 24: steps such as "8 - 4 = 4, 4 * 7 = 28" and the numbers that they leave. */
export function stateOf(game: Game24, text: string): { text: string; count: number; left: string[] } | undefined {
  const line = text.slice(0, 4000).trim().split('\n', 1)[0]!
  if (isNone(line)) return undefined
  const { steps, left } = verifySteps(game, line)
  return steps.length === 0 ? undefined : { text: steps.join(', '), count: steps.length, left }
}

export const verifyState = (game: Game24, state: string): Verdict => verifySteps(game, state).verdict
