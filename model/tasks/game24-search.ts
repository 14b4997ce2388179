import type { Random } from '../../src/base/random.ts'
import { type Game24Instance, game24 } from '../../src/tasks/game24/index.ts'
import { own, type Part } from '../doc.ts'
import { alive, type Item, type Move, movesOf, nextItems, show } from './arithmetic.ts'
import { choose, lastResort, start } from './game24-moves.ts'

/** The task's own questions for critics and tree searches, with fair answers; `solve` gives a right expression. */
export function searchDoc(
  random: Random,
  instance: Game24Instance,
  solve: () => string,
): { prompt: string; parts: readonly Part[] } {
  const given = start(instance)
  const kind = random.pick(['critic', 'propose', 'value'] as const)
  if (kind === 'critic') {
    const solved = solve()
    const right = random.chance(0.5)
    const answer = right ? solved : lastResort({ random, given })
    const verdict = game24.verify(instance, answer, 'final')
    const why =
      verdict.kind === 'fail' ? `${verdict.feedback}.` : `it gives ${instance.target} and uses every number once.`
    const word = verdict.kind === 'pass' ? 'CORRECT' : 'INCORRECT'
    return {
      prompt: game24.search!.critic(instance, answer) as string,
      parts: [own(`${answer}: ${why}\n</think>\n\n${word}<|end|>`)],
    }
  }
  let items: readonly Item[] = given
  const moves: Move[] = []
  const depth = random.int(0, kind === 'propose' ? given.length - 1 : given.length - 2)
  while (moves.length < depth) {
    const m = choose(random, items, instance.target, random.chance(0.6), () => false) ?? movesOf(items)[0]!
    items = nextItems(items, m)
    moves.push(m)
  }
  const done = moves.map((m) => `${m.text} = ${show(m.result)}`)
  if (kind === 'propose') {
    if (items.length === 1) {
      // all numbers are used: what remains is to say the expression, right or not
      const parts = [own(`</think>\n\n${game24.answerPrefix}${items[0]!.text}}.<|end|>`)]
      return { prompt: game24.search!.propose(instance, done) as string, parts }
    }
    const m = choose(random, items, instance.target, random.chance(0.6), () => false) ?? random.pick(movesOf(items))
    return {
      prompt: game24.search!.propose(instance, done) as string,
      parts: [own(`</think>\n\n${m.text} = ${show(m.result)}<|end|>`)],
    }
  }
  const can = alive(items, instance.target)
  const word = can ? (items.length <= 2 ? 'sure' : 'likely') : 'impossible'
  const shown =
    items.length === 2
      ? `${movesOf(items)
          .slice(0, 6)
          .map((m) => `${m.text} = ${show(m.result)}`)
          .join(', ')}.\n`
      : ''
  return { prompt: game24.search!.value(instance, done) as string, parts: [own(`${shown}</think>\n\n${word}<|end|>`)] }
}
