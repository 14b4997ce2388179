import type { Random } from '../../src/base/random.ts'
import { type Game24Instance, game24 } from '../../src/tasks/game24/index.ts'
import { own, type Part, slip, textOf } from '../doc.ts'
import { type Author, calm, type Mood, type Story, teller } from '../story.ts'
import { alive, type Item, type Move, movesOf, nextItems, same, show, steps } from './arithmetic.ts'
import { choose, lastResort, start } from './game24-moves.ts'
import { searchDoc } from './game24-search.ts'

/**
 * The Game of 24 as a search by hand: try a step, try a second, look what the last two numbers give, go back. It ends with the
 * target, mostly after several tries, sometimes with a wrong answer after a slip or for want of patience.
 */
export interface Here {
  readonly kind: 'open' | 'trying' | 'found'
  /** the numbers left, with the expressions they stand for; the last one is the newest */
  readonly items: readonly Item[]
  /** the moves that led here from the given numbers */
  readonly moves: readonly Move[]
  /** first moves and pairs of moves that were tried */
  readonly tried: readonly string[]
}

const list = (items: readonly Item[]): string => items.map((i) => show(i)).join(' ')
const keyOf = (moves: readonly Move[]): string => moves.map((m) => m.text).join(' ')

/** A wrong result near the right one. */
function mistaken(random: Random, right: number): number {
  const wrong = right + random.pick([1, -1, 2, -2, 10, -10, 3, 4, -4])
  return wrong === right || wrong < 0 ? right + 1 : wrong
}

interface Telling {
  readonly random: Random
  readonly target: number
  readonly mood: Mood
  readonly given: readonly Item[]
  readonly t: ReturnType<typeof teller<Here>>
  here: Here
  /** the chance that the next try is a good one */
  insight: number
  tries: number
}

/** "8 - 4 = 4", with a slip now and then; gives the move as it was written. */
function write(x: Telling, move: Move, slips: number): { parts: Part[]; move: Move } {
  const { random } = x
  if (move.result.d !== 1 || !random.chance(slips)) return { parts: [own(`${move.text} = ${show(move.result)}`)], move }
  const n = mistaken(random, move.result.n)
  return { parts: [own(`${move.text} = `), slip(String(n))], move: { ...move, result: { ...move.result, n } } }
}

function say(x: Telling, here: Here, ...parts: Part[]): void {
  x.here = here
  x.t.say(here, ...parts)
}

/** Two numbers left: their results one after another, and whether one is the target. */
function lastTwo(x: Telling, before: Here): boolean {
  const { random, target } = x
  const hit = random.shuffle(movesOf(before.items).filter((m) => same(m.result, target)))[0]
  const others = random.shuffle(
    movesOf(before.items).filter((m) => !same(m.result, target) && m.result.d === 1 && m.result.n >= 0),
  )
  const shown = hit ? others.slice(0, random.pick([0, 0, 0, 1])) : others.slice(0, random.int(1, 3))
  const parts: Part[] = []
  for (const m of shown) {
    const { parts: p, move } = write(x, m, x.mood.slip)
    parts.push(...(parts.length > 0 ? [own(', ')] : []), ...p)
    // a slip may look like the target: then it is taken for it
    if (same(move.result, target)) return found(x, before, { ...m, result: move.result }, parts)
  }
  if (hit) {
    if (parts.length > 0) parts.push(own(', '))
    return found(x, before, hit, [...parts, own(`${hit.text} = ${target}`)])
  }
  if (parts.length === 0) parts.push(own('nothing fits'))
  const tried = [...before.tried, keyOf(before.moves)]
  say(x, { kind: 'open', items: x.given, moves: [], tried }, ...parts, own(', no.'))
  return false
}

function found(x: Telling, before: Here, move: Move, parts: Part[]): boolean {
  const items = nextItems(before.items, move)
  say(x, { kind: 'found', items, moves: [...before.moves, move], tried: before.tried }, ...parts, own(', yes.'))
  return true
}

/** One try from the given numbers or from a first step; true when it seems to reach the target. */
function attempt(x: Telling): boolean {
  const { random, target } = x
  x.tries++
  const good = random.chance(x.insight)
  const goOn = x.here.kind === 'trying' && alive(x.here.items, target)
  let here: Here = goOn ? x.here : { kind: 'open', items: x.given, moves: [], tried: x.here.tried }
  let opening = here.moves.length === 0 ? 'Try ' : `Back to ${list(here.items)}: `
  while (here.items.length > 2) {
    const tried = (m: Move) => here.tried.includes(keyOf([...here.moves, m])) && !random.chance(0.05)
    // a bad try goes wrong at its first step or later, as long as there is a later one
    const wanted = good || (here.items.length > 3 && random.chance(0.4))
    const m = choose(random, here.items, target, wanted, tried) ?? choose(random, here.items, target, !wanted, tried)
    if (!m) break
    const { parts, move } = write(x, m, x.mood.slip)
    const items = nextItems(here.items, move)
    here = { kind: 'trying', items, moves: [...here.moves, move], tried: here.tried }
    say(x, here, ...(opening ? [own(opening)] : []), ...parts, own(`, left ${list(items)}.`))
    opening = ''
    if (!good && here.items.length > 2 && random.chance(0.12)) {
      say(
        x,
        { kind: 'open', items: x.given, moves: [], tried: [...here.tried, keyOf(here.moves)] },
        own('That looks bad.'),
      )
      return false
    }
  }
  if (here.items.length > 2) {
    say(x, { kind: 'open', items: x.given, moves: [], tried: [] }, own('Start over.'))
    return false
  }
  return lastTwo(x, here)
}

