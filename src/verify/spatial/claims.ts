import { compassOf, directionWords, nameKey } from './map.ts'
import type { Relation } from './relation.ts'

/** Finds what a text claims about a map. A supposition, a question, a denial is not a claim. */

export type Claim =
  | { readonly text: string; readonly relation: Relation }
  | { readonly text: string; readonly relation?: undefined }

const limit = 100_000
/** Words that make a sentence something else than a plain claim, and put what follows on the same line in doubt. */
const doubt =
  /\b(?:suppos\w*|assum\w*|hypothe\w*|imagin\w*|if|unless|whether|would|could|might|may|maybe|perhaps|possibly|probably|presumably|likely|unlikely|either|or|neither|nor|not|never|no|cannot|can|contradict\w*|conflict\w*|inconsistent|false|wrong|incorrect|impossible|untrue|mistake\w*|unclear|unknown|uncertain|undetermined|option|claim\w*|say|says|let|try|trying|test\w*|check\w*|consider\w*|question|asks?|asked|seems?|guess\w*|think|thought|wait|but|however|although|though|rather|instead|than|except|without|unsure|open)\b|n't\b|\?|≠|¬/
/** A sentence that takes back the one before it. */
const retreat =
  /^\W*(?:but|however|no|nope|wait|that|this|which|contradict\w*|hmm|actually|not|wrong|false|impossible|oh)\b/
/** A sentence that goes on from a supposition. */
const onward = /^\W*(?:then|so|thus|therefore|hence|this|that|it|which|but|and|in that case|consequently)\b/

/**
 * The claims of a text, one for each "X is to the D of Y". A name that is not on the map gives a claim without a relation.
 * @example readClaims('- Elm Toys is to the Southwest of Oak Cafe.', ['Oak Cafe', 'Elm Toys'])
 */
export function readClaims(text: string, names: readonly string[]): Claim[] {
  const { coded, uncut } = encode(text.length > limit ? text.slice(0, limit) : text, names)
  const claims: Claim[] = []
  let doubted = false
  for (const line of coded.split('\n')) {
    if (line.length > 4000) continue
    if (line === '') {
      doubted = false
      continue
    }
    const sentences = line.replace(/^\s*(?:[-*•>#]+\s*)?(?:\(?\d{1,3}[.):]\s*)?/, '').split(/(?<=[.!?;])\s+/)
    if (!(doubted && onward.test(sentences[0]!))) doubted = false
    let ofLine: Claim[] = []
    for (const sentence of sentences) {
      if (doubted) continue
      const said = claimsIn(sentence, names)
      if (said.length === 0 && retreat.test(sentence) && doubt.test(sentence))
        ofLine.length > 0 ? (ofLine = []) : claims.pop()
      else if (doubt.test(strip(sentence))) doubted = true
      else ofLine.push(...said)
    }
    claims.push(...ofLine)
  }
  return uncut ? claims : claims.slice(0, -1)
}

/**
 * Puts ‹3› for the name of object 3, longest names first, so that no word inside a name is read as language. `uncut` is
 * false when the text ends inside what may be the beginning of a longer name ("Oak" of "Oak Cafe").
 */
function encode(text: string, names: readonly string[]): { coded: string; uncut: boolean } {
  const bare = (t: string): string => nameKey(t.replace(/[*_"“”‹›]|\\(?:text|textbf)\b/g, ''))
  const plain = text
    .split('\n')
    .map((line) => (line.trim() === '' ? '' : bare(line)))
    .join('\n')
  const keys = names.map(bare)
  const end = plain.trimEnd()
  const uncut =
    /[\n.!?;]/.test(text.slice(text.trimEnd().length - 1)) ||
    !keys.some((k) => end.endsWith(k) && keys.some((l) => l !== k && l.startsWith(k)))
  const longest = keys.map((key, i) => ({ key, i })).sort((a, b) => b.key.length - a.key.length)
  let coded = plain
  for (const { key, i } of longest) coded = replaceWord(coded, key, `‹${i}›`)
  return { coded, uncut }
}

function replaceWord(text: string, word: string, by: string): string {
  let out = ''
  let from = 0
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
    const inWord = /[\p{L}\p{N}]/u
    if (inWord.test(text[at - 1] ?? ' ') || inWord.test(text[at + word.length] ?? ' ') || text[at - 1] === '‹') continue
    out += text.slice(from, at) + by
    from = at + word.length
  }
  return out + text.slice(from)
}

/** Lead-ins that stand before a claim without changing it. */
const strip = (sentence: string): string =>
  sentence.replace(/^\W*(?:we know(?: that)?|i know(?: that)?|given(?: that)?)\b/, '')

const claimForm = new RegExp(
  String.raw`(?:(‹\d+›)|(?<![^\s‹›,;:])((?:[^\s‹›,;:]+\s+){0,7}?[^\s‹›,;:]+))\s+(?:is|lies|sits)\s+(?:located\s+|situated\s+|positioned\s+)?(?:directly\s+)?(?:(?:to|in)\s+the\s+)?(${directionWords})\s+of\s+(?:(‹\d+›)|([^‹›,;:]*[^‹›,;:.\s]))`,
  'g',
)

function claimsIn(sentence: string, names: readonly string[]): Claim[] {
  return [...sentence.matchAll(claimForm)].map((m) => {
    const a = m[1] ? Number(m[1].slice(1, -1)) : undefined
    const b = m[4] ? Number(m[4].slice(1, -1)) : undefined
    const show = (i: number | undefined, raw: string | undefined): string =>
      i === undefined ? (raw ?? '').slice(0, 60) : names[i]!
    const direction = compassOf(m[3]!)!
    const text = `${show(a, m[2])} is to the ${direction[0]!.toUpperCase()}${direction.slice(1)} of ${show(b, m[5])}`
    return a === undefined || b === undefined ? { text } : { text, relation: { a, b, direction } }
  })
}
