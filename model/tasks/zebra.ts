import type { Random } from '../../src/base/random.ts'
import { type ZebraInstance, zebralogic } from '../../src/tasks/zebralogic/index.ts'
import { type Clue, readZebra, type Zebra } from '../../src/verify/zebra/index.ts'
import { own, type Part, slip } from '../doc.ts'
import { type Author, type Mood, type Story, teller } from '../story.ts'
import { type Domains, differences, houses, narrow, settled, settleFeature, single } from './domains.ts'
import { at, gist, nameOf, table } from './zebra-words.ts'

/**
 * Logic grids by narrowing: for each value the houses where it may be ("Eric 2 3"), clue after clue until every value has one
 * house. Where the clues alone do not get on, a house is supposed and the supposition followed to its end. Only one
 * supposition is kept apart: when a second one inside it fails, the first is blamed, so that about one careful story in
 * twenty is hasty and wrong. The shipped weights were trained on exactly this.
 */
export interface Here {
  readonly d: Domains
  /** the domains before the first slip, where there was one */
  readonly good?: Domains
  /** the domains before a supposition that is being followed */
  readonly base?: Domains
  readonly done?: boolean
}

const task = zebralogic
const read = (instance: ZebraInstance): Zebra => {
  const z = readZebra(instance.puzzle)
  if ('unread' in z) throw new Error(z.unread)
  return z
}

interface Telling {
  readonly random: Random
  readonly z: Zebra
  readonly mood: Mood
  readonly t: ReturnType<typeof teller<Here>>
  readonly slips: number
  d: Domains
  good: Domains | undefined
  base: Domains | undefined
  /** what is supposed while `base` is kept */
  supposed: { v: number; bit: number }
}

const here = (x: Telling, done?: boolean): Here => ({
  d: x.d,
  ...(x.good && { good: x.good }),
  ...(x.base && { base: x.base }),
  ...(done && { done }),
})

/** Says where each of these values may be after a narrowing, perhaps wrongly; the domains as written become the belief. */
function say(x: Telling, lead: string, next: Domains, listed: readonly number[]): void {
  const changed = listed.filter((v) => x.d[v] !== next[v])
  const parts: Part[] = [own(lead)]
  const written = next.slice()
  const bad = changed.length > 0 && x.good === undefined && x.random.chance(x.slips) ? x.random.pick(changed) : -1
  for (const [i, v] of listed.entries()) {
    parts.push(own(`${i > 0 ? ',' : ''} ${nameOf(x.z, v)}`))
    if (v === bad) {
      const all = 2 ** x.z.grid.houses - 1
      const wrong = 1 << x.random.int(0, x.z.grid.houses - 1)
      written[v] = wrong === next[v] ? all & ~wrong : wrong
      parts.push(slip(` ${houses(written[v]!).join(' ')}`))
      x.good = x.d
    } else parts.push(own(` ${houses(next[v]!).join(' ')}`))
  }
  x.d = written
  x.t.say(here(x), ...parts, own('.'))
}

type Outcome = 'settled' | 'stuck' | 'impossible'

const operands = (z: Zebra, clue: Clue): number[] =>
  clue.kind === 'in' ? [at(z, clue.a)] : [at(z, clue.a), at(z, clue.b)]

/** Every clue in order, again and again without those that are used up, until nothing changes. */
function propagate(x: Telling, first: boolean): Outcome {
  const { z, t } = x
  const n = z.grid.houses
  for (let pass = first ? 0 : 1, changed = true; changed; pass++) {
    changed = false
    for (const [i, clue] of z.grid.clues.entries()) {
      const values = operands(z, clue)
      const next = narrow(n, x.d, clue)
      if (next.includes(0)) {
        t.say(here(x), own(`Clue ${i + 1}: ${gist(z, clue)} cannot hold.`))
        return 'impossible'
      }
      if (pass > 0 && (clue.kind === 'in' || values.every((v) => single(x.d[v]!)))) continue
      const before = x.d
      say(x, `Clue ${i + 1}: ${gist(z, clue)}, so`, next, values)
      const touched = new Set(differences(before, x.d).map((v) => Math.floor(v / n)))
      for (const f of touched) if (!feature(x, f)) return 'impossible'
      if (touched.size > 0) changed = true
      if (settled(x.d)) return 'settled'
    }
  }
  return 'stuck'
}

/** All values of a feature live in different houses: the whole feature as it now stands. */
function feature(x: Telling, f: number): boolean {
  const n = x.z.grid.houses
  const { key } = x.z.head.features[f]!
  let next: Domains | undefined = x.d
  for (let again = true; again && next; ) {
    const settledNow: Domains | undefined = settleFeature(n, next, f)
    again = settledNow !== undefined && differences(next, settledNow).length > 0
    next = settledNow
  }
  if (next === undefined) {
    x.t.say(here(x), own(`${key} cannot be filled.`))
    return false
  }
  say(
    x,
    `${key}:`,
    next,
    Array.from({ length: n }, (_, i) => f * n + i),
  )
  return true
}

const remember = (x: Telling): string =>
  x.d
    .flatMap((bits, v) => (bits === 2 ** x.z.grid.houses - 1 ? [] : [`${nameOf(x.z, v)} ${houses(bits).join(' ')}`]))
    .join(', ')

