import type { Random } from '../../src/base/random.ts'
import { type SpatialMapInstance, spatialmap } from '../../src/tasks/spatialmap/index.ts'
import { axisSigns, readSpatialMap, type SpatialMap } from '../../src/verify/spatial/index.ts'
import { own, type Part, slip } from '../doc.ts'
import { type Author, type Mood, type Story, teller } from '../story.ts'

/**
 * Maps: two objects are compared on each axis along the told relations ("east: A > C > B"), and the two results make a
 * relation, which is what a fork states. An object whose place the text leaves open is said to be open.
 */
export interface Here {
  readonly derived: readonly Derived[]
  readonly letter?: string
}

interface Derived {
  readonly a: number
  readonly b: number
  readonly side: string
  readonly text: string
  readonly wrong: boolean
}

const task = spatialmap
const read = (instance: SpatialMapInstance): SpatialMap => {
  const m = readSpatialMap(instance.prompt)
  if ('unread' in m) throw new Error(m.unread)
  return m
}

type Axis = 'east' | 'north'
type Sign = 1 | -1

/** The shortest chain of told relations from a to b that all point one way: 1 where a is further east (north). */
function wayBetween(m: SpatialMap, a: number, b: number, axis: Axis): { sign: Sign; path: number[] } | undefined {
  const at = axis === 'east' ? 0 : 1
  for (const sign of [1, -1] as const) {
    const came = new Map<number, number>([[a, -1]])
    const queue = [a]
    for (const here of queue) {
      for (const r of m.premises) {
        const s = axisSigns(r.direction)[at]
        const next = r.a === here && s === sign ? r.b : r.b === here && s === -sign ? r.a : undefined
        if (next === undefined || came.has(next)) continue
        came.set(next, here)
        queue.push(next)
      }
    }
    if (!came.has(b)) continue
    const path: number[] = []
    for (let p = b; p !== -1; p = came.get(p)!) path.unshift(p)
    return { sign, path }
  }
  return undefined
}

const sideName = (x: Sign, y: Sign): string => `${y > 0 ? 'North' : 'South'}${x > 0 ? 'east' : 'west'}`

interface Telling {
  readonly random: Random
  readonly m: SpatialMap
  readonly mood: Mood
  readonly t: ReturnType<typeof teller<Here>>
  derived: Derived[]
}

/** Compares two objects, axis by axis; gives the side on which the story now believes a lies, or undefined where it is open. */
function compare(x: Telling, a: number, b: number, slips: number): string | undefined {
  const { m, random, t } = x
  const name = (i: number): string => m.names[i]!
  const signs: (Sign | undefined)[] = []
  const told = m.premises.find((r) => (r.a === a && r.b === b) || (r.a === b && r.b === a))
  let wrong = false
  if (told) {
    const [sx, sy] = axisSigns(told.direction) as [Sign, Sign]
    const flip = told.a === a ? 1 : -1
    const said = `${name(told.a)} is to the ${sideName(sx, sy)} of ${name(told.b)}`
    t.say({ derived: x.derived }, own(`Given: ${said}.`))
    signs.push((sx * flip) as Sign, (sy * flip) as Sign)
  } else
    for (const axis of ['east', 'north'] as const) {
      const way = wayBetween(m, a, b, axis)
      const label = axis === 'east' ? 'East-west' : 'North-south'
      if (!way) {
        t.say({ derived: x.derived }, own(`${label}: ${name(a)} and ${name(b)} are open.`))
        signs.push(undefined)
        continue
      }
      const mark = way.sign > 0 ? ' > ' : ' < '
      const word = axis === 'east' ? (way.sign > 0 ? 'east' : 'west') : way.sign > 0 ? 'north' : 'south'
      t.say({ derived: x.derived }, own(`${label}: ${way.path.map(name).join(mark)}, so ${word}.`))
      signs.push(way.sign)
    }
  let [sx, sy] = signs
  if (!sx || !sy) return undefined
  if (random.chance(slips * 2)) {
    wrong = true
    if (random.chance(0.5)) sx = -sx as Sign
    else sy = -sy as Sign
  }
  const side = sideName(sx, sy)
  const text = `${name(a)} is to the ${side} of ${name(b)}.`
  x.derived = [...x.derived, { a, b, side, text, wrong }]
  const parts: Part[] = wrong
    ? [own(`So ${name(a)} is to the`), slip(` ${side}`), own(` of ${name(b)}.`)]
    : [own(`So ${text}`)]
  t.say({ derived: x.derived }, ...parts)
  if (wrong && random.chance(x.mood.notice * 1.5)) {
    t.say({ derived: x.derived }, own('Wait, that does not fit.'))
    x.derived = x.derived.slice(0, -1)
    return compare(x, a, b, 0)
  }
  return side
}

