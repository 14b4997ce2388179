import type { Random } from '../../base/random.ts'
import { type Clue, type Grid, type Named, solve } from '../../verify/zebra/index.ts'
import type { GenerateOptions } from '../task.ts'
import { type FeatureKind, featureKinds, nameKind } from './features.ts'

/**
 * A puzzle in ZebraLogic's text with exactly one solution and no clue to spare: `size` houses (3; 2 to 8) and `features`
 * (as many as houses, at most 6, unless given).
 */
export function generateZebra(random: Random, options: GenerateOptions): { puzzle: string } {
  const houses = clamp(options.size ?? 3, 2, 8)
  const wanted = typeof options.features === 'number' ? options.features : Math.min(houses, 6)
  const count = clamp(wanted, 2, featureKinds.length + 1)
  const kinds = [nameKind, ...random.shuffle(featureKinds).slice(0, count - 1)]
  const values = kinds.map((k) => random.shuffle(k.values).slice(0, houses))
  const truth = kinds.map(() => random.shuffle(Array.from({ length: houses }, (_, i) => i)))
  const clues = chooseClues(random, houses, truth)
  return { puzzle: write(random, houses, kinds, values, clues) }
}

const clamp = (n: number, lo: number, hi: number): number => Math.max(lo, Math.min(hi, Math.floor(n)))

/** How often the dataset uses each family. */
const families: readonly (readonly [family: string, weight: number])[] = [
  ['same', 41],
  ['notIn', 12],
  ['in', 12],
  ['justLeft', 10],
  ['left', 8],
  ['right', 7],
  ['beside', 5],
  ['oneBetween', 3],
  ['twoBetween', 2],
]

interface Told {
  readonly clue: Clue
  readonly family: string
}

/** Adds random true clues until one solution is left, then drops every clue that the others make needless. */
function chooseClues(random: Random, houses: number, truth: readonly (readonly number[])[]): Told[] {
  const grid = (clues: readonly Told[]): Grid => ({ houses, features: truth.length, clues: clues.map((t) => t.clue) })
  const unique = (clues: readonly Told[]): boolean => solve(grid(clues), [], 2)?.length === 1
  const seen = new Set<string>()
  let told: Told[] = []
  while (told.length < houses || !unique(told)) {
    const next = trueClue(random, houses, truth)
    const key = JSON.stringify(next)
    if (!next || seen.has(key)) continue
    seen.add(key)
    told.push(next)
  }
  for (const one of random.shuffle(told)) {
    const without = told.filter((t) => t !== one)
    if (without.length > 0 && unique(without)) told = without
  }
  return random.shuffle(told)
}

/** A random clue that holds, or undefined when this draw gave none. */
function trueClue(random: Random, houses: number, truth: readonly (readonly number[])[]): Told | undefined {
  const named = (): Named => ({ feature: random.int(0, truth.length - 1), value: random.int(0, houses - 1) })
  const house = (x: Named): number => truth[x.feature]![x.value]!
  const [a, b] = [named(), named()]
  const distance = house(b) - house(a)
  if (a.feature === b.feature && a.value === b.value) return undefined
  const family = pickFamily(random)
  const all = 2 ** houses - 1
  const apart = (by: number): Told | undefined =>
    Math.abs(distance) === by ? { family, clue: { kind: 'apart', a, b, by } } : undefined
  switch (family) {
    case 'same':
      return distance === 0 && a.feature !== b.feature ? { family, clue: { kind: 'same', a, b } } : undefined
    case 'in':
      return { family, clue: { kind: 'in', a, houses: 1 << house(a) } }
    case 'notIn': {
      const not = random.int(0, houses - 1)
      return not === house(a) ? undefined : { family, clue: { kind: 'in', a, houses: all & ~(1 << not) } }
    }
    case 'justLeft':
      return distance === 1 ? { family, clue: { kind: 'offset', a, b, by: 1 } } : undefined
    case 'left':
      return distance > 0 ? { family, clue: { kind: 'left', a, b } } : undefined
    case 'right':
      return distance < 0 ? { family, clue: { kind: 'left', a: b, b: a } } : undefined
    case 'beside':
      return apart(1)
    default:
      return apart(family === 'oneBetween' ? 2 : 3)
  }
}

function pickFamily(random: Random): string {
  let at = random.next() * families.reduce((sum, [, w]) => sum + w, 0)
  for (const [family, weight] of families) if ((at -= weight) < 0) return family
  return 'same'
}

const ordinals = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth']

function sentence({ clue, family }: Told, houses: number, say: (named: Named) => string): string {
  const a = say(clue.a)
  if (clue.kind === 'in') {
    const bits = family === 'in' ? clue.houses : (2 ** houses - 1) & ~clue.houses
    return `${a} is ${family === 'in' ? '' : 'not '}in the ${ordinals[31 - Math.clz32(bits)]} house`
  }
  const b = say(clue.b)
  switch (family) {
    case 'same':
      return `${a} is ${b}`
    case 'justLeft':
      return `${a} is directly left of ${b}`
    case 'left':
      return `${a} is somewhere to the left of ${b}`
    case 'right':
      return `${b} is somewhere to the right of ${a}`
    case 'beside':
      return `${a} and ${b} are next to each other`
    case 'oneBetween':
      return `there is one house between ${a} and ${b}`
    default:
      return `there are two houses between ${a} and ${b}`
  }
}

function write(
  random: Random,
  houses: number,
  kinds: readonly FeatureKind[],
  values: readonly (readonly string[])[],
  clues: readonly Told[],
): string {
  const say = (x: Named): string => random.pick(kinds[x.feature]!.phrases)(values[x.feature]![x.value]!)
  const capital = (text: string): string => text[0]!.toUpperCase() + text.slice(1)
  const lines = clues.map((told, i) => `${i + 1}. ${capital(sentence(told, houses, say))}.`)
  const features = kinds.map(
    (k, i) =>
      ` - ${k.about}: ${random
        .shuffle(values[i]!)
        .map((v) => `\`${v}\``)
        .join(', ')}`,
  )
  return `There are ${houses} houses, numbered 1 to ${houses} from left to right, as seen from across the street. Each house is occupied by a different person. Each house has a unique attribute for each of the following characteristics:
${features.join('\n')}

## Clues:
${lines.join('\n')}`
}
