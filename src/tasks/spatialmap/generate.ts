import type { Random } from '../../base/random.ts'
import { decidedOption, readSpatialMap } from '../../verify/spatial/index.ts'
import type { GenerateOptions } from '../task.ts'

const first =
  'Amber Birch Cedar Copper Coral Crystal Dune Ember Fern Gravel Harbor Indigo Ivory Juniper Lantern Maple Meadow Nimbus Opal Orchid Pebble Quartz Raven Ripple Saffron Silver Summit Thistle Velvet Willow'.split(
    ' ',
  )
const second =
  'Bakery Books Cafe Crafts Diner Florist Gallery Garage Grocer Gym Hats Hotel Library Market Museum Optics Pharmacy Pottery Records Shoes Studio Tailor Tea Theater Toys Wines'.split(
    ' ',
  )

interface Place {
  readonly name: string
  readonly x: number
  readonly y: number
}

const direction = (a: Place, b: Place): string => `${a.y > b.y ? 'North' : 'South'}${a.x > b.x ? 'east' : 'west'}`

/**
 * A map in SpatialEval's text: `size` objects (6), each told relative to up to two earlier ones. `question` is "direction",
 * "object" or "count". The text proves the answer unless `open` is true.
 */
export function generateSpatialMap(random: Random, options: GenerateOptions): { prompt: string; answer: string } {
  const size = Math.max(4, Math.min(40, Math.floor(options.size ?? 6)))
  for (let attempt = 0; ; attempt++) {
    const made = draft(random.split(attempt), size, options.question as string | undefined)
    const read = readSpatialMap(made.prompt)
    if ('unread' in read || (read.options.length < 4 && attempt < 400)) continue
    if (options.open === true || attempt > 400 || decidedOption(read) === made.answer) return made
  }
}

function draft(random: Random, size: number, kind: string | undefined): { prompt: string; answer: string } {
  const places = placesOf(random, size)
  const told = places.map((place, i) => sentences(random, place, places.slice(0, i)))
  const { question, choices, right } = ask(random, places, kind ?? random.pick(['direction', 'object', 'count']))
  const list = choices.map((c, i) => `${String.fromCharCode(65 + i)}. ${c}`).join('\n')
  return {
    prompt: `Consider a map with multiple objects: \n${told.join('  ')} \n\n Please answer the following multiple-choice question based on the provided information. ${question} Available options:\n${list}.`,
    answer: String.fromCharCode(65 + choices.indexOf(right)),
  }
}

/** No two share a coordinate, so every relation is diagonal. */
function placesOf(random: Random, size: number): Place[] {
  const spots = Array.from({ length: size }, (_, i) => i)
  const [xs, ys] = [random.shuffle(spots), random.shuffle(spots)]
  const [a, b] = [random.shuffle(first), random.shuffle(second)]
  return spots.map((i) => ({
    name: `${a[i % a.length]} ${b[(i + Math.floor(i / a.length)) % b.length]}`,
    x: xs[i]!,
    y: ys[i]!,
  }))
}

function sentences(random: Random, place: Place, earlier: readonly Place[]): string {
  if (earlier.length === 0) return `${place.name} is in the map.`
  const anchors = random.shuffle(earlier).slice(0, 2)
  return anchors.map((e) => `${place.name} is to the ${direction(place, e)} of ${e.name}.`).join(' ')
}

function ask(
  random: Random,
  places: readonly Place[],
  kind: string,
): { question: string; choices: string[]; right: string } {
  const [a, b] = random.shuffle(places) as [Place, Place]
  if (kind === 'direction') {
    const choices = random.shuffle(['Northeast', 'Northwest', 'Southeast', 'Southwest'])
    return { question: `In which direction is ${a.name} relative to ${b.name}?`, choices, right: direction(a, b) }
  }
  const side = direction(a, b)
  const there = places.filter((p) => p !== b && direction(p, b) === side)
  if (kind === 'count') {
    const others = random.shuffle(places.map((_, i) => i).filter((i) => i !== there.length)).slice(0, 3)
    const choices = random.shuffle([there.length, ...others]).map(String)
    return { question: `How many objects are in the ${side} of ${b.name}?`, choices, right: String(there.length) }
  }
  const elsewhere = random.shuffle(places.filter((p) => p !== b && !there.includes(p))).slice(0, 3)
  const choices = random.shuffle([a, ...elsewhere]).map((p) => p.name)
  return { question: `Which object is in the ${side} of ${b.name}?`, choices, right: a.name }
}
