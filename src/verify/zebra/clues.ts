import type { Named, PhraseReader } from './phrase.ts'

/** Reads the clues of a zebra puzzle: nine families and their near spellings. */

export type Clue =
  /** `houses`: bits of the houses where it may be */
  | { readonly kind: 'in'; readonly a: Named; readonly houses: number }
  | { readonly kind: 'same' | 'differ' | 'left'; readonly a: Named; readonly b: Named }
  /** a is `by` houses to the left of b */
  | { readonly kind: 'offset'; readonly a: Named; readonly b: Named; readonly by: number }
  /** so many houses apart, on either side */
  | { readonly kind: 'apart'; readonly a: Named; readonly b: Named; readonly by: number }

export interface CluesRead {
  readonly clues: readonly Clue[]
  /** a phrase was told apart by its style alone */
  readonly guessed: boolean
}

const numbers = 'zero one two three four five six seven eight nine ten'.split(' ')
const ordinals = 'zeroth first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ')

function count(word: string, list: readonly string[]): number {
  const digits = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(word)
  return digits ? Number(digits[1]) : list.indexOf(word.toLowerCase())
}

/** Text after the clues that asks or instructs, and tells nothing about the houses. */
const asking =
  /\?|^(?:#|now\b|please\b|what\b|who\b|which\b|where\b|how\b|provide\b|solve\b|find\b|give\b|present\b|answer\b|your\b)/i

/**
 * The clue lines of a puzzle: those under the heading "Clues", else the first numbered list. Undefined when there are none,
 * or when text stands around the list that may be a clue too.
 */
export function clueLines(puzzle: string): string[] | undefined {
  const heading = /^[ \t]*(?:#+[ \t]*|\*\*)?clues?:?(?:\*\*)?:?[ \t]*$/im.exec(puzzle)
  const body = heading ? puzzle.slice(heading.index + heading[0].length) : puzzle
  const lines = body.split('\n').map((l) => l.trim())
  const from = heading ? lines.findIndex((l) => l !== '') : lines.findIndex((l) => /^1[.)]/.test(l))
  if (from < 0) return undefined
  const numbered = /^1[.)]/.test(lines[from]!)
  const clues: string[] = []
  let at = from
  for (; at < lines.length; at++) {
    const line = lines[at]!
    if (numbered ? new RegExp(`^${clues.length + 1}[.)]`).test(line) : line !== '') clues.push(line)
    else if (line !== '' || !numbered) break
  }
  return lines.slice(at).every((l) => l === '' || asking.test(l)) ? clues : undefined
}

/** Every clue, or the first line that cannot be read with certainty. */
export function readClues(
  lines: readonly string[],
  houses: number,
  phrases: PhraseReader,
): CluesRead | { readonly unread: string } {
  const clues: Clue[] = []
  let guessed = false
  for (const line of lines) {
    const said = line
      .replace(/^(?:\d+[.):]|[-*•])\s*/, '')
      .replace(/\s+/g, ' ')
      .replace(/\s*\.$/, '')
    const read = said.length > 400 ? undefined : readClue(said, houses, phrases)
    if (!read) return { unread: `the clue "${said.slice(0, 120)}" cannot be read` }
    clues.push(read.clue)
    guessed ||= read.guessed
  }
  return { clues, guessed }
}

interface ClueRead {
  readonly clue: Clue
  readonly guessed: boolean
}

type Make = (a: Named, b: Named) => Clue
const make = {
  left: (a: Named, b: Named): Clue => ({ kind: 'left', a, b }),
  right: (a: Named, b: Named): Clue => ({ kind: 'left', a: b, b: a }),
  justLeft: (a: Named, b: Named): Clue => ({ kind: 'offset', a, b, by: 1 }),
  justRight: (a: Named, b: Named): Clue => ({ kind: 'offset', a: b, b: a, by: 1 }),
  beside: (a: Named, b: Named): Clue => ({ kind: 'apart', a, b, by: 1 }),
  same: (a: Named, b: Named): Clue => ({ kind: 'same', a, b }),
  differ: (a: Named, b: Named): Clue => ({ kind: 'differ', a, b }),
}

/** Marks between two phrases. Longer ones come first, so that "is directly left of" is not read as "is" and a phrase. */
const between: readonly (readonly [RegExp, Make])[] = [
  [/ is (?:directly|immediately) (?:to the )?left of /g, make.justLeft],
  [/ is (?:directly|immediately) (?:to the )?right of /g, make.justRight],
  [/ is somewhere to the left of /g, make.left],
  [/ is somewhere to the right of /g, make.right],
  [/ is (?:directly |immediately )?(?:next|adjacent) to /g, make.beside],
  [/ is not /g, make.differ],
  [/ is /g, make.same],
]

function readClue(said: string, houses: number, phrases: PhraseReader): ClueRead | undefined {
  const place = /^(.+) is (not )?in (?:the (\w+) house|house (?:number )?(\d+))$/i.exec(said)
  const at = place ? count(place[3] ?? place[4]!, ordinals) : -1
  if (place && at >= 1) {
    const a = phrases.read(place[1]!)
    if (!a || at > houses) return undefined
    const bit = 1 << (at - 1)
    const all = 2 ** houses - 1
    return { clue: { kind: 'in', a, houses: place[2] ? all & ~bit : bit }, guessed: a.guessed }
  }
  const gap = /^there (?:is|are) (\w+) houses? between (.+)$/i.exec(said)
  if (gap) {
    const by = count(gap[1]!, numbers) + 1
    return by < 1 ? undefined : splitPair(gap[2]!, / and /g, (a, b) => ({ kind: 'apart', a, b, by }), phrases)
  }
  const pair = /^(.+) are (?:next to each other|adjacent|neighbou?rs)$/i.exec(said)
  if (pair) return splitPair(pair[1]!, / and /g, make.beside, phrases)
  for (const [mark, maker] of between) {
    if (!new RegExp(mark.source, 'i').test(said)) continue
    const read = splitPair(said, mark, maker, phrases)
    if (read) return read
    // a clue that has a mark of place must be read by it
    if (maker !== make.differ && maker !== make.same) return undefined
  }
  return undefined
}

/** Tries each place where the mark stands; all that give two phrases that can be read must say the same. */
function splitPair(said: string, mark: RegExp, maker: Make, phrases: PhraseReader): ClueRead | undefined {
  const found: ClueRead[] = []
  for (const m of said.matchAll(new RegExp(mark.source, 'gi'))) {
    const a = phrases.read(said.slice(0, m.index))
    const b = a && phrases.read(said.slice(m.index + m[0].length))
    if (a && b) found.push({ clue: maker(plain(a), plain(b)), guessed: a.guessed || b.guessed })
  }
  const first = found[0]
  return first && found.every((f) => meaning(f.clue) === meaning(first.clue)) ? first : undefined
}

/** Equal for clues that say the same: "A is B" is "B is A". */
function meaning(clue: Clue): string {
  if (clue.kind === 'in') return JSON.stringify(clue)
  const ends = [clue.a, clue.b].map((x) => `${x.feature}.${x.value}`)
  const by = 'by' in clue ? clue.by : 0
  return `${clue.kind} ${by} ${clue.kind === 'left' || clue.kind === 'offset' ? ends : ends.sort()}`
}

const plain = ({ feature, value }: Named): Named => ({ feature, value })
