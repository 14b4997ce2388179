import type { Random } from '../../src/base/random.ts'
import type { Game24Instance } from '../../src/tasks/game24/index.ts'
import { alive, type Item, type Move, movesOf, nextItems } from './arithmetic.ts'

/** How a player of the Game of 24 picks a next move. */

export const start = ({ numbers }: Game24Instance): Item[] => numbers.map((n) => ({ n, d: 1, text: String(n), top: 3 }))

/** Picks a move: towards the target, or one that looks as good and is not. */
export function choose(
  random: Random,
  items: readonly Item[],
  target: number,
  good: boolean,
  bad: (m: Move) => boolean,
): Move | undefined {
  const moves = movesOf(items).filter((m) => !bad(m))
  const works = (m: Move) => alive(nextItems(items, m), target)
  const whole = (m: Move) => m.result.d === 1 && m.result.n >= 0
  const fit = moves.filter((m) => works(m) === good)
  const easy = fit.filter(whole)
  return easy.length > 0 ? random.pick(easy) : good && fit.length > 0 ? random.pick(fit) : undefined
}

/** An expression of all the numbers that is not the target. */
export function lastResort(x: { readonly random: Random; readonly given: readonly Item[] }): string {
  let items: readonly Item[] = x.given
  while (items.length > 1)
    items = nextItems(items, x.random.pick(movesOf(items).filter((m) => m.result.d === 1 && m.result.n >= 0)))
  return items[0]!.text
}