/** Recomputes the found expression; false when that shows a slip. */
function check(x: Telling): boolean {
  const { random } = x
  const { here } = x
  const expression = here.items[0]!.text
  const parts: Part[] = [own(random.pick(['Check ', 'Let me check ', 'Verify '])), own(`${expression}: `)]
  let items: readonly Item[] = x.given
  for (const [i, m] of here.moves.entries()) {
    const real = movesOf(items).find((o) => o.text === m.text)
    const right = real ? show(real.result) : '?'
    parts.push(own(`${i > 0 ? ', ' : ''}${m.text} = ${right}`))
    if (!real || right !== show(m.result)) {
      const tried = [...here.tried, keyOf(here.moves.slice(0, i + 1))]
      say(
        x,
        { kind: 'open', items: x.given, moves: [], tried },
        ...parts,
        own(`, not ${show(m.result)}. So that fails.`),
      )
      return false
    }
    items = nextItems(items, real)
  }
  say(x, here, ...parts, own('. Good.'))
  return true
}

/** What a model does with an answer it has: say it, check it, check it again, look for another, throw it away. */
function settle(x: Telling): boolean {
  const { random, mood } = x
  const kept = x.here
  say(x, kept, own(`So ${kept.items[0]!.text} = ${x.target}.`))
  for (let p = mood.recheck; random.chance(p); p *= 0.6) if (!check(x)) return false
  if (random.chance(0.08)) {
    say(x, kept, own('Is there another way?'))
    const before = x.insight
    x.insight = 0
    const again = attempt(x)
    x.insight = before
    if (!again) say(x, kept, own(`I keep ${kept.items[0]!.text}.`))
  }
  if (random.chance(mood.restate)) say(x, x.here, own(`The answer is ${x.here.items[0]!.text}.`))
  if (!random.chance(mood.ruin)) return true
  say(
    x,
    { kind: 'open', items: x.given, moves: [], tried: x.here.tried },
    own('Wait, is every number used once? I am not sure. I try something else.'),
  )
  x.insight = 0.15
  return false
}

function tell(random: Random, instance: Game24Instance, mood: Mood, from?: Here, corrected?: boolean): Story<Here> {
  const given = start(instance)
  const blank: Here = { kind: 'open', items: given, moves: [], tried: [] }
  const x: Telling = {
    random,
    target: instance.target,
    mood,
    given,
    t: teller(),
    here: from ?? blank,
    insight: 0.3,
    tries: 0,
  }
  if (corrected && from) {
    // what was refuted is not tried again; a first step that still works is gone on with
    const rest = from.moves.slice(0, -1)
    const items = rest.reduce<readonly Item[]>(nextItems, given)
    const tried = [...from.tried, keyOf(from.moves)]
    const useful = rest.length > 0 && alive(items, instance.target) && random.chance(0.7)
    x.here = useful ? { kind: 'trying', items, moves: rest, tried } : { ...blank, tried }
    x.insight = 0.4
  } else if (from?.kind === 'found') {
    if (settle(x)) return finish(x)
  } else if (from?.kind === 'trying' && from.items.length === 2 && lastTwo(x, from) && settle(x)) return finish(x)
  for (;;) {
    const worn = x.tries >= 6 && (random.chance(mood.giveUp * 4) || x.tries >= 14)
    if (worn) {
      const best = lastResort(x)
      say(x, { ...x.here, kind: 'open' }, own(`I cannot find it. I would say ${best}.`))
      return { lines: x.t.lines, answer: [own(`${best}}.`)] }
    }
    if (attempt(x) && settle(x)) return finish(x)
  }
}

const finish = (x: Telling): Story<Here> => ({ lines: x.t.lines, answer: [own(`${x.here.items[0]!.text}}.`)] })

/** The expression that is being built: that of the newest number. */
function partial(_instance: Game24Instance, here: Here | undefined): string {
  if (!here || here.kind === 'open' || here.moves.length === 0) return 'none yet}'
  return `${here.items.at(-1)!.text}}`
}

export const author: Author<Game24Instance, Here> = {
  task: game24,
  instance(random) {
    if (random.chance(0.55)) return game24.generate!(random, { size: 4 })
    const size = random.chance(0.3) ? 3 : 4
    const max = random.pick([6, 9, 13, 13, 20])
    for (;;) {
      const numbers = Array.from({ length: size }, () => random.int(1, max))
      const target = random.int(10, 40)
      if (alive(start({ numbers, target }), target)) return { numbers, target }
    }
  },
  tell,
  partial,
  guess(random, instance, here) {
    if (here?.kind === 'found') return `${here.items[0]!.text}}.`
    const story = tell(random, instance, calm, here)
    // made to answer now, it may hit or not
    return random.chance(0.3)
      ? story.answer!.map((p) => p.text).join('')
      : `${lastResort({ random, given: start(instance) })}}.`
  },
  state: (_instance, here) => (here && here.kind !== 'open' && here.moves.length > 0 ? steps(here.moves) : 'none'),
  resume(instance, state) {
    let items: readonly Item[] = start(instance)
    const moves: Move[] = []
    for (const step of state.split(', ')) {
      const move = movesOf(items).find(
        (m) => `${m.text} = ${show(m.result)}`.replace(/[()]/g, '') === step.replace(/[()]/g, ''),
      )
      if (!move) return undefined
      items = nextItems(items, move)
      moves.push(move)
    }
    return { kind: items.length === 1 ? 'found' : 'trying', items, moves, tried: [] }
  },
  search: (random, instance) =>
    searchDoc(random, instance, () => textOf(tell(random, instance, calm).answer!).slice(0, -2)),
}