/** True: every value has its house. False: the story lost its way. */
function solve(x: Telling, fresh: boolean): boolean {
  const n = x.z.grid.houses
  for (let rounds = 0; rounds < 30; rounds++) {
    const outcome = settled(x.d) ? 'settled' : propagate(x, fresh && rounds === 0)
    if (outcome === 'settled') return true
    if (outcome === 'impossible') {
      if (!rejected(x)) return false
      continue
    }
    const open = x.d.flatMap((bits, v) => (single(bits) ? [] : [v]))
    const v = open.reduce((a, b) => (houses(x.d[b]!).length < houses(x.d[a]!).length ? b : a))
    const bit = 1 << (x.random.pick(houses(x.d[v]!)) - 1)
    if (!x.base) {
      x.base = x.d
      x.supposed = { v, bit }
    }
    const next = x.d.slice()
    next[v] = bit
    x.d = next
    x.t.say(here(x), own(`Suppose ${nameOf(x.z, v)} ${houses(bit)[0]}.`))
    if (!feature(x, Math.floor(v / n)) && !rejected(x)) return false
  }
  return false
}

/** The supposition failed: back to what was known before it, less the supposed house. */
function rejected(x: Telling): boolean {
  if (!x.base) return false
  const next = x.base.slice()
  x.base = undefined
  const { v, bit } = x.supposed
  next[v]! &= ~bit
  x.d = next
  x.t.say(here(x), own(`So that is out: ${nameOf(x.z, v)} ${houses(next[v]!).join(' ')}.`))
  return next[v] !== 0 && feature(x, Math.floor(v / x.z.grid.houses))
}

function checkClues(x: Telling): boolean {
  const where = (named: { feature: number; value: number }): number => houses(x.d[at(x.z, named)]!)[0]!
  for (const [i, clue] of x.z.grid.clues.entries()) {
    const held = narrow(x.z.grid.houses, x.d, clue)
    const seen = clue.kind === 'in' ? `${where(clue.a)}` : `${where(clue.a)} ${where(clue.b)}`
    const ok = !held.includes(0)
    x.t.say(here(x, true), own(`Check ${i + 1}: ${gist(x.z, clue)}, ${seen}, ${ok ? 'ok' : 'wrong'}.`))
    if (!ok) return false
  }
  return true
}

function tell(random: Random, instance: ZebraInstance, mood: Mood, from?: Here, corrected?: boolean): Story<Here> {
  const z = read(instance)
  const full = Array<number>(z.grid.houses * z.grid.features).fill(2 ** z.grid.houses - 1)
  const x: Telling = {
    random,
    z,
    mood,
    t: teller(),
    slips: corrected ? mood.slip / 4 : mood.slip,
    d: from?.d ?? full,
    good: from?.good,
    base: from?.base,
    supposed: { v: 0, bit: 0 },
  }
  const startOver = (): void => {
    x.d = full
    x.base = undefined
    x.good = undefined
  }
  if (corrected) {
    x.d = from?.good ?? from?.base ?? full
    x.good = x.base = undefined
    const kept = remember(x)
    x.t.say(here(x), own(kept === '' ? 'From the start.' : `I keep ${kept}.`))
  }
  for (let tries = 0; ; tries++) {
    const worked = solve(x, !from || tries > 0)
    if (worked && !(random.chance(mood.recheck * 0.45) && !checkClues(x))) break
    if (worked && tries > 0) break
    if (tries > 1) return { lines: x.t.lines }
    x.t.say(here(x), own('Something is wrong. Start over.'))
    startOver()
  }
  if (random.chance(mood.restate)) x.t.say(here(x, true), own('Every house is filled.'))
  if (random.chance(mood.ruin)) swap(x)
  return { lines: x.t.lines, answer: [own(` ${table(z, x.d).join(', ').slice('"House 1": '.length)}}`)] }
}

/** Doubt at the end: two values of a feature change places, and the answer is ruined. */
function swap(x: Telling): void {
  const n = x.z.grid.houses
  const f = x.random.int(0, x.z.grid.features - 1)
  const [a, b] = x.random.shuffle(Array.from({ length: n }, (_, i) => f * n + i)) as [number, number]
  const next = x.d.slice()
  ;[next[a], next[b]] = [next[b]!, next[a]!]
  x.d = next
  const said = `${nameOf(x.z, a)} ${houses(next[a]!)[0]}, ${nameOf(x.z, b)} ${houses(next[b]!)[0]}`
  x.t.say(here(x, true), own(`Wait, maybe it is the other way round: ${said}.`))
}

export const author: Author<ZebraInstance, Here> = {
  task,
  instance(random) {
    const [houseCount, features] = random.pick([
      [2, 2],
      [2, 3],
      [3, 2],
      [3, 2],
      [3, 3],
      [3, 3],
      [3, 4],
      [4, 2],
      [4, 3],
      [4, 4],
    ] as const)
    return task.generate!(random, { size: houseCount, features })
  },
  tell,
  // the suffix ends with "{"
  partial(instance, h) {
    const z = read(instance)
    const d = h?.base ?? h?.d
    return d
      ? `${table(z, d)
          .filter((s) => s !== '')
          .join(', ')}}`
      : '}'
  },
  guess(random, instance, h) {
    const z = read(instance)
    const n = z.grid.houses
    const d = (h?.d ?? []).slice()
    // what is open is filled as it comes
    for (let f = 0; f < z.grid.features; f++) {
      const slots = Array.from({ length: n }, (_, i) => f * n + i)
      const taken = new Set(slots.filter((v) => d[v] && single(d[v]!)).map((v) => d[v]!))
      const free = random.shuffle(Array.from({ length: n }, (_, i) => 1 << i).filter((b) => !taken.has(b)))
      for (const v of slots) if (!d[v] || !single(d[v]!)) d[v] = free.pop()!
    }
    return ` ${table(z, d).join(', ').slice('"House 1": '.length)}}`
  },
}
