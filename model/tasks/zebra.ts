import type { Random } from '../../src/base/random.ts'
import { type ZebraInstance, zebralogic } from '../../src/tasks/zebralogic/index.ts'
import { type Clue, readZebra, type Zebra } from '../../src/verify/zebra/index.ts'
import { own, type Part, slip } from '../doc.ts'
import { type Author, type Mood, type Story, teller } from '../story.ts'
import { type Domains, differences, houses, listed, narrow, settled, settleFeature, single, vacant } from './domains.ts'
import { at, gist, nameOf, table } from './zebra-words.ts'

/**
 * Logic grids by narrowing: for each value the houses where it may be ("Eric 2 3"), clue after clue until every value has one
 * house. A contradiction is never just said: it is a value for which the same narrowing leaves "none". Where the clues alone do
 * not get on, what is known is noted, a house is supposed and the supposition followed to its end; when it fails, the
 * note is taken up again without that house. A filled grid is written out as the answer will be, and then
 * checked clue by clue: always when something was supposed, else as often as the mood has it.
 */
export interface Here {
  readonly d: Domains
  /** what was sure before the first slip, where there was one */
  readonly good?: Domains
  /** suppositions that are being followed, the outermost first */
  readonly open: readonly Supposition[]
}

interface Supposition {
  readonly before: Domains
  readonly v: number
  readonly bit: number
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
  open: readonly Supposition[]
  /** the clue that is taken first */
  first: number
}

const here = (x: Telling): Here => ({
  d: x.d,
  open: x.open,
  ...(x.good && { good: x.good }),
})

const sure = (x: { d: Domains; open: readonly Supposition[] }): Domains => x.open[0]?.before ?? x.d

/** Says where each of these values may be after a narrowing, perhaps wrongly; the domains as written become the belief. */
function say(x: Telling, lead: string, next: Domains, values: readonly number[], tail = ''): void {
  const changed = values.filter((v) => x.d[v] !== next[v])
  const parts: Part[] = [own(lead)]
  const written = next.slice()
  const may = changed.length > 0 && x.good === undefined && !next.includes(0) && tail === ''
  const bad = may && x.random.chance(x.slips) ? x.random.pick(changed) : -1
  for (const [i, v] of values.entries()) {
    parts.push(own(`${i > 0 ? ',' : ''} ${nameOf(x.z, v)}`))
    if (v === bad) {
      const all = 2 ** x.z.grid.houses - 1
      const wrong = 1 << x.random.int(0, x.z.grid.houses - 1)
      written[v] = wrong === next[v] ? all & ~wrong : wrong
      parts.push(slip(` ${listed(written[v]!)}`))
      x.good = sure(x)
    } else parts.push(own(` ${listed(next[v]!)}`))
  }
  x.d = written
  x.t.say(here(x), ...parts, own(`${tail}.`))
}

type Outcome = 'settled' | 'stuck' | 'impossible'

const operands = (z: Zebra, clue: Clue): number[] =>
  clue.kind === 'in' ? [at(z, clue.a)] : [at(z, clue.a), at(z, clue.b)]

