import type { Random } from '../../base/random.ts'
import type { RulerInstance } from './index.ts'

/**
 * RULER's variable tracking, common words and frequent words, after the constants of NVIDIA/RULER (Apache-2.0, c3f5e3b):
 * templates, noise haystack, name lengths, counts. `size` is the context's length in words. RULER takes its common words from
 * a word list; ours are made up, pronounceable and the same for the same seed.
 */

const noise = 'The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again.'
const noiseWords = noise.split(' ').length

const letters = (random: Random, alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[random.int(0, alphabet.length - 1)]).join('')

const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const lower = upper.toLowerCase()

/** Different strings, each drawn again when it was there before. */
function distinct(count: number, draw: () => string): string[] {
  const seen = new Set<string>()
  while (seen.size < count) seen.add(draw())
  return [...seen]
}

export interface VtOptions {
  readonly size?: number
  readonly chains?: number
  readonly hops?: number
}

/** RULER's vt: chains of `VAR A = 12345`, `VAR B = VAR A` hidden in noise; the first chain's value is asked for. */
export function variableTracking(random: Random, { size = 200, chains = 1, hops = 4 }: VtOptions): RulerInstance {
  const names = distinct(chains * (hops + 1), () => letters(random, upper, 5))
  const values = distinct(chains, () => String(random.int(10000, 99999)))
  const statements = values.map((value, chain) =>
    Array.from({ length: hops + 1 }, (_, i) => {
      const name = names[chain * (hops + 1) + i]!
      return i === 0 ? `VAR ${name} = ${value}` : `VAR ${name} = VAR ${names[chain * (hops + 1) + i - 1]}`
    }),
  )
  const spent = chains * (hops + 1) * 4
  const lines: string[] = Array.from({ length: Math.max(0, Math.round((size - spent) / noiseWords)) }, () => noise)
  // each chain keeps its order; where it stands among the noise is drawn
  const slots = statements.flatMap((chain) => {
    const places = chain.map(() => random.int(0, lines.length)).sort((a, b) => a - b)
    return chain.map((line, i) => ({ line, place: places[i]! }))
  })
  const context: string[] = []
  for (let i = 0; i <= lines.length; i++) {
    for (const { line, place } of slots) if (place === i) context.push(line)
    if (i < lines.length) context.push(lines[i]!)
  }
  return { kind: 'vt', context: context.join('\n'), query: values[0]!, answers: names.slice(0, hops + 1) }
}

export interface WordsOptions {
  readonly size?: number
}

/** RULER's cwe: 10 words 30 times each, the others 3 times each, in a numbered list; smaller lists keep the 10 to 1 ratio. */
export function commonWords(random: Random, { size = 400 }: WordsOptions): RulerInstance {
  const often = Math.max(2, Math.min(30, Math.floor(size / 20)))
  const seldom = Math.max(1, Math.floor(often / 10))
  const others = Math.max(1, Math.floor((size - 10 * often) / seldom))
  const words = distinct(10 + others, () => pronounceable(random))
  const bag = words.flatMap((word, i) => Array.from({ length: i < 10 ? often : seldom }, () => word))
  const context = random
    .shuffle(bag)
    .map((word, i) => `${i + 1}. ${word}`)
    .join(' ')
  return { kind: 'cwe', context, query: '10', answers: words.slice(0, 10) }
}

/** RULER's fwe: six-letter coded words with zeta frequencies (alpha 2), the commonest one written "..."; ranks 2 to 4 are asked for. */
export function frequentWords(random: Random, { size = 400 }: WordsOptions): RulerInstance {
  const total = Math.max(80, size)
  const words = distinct(Math.max(6, Math.floor(total / 50)), () => letters(random, lower, 6))
  const zeta2 = Math.PI ** 2 / 6
  const counts = words.map((_, i) => Math.max(1, Math.round(total / (i + 1) ** 2 / zeta2)))
  // ranks 4 and 5 must not tie, or the three words would not be defined
  for (let i = 4; i < counts.length; i++) counts[i] = Math.min(counts[i]!, counts[3]! - 1)
  const bag = words.flatMap((word, i) => Array.from({ length: counts[i]! }, () => (i === 0 ? '...' : word)))
  return { kind: 'fwe', context: random.shuffle(bag).join(' '), query: '3', answers: words.slice(1, 4) }
}

/** Two or three syllables: "talemo", "brusik". */
function pronounceable(random: Random): string {
  const syllable = (): string =>
    random.pick([
      'b',
      'd',
      'f',
      'g',
      'k',
      'l',
      'm',
      'n',
      'p',
      'r',
      's',
      't',
      'v',
      'z',
      'br',
      'dr',
      'gr',
      'kl',
      'pl',
      'st',
      'tr',
    ]) + random.pick(['a', 'e', 'i', 'o', 'u'])
  const body = Array.from({ length: random.int(2, 3) }, syllable).join('')
  return body + random.pick(['', '', 'k', 'l', 'm', 'n', 'r', 's', 't'])
}
