/** What several tasks need of a model's text: the part after the thinking, the last \boxed{…}, an honest "none yet". */

const closings = ['</think>', '</thinking>', '</thought>', '<|end_of_thought|>', '[/THINK]']

/** What follows the last close of thinking; the whole text where there is none. */
export function afterThinking(text: string): string {
  let cut = 0
  for (const tag of closings) {
    const at = text.lastIndexOf(tag)
    if (at >= 0) cut = Math.max(cut, at + tag.length)
  }
  return text.slice(cut)
}

/** Where the brace opened at `open` closes, or -1. Escaped braces \{ \} are text. */
export function closingBrace(text: string, open: number): number {
  let depth = 0
  for (let i = open; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === 92) i++
    else if (c === 123) depth++
    else if (c === 125 && --depth === 0) return i
  }
  return -1
}

/** What an open brace before (or an open \boxed{ in) `text` holds: up to its closing brace, else up to the end of the line. */
export function untilBrace(text: string): string {
  const open = text.lastIndexOf('\\boxed{')
  const line = (open < 0 ? text : text.slice(open + 7)).split('\n', 1)[0]!
  const close = closingBrace(`{${line}`, 0)
  return close < 0 ? line : line.slice(0, close - 1)
}

/**
 * Was a fork's line cut off by its length limit rather than ended? A token is at least a character, so what is shorter than the
 * limit was not cut. The end of a line that was cut ("1" of "12") says nothing.
 */
export function isCut(line: string, maxTokens: number, closed: boolean): boolean {
  return !closed && line.length >= maxTokens
}

/** The contents of every \boxed{…} or \fbox{…}, in order; a box that never closes is not one. */
export function boxes(text: string): string[] {
  const out: string[] = []
  const opening = /\\(?:boxed|fbox)\s*(\{|(?=\S))/g
  for (let m = opening.exec(text); m; m = opening.exec(text)) {
    if (m[1] !== '{') {
      // \boxed 5: TeX takes one token
      const token = /^(?:\\[a-zA-Z]+|[^\s{}\\])/.exec(text.slice(opening.lastIndex))
      if (token) out.push(token[0])
      continue
    }
    const open = opening.lastIndex - 1
    const close = closingBrace(text, open)
    if (close < 0) break
    out.push(text.slice(open + 1, close))
    opening.lastIndex = close + 1
  }
  return out
}

/** The content of the last \boxed{…}. */
export function lastBox(text: string): string | undefined {
  return boxes(text).at(-1)
}

/** What stands in the last <answer>…</answer>; a lost first bracket is forgiven. */
export function lastAnswerTag(text: string): string | undefined {
  const lower = text.toLowerCase()
  const close = lower.lastIndexOf('</answer>')
  const open = close < 0 ? -1 : lower.lastIndexOf('answer>', close - 1)
  return open < 0 || text[open - 1] === '/' ? undefined : text.slice(open + 'answer>'.length, close)
}

/** An honest "nothing yet". */
export function isNone(text: string): boolean {
  if (text.length > 200 || /\d/.test(text)) return false
  const bare = text
    .toLowerCase()
    .replace(/\\(?:text|mathrm|textbf)\b/g, '')
    .replace(/[^a-z/ ]+/g, ' ')
    .trim()
    .replace(/\s+/g, ' ')
  return (
    bare === '' ||
    /^(?:none|nothing|not|no|n\/a|unknown|undefined|null|empty|no solution|nosolution|tbd|pending)(?: (?:yet|found|so far|known|any|solution|expression|answer|sure|exist|exists|i|have|one|is|possible|complete|determined))*$/.test(
      bare,
    )
  )
}