const direction = (d: string): string => d[0]!.toUpperCase() + d.slice(1)

/** What the question asks, and the option that answers it; undefined where the derivation leaves it open. */
function solve(x: Telling, slips: number): string | undefined {
  const { m } = x
  const q = m.question
  const known = (a: number, b: number): string | undefined => {
    const before = x.derived.find((d) => d.a === a && d.b === b)
    return before ? before.side : compare(x, a, b, slips)
  }
  if (q.kind === 'direction') {
    const side = known(q.a, q.b)
    return m.options.find((o) => o.text === side)?.letter
  }
  if (q.kind === 'object') {
    for (const o of m.options) {
      const a = m.names.indexOf(o.text)
      if (a >= 0 && a !== q.of && known(a, q.of) === direction(q.direction)) return o.letter
    }
    return undefined
  }
  if (q.kind !== 'count') return undefined
  let n = 0
  for (let a = 0; a < m.names.length; a++) if (a !== q.of && known(a, q.of) === direction(q.direction)) n++
  x.t.say({ derived: x.derived }, own(`In the ${direction(q.direction)}: ${n}.`))
  return m.options.find((o) => o.text === String(n))?.letter
}

const saidBy = (m: SpatialMap, letter: string): string => m.options.find((o) => o.letter === letter)!.text

function tell(random: Random, instance: SpatialMapInstance, mood: Mood, from?: Here, corrected?: boolean): Story<Here> {
  const m = read(instance)
  const x: Telling = { random, m, mood, t: teller(), derived: [...(from?.derived ?? [])] }
  if (corrected) x.derived = x.derived.filter((d) => !d.wrong)
  const letter = solve(x, corrected ? mood.slip / 4 : mood.slip)
  let final = letter ?? (corrected ? instance.answer : undefined) ?? random.pick(m.options).letter
  x.t.say(
    { derived: x.derived, letter: final },
    own(letter ? `${saidBy(m, final)}, option ${final}.` : `It is not certain. Option ${final} fits best.`),
  )
  for (let p = mood.recheck * 0.6; random.chance(p) && x.derived.length > 0; p *= 0.3) {
    const d = random.pick(x.derived)
    x.t.say(
      { derived: x.derived, letter: final },
      own(`${random.pick(['Let me check', 'Let me verify'])} ${m.names[d.a]} and ${m.names[d.b]}.`),
    )
    x.derived = x.derived.filter((o) => o !== d)
    compare(x, d.a, d.b, 0)
    if (d.wrong) {
      x.t.say({ derived: x.derived }, own('That changes it.'))
      final = solve(x, 0) ?? final
      x.t.say({ derived: x.derived, letter: final }, own(`${saidBy(m, final)}, option ${final}.`))
    }
  }
  if (random.chance(mood.restate)) x.t.say({ derived: x.derived, letter: final }, own(`The answer is ${final}.`))
  if (random.chance(mood.ruin)) {
    const other = random.pick(m.options.filter((o) => o.letter !== final))
    x.t.say(
      { derived: x.derived, letter: other.letter },
      own(`Hmm, wait. Maybe I mixed up the sides. Then option ${other.letter} would be right.`),
    )
    final = other.letter
  }
  return { lines: x.t.lines, answer: [own(`{${final}}.`)] }
}

export const author: Author<SpatialMapInstance, Here> = {
  task,
  instance: (random) =>
    task.generate!(random, {
      size: random.pick([5, 5, 6, 6, 6, 7]),
      question: random.pick(['direction', 'object', 'count']),
    }),
  tell,
  // the suffix ends with "-": the first line of the list goes on from there
  partial: (_instance, here) =>
    here && here.derived.length > 0 ? `${here.derived.map((d) => ` ${d.text}`).join('\n-')}\n` : ' none yet',
  guess: (random, instance, here) => `{${here?.letter ?? random.pick(read(instance).options).letter}}.`,
}
