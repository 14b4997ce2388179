/** Multiple choice: the options of a question and the option that a text settles on. Knows no task. */

export interface Option {
  readonly letter: string
  readonly text: string
}

/**
 * The options of a question, from "A. 2\nB. 5" or "A. 2 B. 5"; letters in sequence from A, any count.
 * The dataset glues a full stop to the last one, which is no part of it.
 * @example readOptions('Available options:\nA. Yes\nB. No.') // [{letter: 'A', text: 'Yes'}, {letter: 'B', text: 'No'}]
 */
export function readOptions(text: string): Option[] {
  const at = text.search(/available options\s*:/i)
  const body = at < 0 ? text : text.slice(at).replace(/^[^:]*:/, '')
  const lines = optionStarts(body, /(?:^|\n)[ \t]*\(?([A-Z])[.):][ \t]+/g)
  return lines.length >= 2 ? lines : optionStarts(body, /(?:^|\s)\(?([A-Z])[.):][ \t]+/g)
}

function optionStarts(body: string, pattern: RegExp): Option[] {
  const starts: { letter: string; from: number; to: number }[] = []
  for (const m of body.matchAll(pattern)) {
    // only the sequence A, B, C … counts: "Mr. B. Goode" inside an option starts nothing
    if (m[1] === String.fromCharCode(65 + starts.length))
      starts.push({ letter: m[1]!, from: m.index, to: m.index + m[0].length })
  }
  return starts.map((s, i) => {
    const end = starts[i + 1]?.from ?? lineEnd(body, s.to)
    return { letter: s.letter, text: body.slice(s.to, end).trim().replace(/\.$/, '').trim() }
  })
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  return at < 0 ? text.length : at
}

/** The inside of the last \boxed{…} (brackets matched), or undefined. An unclosed box is not an answer yet. */
export function lastBoxed(text: string): string | undefined {
  let at = text.length
  for (let tries = 0; tries < 50 && at > 0; tries++) {
    at = text.lastIndexOf('\\boxed', at - 1)
    if (at < 0) break
    const open = /^\\boxed\s*\{/.exec(text.slice(at, at + 40))
    const inside = open && braced(text, at + open[0].length)
    if (inside !== undefined && inside !== null) return inside
  }
  return undefined
}

function braced(text: string, from: number): string | undefined {
  let depth = 1
  for (let i = from; i < text.length && i < from + 4000; i++) {
    if (text[i] === '{') depth++
    else if (text[i] === '}' && --depth === 0) return text.slice(from, i)
  }
  return undefined
}

const plain = (text: string): string =>
  text
    .replace(/\\(?:text|textbf|mathrm|mathbf|bf|rm)\s*/g, '')
    .replace(/[{}$*_`"\\]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

const fold = (text: string): string =>
  plain(text)
    .toLowerCase()
    .replace(/[.\s]+$/, '')

/** The option that this short text names, by letter ("B", "(B)", "B. 5", "option B") or by its own words ("5"). */
export function optionNamed(text: string, options: readonly Option[]): string | undefined {
  if (text.length > 1000) return undefined
  const said = plain(text).replace(/[.\s]+$/, '')
  const byText = options.filter((o) => fold(o.text) === said.toLowerCase())
  const m = /^(?:(?:the )?(?:option|choice|answer) )?\(?([A-Z])\)?(?:\s*[.):,-]\s*(.*))?$/i.exec(said)
  const byLetter = m ? options.find((o) => o.letter === m[1]!.toUpperCase()) : undefined
  // "B. 5" names B only if B is 5, and a letter that is another option's text names two options
  if (byLetter && (!m![2] || fold(m![2]) === fold(byLetter.text)))
    return byText.length === 1 && byText[0] !== byLetter ? undefined : byLetter.letter
  return byText.length === 1 ? byText[0]!.letter : undefined
}

/**
 * The option letter that an answer settles on. The last box decides; a box that names no option ("no solution") is no
 * answer, and prose around it is not searched. Without a box only a plain "answer is B" or a bare "B. 5" counts.
 * @example chosenOption('So \\boxed{B}', options) // 'B'
 */
export function chosenOption(text: string, options: readonly Option[]): string | undefined {
  const boxed = lastBoxed(text)
  if (boxed !== undefined) return optionNamed(boxed, options)
  // the text may begin inside a box that was opened for the model
  const opened = /^\s*\{([^{}\n]{1,200})\}/.exec(text)
  if (opened) return optionNamed(opened[1]!, options)
  return proseOption(text, options)
}

/** Only capitals count, because "a" is an article, and only beside the word "answer". */
const said =
  /\b[Aa]nswer(?: is| would be| must be)?\s*:?\s*(?:option )?[*_`$("]*([A-Z])(?![\w'])(?! [a-z])|\b(?:option )?([A-Z])(?: \([^()\n]{1,80}\))? is the (?:correct|right) (?:answer|option)\b/g

function proseOption(text: string, options: readonly Option[]): string | undefined {
  const tail = text.length > 20_000 ? text.slice(-20_000) : text
  let last: string | undefined
  for (const m of tail.matchAll(said)) {
    const letter = m[1] ?? m[2]
    if (options.some((o) => o.letter === letter)) last = letter
  }
  if (last) return last
  const lines = tail.split('\n').filter((l) => l.trim() !== '')
  return optionNamed(lines[0] ?? '', options) ?? optionNamed(lines.at(-1) ?? '', options)
}
