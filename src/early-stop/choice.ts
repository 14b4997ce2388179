import { lastBoxed, type Option, optionNamed } from '../verify/choice.ts'
import { byLine, type Extractor, type Said } from './statement.ts'

/**
 * Multiple choice: the option that a line of thinking settles on. Letters and values are read as whole words, right after a
 * phrase that announces an answer; the article "a" is never option A, and what is denied, doubted or asked is not stated.
 * @example choice([{ letter: 'A', text: '4' }, { letter: 'B', text: '5' }])('So the answer is **B**.')[0]?.answer // '5'
 */
export function choice(options: readonly Option[]): Extractor {
  return byLine((line) => {
    const letter = stated(line, options)
    const option = letter === undefined ? undefined : options.find((o) => o.letter === letter)
    return option && said(option)
  })
}

const said = (option: Option): Said => ({ answer: option.text, key: option.letter })

const announce =
  /\b(?:answer|option|choice)(?:\s+(?:here|now|then|therefore|thus|indeed))?\s*(?:(?:is|would be|should be|must be|will be|has to be|seems to be|appears to be)(?:\s+(?:indeed|therefore|thus|then|clearly|still|actually|most|probably|likely|simply|just))*\s*:?|[:=]|→|->|(?=\s\(?[A-Z]\)?[.\s]*$))\s*(?:[*_]{2}\s+)?/gi
/** said before: "if the answer is B", "whether", "is the answer B?" */
const doubted = /\b(?:if|whether|unless|suppose|assume|assuming|would mean|could|can|might|cannot|can't)\b[^.;,]*$/i
const chosen =
  /\b(?:choose|pick|select|going with|go with|answer with|mark|so it(?:'s| is)|(?:matches|corresponds to|which is|that is|that's|this is)(?=\s+(?:option|choice)\b)|it must be|it has to be)\s+(?:the\s+)?(?:option|choice|answer)?\s*/gi
const correct =
  /(?:\b(?:option|choice|answer)\s+)?[*_`("$]{0,4}\b([A-Z])\b[)*_`"$]{0,4}(?:[.:]\s*[^.;,!?]{1,60}?)?\s+(?:is|must be|should be|would be|has to be)\s+(?:(?:therefore|thus|indeed|clearly|then|the)\s+)*(?:answer|(?:only\s+)?(?:correct|right|best|possible|valid)(?:\s+(?:answer|option|choice|one)\b|(?!\s+[a-z])))\b/g

function stated(line: string, options: readonly Option[]): string | undefined {
  if (/\?\s*$/.test(line)) return undefined
  const boxed = lastBoxed(line)
  if (boxed !== undefined) return optionNamed(boxed, options)
  let found: { letter: string; at: number } | undefined
  const note = (letter: string | undefined, at: number): void => {
    if (letter !== undefined && (!found || at >= found.at)) found = { letter, at }
  }
  for (const m of line.matchAll(announce))
    if (!doubted.test(clause(line, m.index))) note(named(line.slice(m.index + m[0].length), options), m.index)
  for (const m of line.matchAll(chosen))
    if (!denied(clause(line, m.index)) && !doubted.test(clause(line, m.index)))
      note(letterAt(line.slice(m.index + m[0].length), options), m.index)
  for (const m of line.matchAll(correct))
    if (options.some((o) => o.letter === m[1]) && !denied(m[0]) && !doubted.test(clause(line, m.index)))
      note(m[1], m.index)
  return found?.letter
}

/** The clause that leads up to an offset. */
const clause = (line: string, at: number): string => /[^.;!?]*$/.exec(line.slice(Math.max(0, at - 200), at))?.[0] ?? ''

const denied = (text: string): boolean =>
  /\b(?:not|never|cannot|can't|isn't|wouldn't|won't|doesn't|don't|no)\b/i.test(text)

/** The option that the words after "the answer is" begin with, if they settle on one. */
function named(after: string, options: readonly Option[]): string | undefined {
  if (/^(?:not|never|n't|unlikely|neither|either|between|among|none)\b/i.test(after)) return undefined
  const letter = letterAt(after, options)
  const value = valueAt(after, options)
  if (letter === undefined) return value
  return value === undefined || value === letter ? letter : undefined
}

/** Words that may follow a letter or a yes/no without making it something else. */
const joins = /^(?:because|since|as|which|with|from|based|here|then|so|for|given|according|after|where|but|and|due)\b/i

function letterAt(text: string, options: readonly Option[]): string | undefined {
  const m =
    /^(?:option\s+|choice\s+|answer\s+)?[*_`("'$[{]*(?:\\(?:text|mathbf|textbf|mathrm)\s*\{)?([A-Za-z])(?![\w'’])([)*_`"'$\]}]*)(.*)$/is.exec(
      text,
    )
  if (!m) return undefined
  const [, found, close, rest] = m as unknown as [string, string, string, string]
  const letter = found.toUpperCase()
  if (!options.some((o) => o.letter === letter)) return undefined
  // "(a)" and **a** are marked, "a hole" in quotes is not
  const marked = close !== ''
  // a bare small letter is an article or a variable more often than an option
  if (!marked && found !== letter) return undefined
  const words = /^([.:,;)\s—–-]*)(.*)$/s.exec(rest)!
  const [, gap, tail] = words as unknown as [string, string, string]
  if (rival(tail, letter, options)) return undefined
  if (marked || tail === '' || gap.trim() !== '' || /^[([]/.test(tail) || joins.test(tail)) return letter
  // "A different one": a word right after a bare letter makes it an article or an initial
  return undefined
}

function valueAt(text: string, options: readonly Option[]): string | undefined {
  const plain = text.replace(/^(?:the\s+|[*_`"'$([{]|\\\(|\\text\s*\{)+/i, '')
  const fits = options.filter((o) => startsWithValue(plain, o.text)).sort((a, b) => b.text.length - a.text.length)
  const best = fits[0]
  if (!best || fits.some((o) => o !== best && o.text.length === best.text.length)) return undefined
  return rival(plain.slice(best.text.length), best.letter, options) ? undefined : best.letter
}

function startsWithValue(text: string, value: string): boolean {
  if (value === '' || text.slice(0, value.length).toLowerCase() !== value.toLowerCase()) return false
  const rest = text.slice(value.length)
  if (/^[\w'’]/.test(rest)) return false
  if (/\d$/.test(value)) return !/^(?:[.,]\d|\s*[/^%]|\s*\\?[+*×=-])/.test(rest)
  // "no longer", "now": a yes or no is an answer only where the sentence may end after it
  const words = /^[\s*_`"'$)\]}]*(.*)$/s.exec(rest)![1]!
  return value.length > 3 || words === '' || /^[.,;:!()—–-]/.test(words) || joins.test(words)
}

/** "B or C" settles on neither. */
function rival(tail: string, letter: string, options: readonly Option[]): boolean {
  const m = /^[\s,)*"']*(?:or|and|\/)\s+(?:option\s+)?[*(_"']*([A-Z])\b(?!\s+[a-z])/.exec(tail)
  return m !== null && m[1] !== letter && options.some((o) => o.letter === m[1])
}