/** Every clue in turn, again and again without those that are used up, until nothing changes. */
function propagate(x: Telling, fresh: boolean): Outcome {
  const { z } = x
  const n = z.grid.houses
  const { clues } = z.grid
  for (let pass = fresh ? 0 : 1, changed = true; changed; pass++) {
    changed = false
    for (let turn = 0; turn < clues.length; turn++) {
      const i = (x.first + turn) % clues.length
      const clue = clues[i]!
      const values = operands(z, clue)
      const before = x.d
      const next = narrow(n, before, clue)
      const usedUp =
        clue.kind === 'in' ? next[values[0]!] === before[values[0]!] : values.every((v) => single(before[v]!))
      if (pass > 0 && usedUp && !next.includes(0)) continue
      say(x, `Clue ${i + 1}: ${gist(z, clue)}, so`, next, values)
      if (next.includes(0)) return 'impossible'
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
  const next = settleFeature(n, x.d, f)
  const values = Array.from({ length: n }, (_, i) => f * n + i)
  const possible = values.every((v) => next[v] !== 0)
  const nobody = possible ? vacant(n, next, f) : []
  say(x, `${x.z.head.features[f]!.key}:`, next, values, nobody.length > 0 ? `, nobody in ${nobody.join(' ')}` : '')
  return possible && nobody.length === 0
}

const remember = (x: Telling): string =>
  x.d.flatMap((bits, v) => (bits === 2 ** x.z.grid.houses - 1 ? [] : [`${nameOf(x.z, v)} ${listed(bits)}`])).join(', ')

/** True: every value has its house and nothing speaks against it. False: the story lost its way. */
function solve(x: Telling, fresh: boolean): boolean {
  const n = x.z.grid.houses
  for (let rounds = 0; rounds < 40; rounds++) {
    const outcome = settled(x.d) ? 'settled' : propagate(x, fresh && rounds === 0)
    if (outcome === 'settled' && filled(x)) return true
    if (outcome !== 'stuck') {
      if (!rejected(x)) return false
      continue
    }
    const openValues = x.d.flatMap((bits, v) => (single(bits) ? [] : [v]))
    const v = openValues.reduce((a, b) => (houses(x.d[b]!).length < houses(x.d[a]!).length ? b : a))
    const bit = 1 << (x.random.pick(houses(x.d[v]!)) - 1)
    const known = remember(x)
    if (known !== '') x.t.say(here(x), own(`So far ${known}.`))
    x.open = [...x.open, { before: x.d, v, bit }]
    const next = x.d.slice()
    next[v] = bit
    x.d = next
    x.t.say(here(x), own(`Suppose ${nameOf(x.z, v)} ${houses(bit)[0]}.`))
    if (!feature(x, Math.floor(v / n)) && !rejected(x)) return false
  }
  return false
}

/** The grid is written out and, as the mood has it, checked. A check that passes proves what was supposed. */
function filled(x: Telling): boolean {
  x.t.say(here(x), own(tableOf(x)))
  const checked = x.open.length > 0 || x.random.chance(x.mood.recheck)
  if (checked && !checkClues(x)) return false
  x.open = []
  if (checked && x.random.chance(x.mood.restate)) x.t.say(here(x), own(tableOf(x)))
  return true
}

const tableOf = (x: Telling): string => `{${table(x.z, x.d).join(', ')}}`

/** The innermost supposition failed: back to what was known before it, less the supposed house; the outer ones after it. */
function rejected(x: Telling): boolean {
  while (x.open.length > 0) {
    const { before, v, bit } = x.open.at(-1)!
    x.open = x.open.slice(0, -1)
    const next = before.slice()
    next[v]! &= ~bit
    x.d = next
    if (next[v] === 0) x.t.say(here(x), own(`So that is out: ${nameOf(x.z, v)} none.`))
    else {
      x.t.say(here(x), own(`So that is out. I keep ${remember(x)}.`))
      if (feature(x, Math.floor(v / x.z.grid.houses))) return true
    }
  }
  return false
}

function checkClues(x: Telling): boolean {
  const where = (named: { feature: number; value: number }): number => houses(x.d[at(x.z, named)]!)[0]!
  for (const [i, clue] of x.z.grid.clues.entries()) {
    const held = narrow(x.z.grid.houses, x.d, clue)
    const seen = clue.kind === 'in' ? `${where(clue.a)}` : `${where(clue.a)} ${where(clue.b)}`
    const ok = !held.includes(0)
    x.t.say(here(x), own(`Check ${i + 1}: ${gist(x.z, clue)}, ${seen}, ${ok ? 'ok' : 'wrong'}.`))
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
    open: from?.open ?? [],
    first: 0,
  }
  if (corrected) {
    x.d = from?.good ?? (from ? sure(from) : full)
    x.good = undefined
    x.open = []
    const kept = remember(x)
    x.t.say(here(x), own(kept === '' ? 'From the start.' : `I keep ${kept}.`))
  }
  for (let tries = 0; !solve(x, !from || tries > 0); tries++) {
    if (tries === 2) {
      // what it then guesses is not learnt, only that it comes to an end
      x.t.say(here(x), own('I do not find the mistake, so I take what I have.'))
      return { lines: x.t.lines, answer: [slip(author.guess(random, instance, here(x)))] }
    }
    // from another clue, or the same mistake would be made again
    x.first = random.int(0, z.grid.clues.length - 1)
    x.t.say(here(x), own(`Something is wrong. Start over from clue ${x.first + 1}.`))
    x.d = full
    x.open = []
    x.good = undefined
  }
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
  x.t.say(here(x), own(`Wait, maybe it is the other way round: ${said}.`))
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
    const d = h && sure(h)
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
