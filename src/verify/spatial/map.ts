import { type Option, readOptions } from '../choice.ts'
import { type Compass, compass, type Relation } from './relation.ts'

/** A map told in sentences, in SpatialEval's words: which objects there are, how they lie, and what is asked. */
export interface SpatialMap {
  readonly names: readonly string[]
  readonly premises: readonly Relation[]
  readonly question: SpatialQuestion
  readonly options: readonly Option[]
}

export type SpatialQuestion =
  | { readonly kind: 'direction'; readonly a: number; readonly b: number }
  | { readonly kind: 'object'; readonly direction: Compass; readonly of: number }
  | { readonly kind: 'count'; readonly direction: Compass; readonly of: number }
  | { readonly kind: 'unclear' }

export const directionWords = String.raw`(?:north|south)[\s-]?(?:east|west)|north|south|east|west`

/** "North-East" → northeast. */
export function compassOf(word: string): Compass | undefined {
  const bare = word.toLowerCase().replace(/[\s-]/g, '').replace(/ern$/, '')
  return compass.find((c) => c === bare)
}

/** One spelling for comparing names: case, kind of apostrophe and width of blanks do not matter. */
export const nameKey = (name: string): string =>
  name
    .normalize('NFC')
    .replace(/[’‘ʼ`´]/g, "'")
    .replace(/[‐‑–—]/g, '-')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()

const relationMark = new RegExp(
  String.raw`\s+is\s+(?:to\s+the\s+|in\s+the\s+|located\s+to\s+the\s+)?(${directionWords})\s+of\s+|\s+is\s+in\s+the\s+map`,
  'gi',
)

/** Reads the whole text, or says what could not be read. */
export function readSpatialMap(raw: string): SpatialMap | { readonly unread: string } {
  if (raw.length > 100_000) return { unread: 'the text is too long for a map' }
  const text = raw.replace(/[^\S\n]+/g, ' ').replace(/\n{3,}/g, '\n\n')
  const cut = /please answer\b/i.exec(text)
  const told = (cut ? text.slice(0, cut.index) : text).replace(/^[\s\S]*?objects\s*:/i, '')
  const statements = readStatements(told)
  if (typeof statements === 'string') return { unread: statements }
  if (statements.premises.length === 0) return { unread: 'no relation between objects found' }
  const asked = cut ? text.slice(cut.index) : ''
  return { ...statements, question: readSpatialQuestion(asked, statements.names), options: readOptions(asked) }
}

/**
 * Sentences end with a full stop, and so may parts of a name ("St. Mary's"). The text between two marks "… is to the X of …"
 * holds the end of one sentence and the start of the next; it is cut where an object already named ends, else at its only
 * full stop. A text with two possible cuts is not read.
 */
function readStatements(told: string): { names: string[]; premises: Relation[] } | string {
  const names: string[] = []
  const index = new Map<string, number>()
  const number = (name: string): number => {
    const key = nameKey(name)
    const known = index.get(key)
    if (known !== undefined) return known
    names.push(name.replace(/\s+/g, ' ').trim())
    index.set(key, names.length - 1)
    return names.length - 1
  }
  const premises: Relation[] = []
  const marks = [...told.matchAll(relationMark)]
  let subject = told
    .slice(0, marks[0]?.index ?? 0)
    .trim()
    .replace(/^[-*•]\s+/, '')
  for (const [i, mark] of marks.entries()) {
    if (badName(subject)) return `the name "${subject.slice(0, 60)}" cannot be read`
    const between = told.slice(mark.index + mark[0].length, marks[i + 1]?.index ?? told.length)
    const a = number(subject)
    const split = splitSentence(between, mark[1] === undefined, i + 1 < marks.length, index)
    if (typeof split === 'string') return split
    if (mark[1] !== undefined) {
      if (badName(split.object)) return `the name "${split.object.slice(0, 60)}" cannot be read`
      premises.push({ a, b: number(split.object), direction: compassOf(mark[1])! })
    }
    subject = split.next
  }
  return { names, premises }
}

/** A "name" that holds a verb or a direction is a sentence of a form that we do not know. */
const sentence = new RegExp(
  String.raw`\s(?:is|are|was|lies|sits|stands)\s|\b(?:${directionWords})\s+(?:of|from)\b`,
  'i',
)

const badName = (name: string): boolean =>
  name === '' || name.length > 200 || /\n/.test(name.trim()) || sentence.test(name)

function splitSentence(
  between: string,
  bare: boolean,
  more: boolean,
  known: ReadonlyMap<string, number>,
): { object: string; next: string } | string {
  const text = between.replace(/\s+$/, '')
  const cuts = [...text.matchAll(/\s*[.;]?\s*\n\s*(?:[-*•]\s+)?|[.;]\s+|[.;]$/g)].map((m) => ({
    from: m.index,
    to: m.index + m[0].length,
  }))
  const parts = cuts.map((c) => ({ object: text.slice(0, c.from).trim(), next: text.slice(c.to).trim() }))
  if (!more && !cuts.some((c) => c.to === text.length)) parts.push({ object: text.trim(), next: '' })
  const fitting = parts.filter(
    (p) => (bare ? p.object === '' : p.object !== '') && (more ? p.next !== '' : p.next === ''),
  )
  if (fitting.length === 1) return fitting[0]!
  const named = fitting.filter((p) => known.has(nameKey(p.object)))
  if (named.length === 1) return named[0]!
  const both = named.filter((p) => known.has(nameKey(p.next)))
  if (both.length === 1) return both[0]!
  return `a sentence of the map cannot be read near "${text.slice(0, 60).replace(/\s+/g, ' ')}"`
}

function readSpatialQuestion(asked: string, names: readonly string[]): SpatialQuestion {
  const mark = asked.indexOf('?')
  const q = nameKey(asked.slice(0, Math.max(0, mark)))
  const find = (name: string): number => names.findIndex((n) => nameKey(n) === nameKey(name))
  const direction = /\bin (?:which|what) direction is (.+) relative to (.+)$/.exec(q)
  if (direction) {
    const [a, b] = [find(direction[1]!), find(direction[2]!)]
    return a < 0 || b < 0 || a === b ? { kind: 'unclear' } : { kind: 'direction', a, b }
  }
  const where = new RegExp(
    String.raw`\b(which object|how many objects) (?:is|are) (?:located )?(?:in|to) the (${directionWords}) of (.+)$`,
  ).exec(q)
  const of = where ? find(where[3]!) : -1
  if (!where || of < 0) return { kind: 'unclear' }
  return { kind: where[1] === 'which object' ? 'object' : 'count', direction: compassOf(where[2]!)!, of }
}
