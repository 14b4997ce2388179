/** Reads JSON as models write it: cut short, with single quotes, comments' commas, curly quotes. Runs no code. */

export type Loose = string | number | boolean | null | readonly Loose[] | { readonly [key: string]: Loose }

export interface LooseRead {
  readonly value: Loose | undefined
  /** index after what was read */
  readonly end: number
  /** false: the text ended before the value did, and what was unfinished is left out */
  readonly closed: boolean
}

const maxDepth = 12
const failed = (at: number): LooseRead => ({ value: undefined, end: at, closed: true })
const blank = (text: string, at: number): number => {
  let i = at
  while (i < text.length && /[\s,]/.test(text[i]!)) i++
  return i
}

export function readLooseJson(text: string, from: number, depth = 0): LooseRead {
  const at = blank(text, from)
  const c = text[at]
  if (c === undefined) return { value: undefined, end: at, closed: false }
  if (depth > maxDepth) return failed(at)
  if (c === '{') return readObject(text, at, depth)
  if (c === '[') return readList(text, at, depth)
  if (/["'“”`]/.test(c)) return readString(text, at)
  const word = /^[^\s,{}[\]:"']{1,60}/.exec(text.slice(at, at + 80))?.[0]
  if (!word) return failed(at)
  const end = at + word.length
  // a bare word at the very end may go on
  if (end >= text.length) return { value: undefined, end, closed: false }
  return { value: bareWord(word), end, closed: true }
}

const bareWord = (word: string): Loose => {
  if (/^(?:null|none|undefined)$/i.test(word)) return null
  if (/^(?:true|false)$/i.test(word)) return word.toLowerCase() === 'true'
  return /^-?\d{1,15}$/.test(word) ? Number(word) : word
}

function readString(text: string, at: number): LooseRead {
  const open = text[at]!
  const closes = open === '“' || open === '”' ? '”“"' : open
  let value = ''
  for (let i = at + 1; i < text.length && i < at + 2000; i++) {
    const c = text[i]!
    if (c === '\\' && i + 1 < text.length) value += text[++i]
    // an apostrophe inside a single-quoted string does not end it
    else if (closes.includes(c) && !(c === "'" && /[\p{L}\p{N}]/u.test(text[i + 1] ?? ' ')))
      return { value, end: i + 1, closed: true }
    else if (c === '\n') return failed(i)
    else value += c
  }
  return { value: undefined, end: text.length, closed: text.length > at + 2000 }
}

function readObject(text: string, from: number, depth: number): LooseRead {
  const value: { [key: string]: Loose } = Object.create(null)
  for (let at = from + 1; ; ) {
    at = blank(text, at)
    if (at >= text.length) return { value, end: at, closed: false }
    if (text[at] === '}') return { value, end: at + 1, closed: true }
    if (text[at] === '{' || text[at] === '[') return failed(at)
    const key = readLooseJson(text, at, depth)
    const colon = blank(text, key.end)
    if (colon >= text.length) return { value, end: colon, closed: false }
    if ((typeof key.value !== 'string' && typeof key.value !== 'number') || text[colon] !== ':') return failed(at)
    const member = readLooseJson(text, colon + 1, depth + 1)
    if (member.value !== undefined) value[String(key.value)] = member.value
    if (!member.closed) return { value, end: member.end, closed: false }
    if (member.value === undefined) return failed(at)
    at = member.end
  }
}

function readList(text: string, from: number, depth: number): LooseRead {
  const value: Loose[] = []
  for (let at = from + 1; ; ) {
    at = blank(text, at)
    if (at >= text.length) return { value, end: at, closed: false }
    if (text[at] === ']') return { value, end: at + 1, closed: true }
    const item = readLooseJson(text, at, depth + 1)
    if (item.value !== undefined) value.push(item.value)
    if (!item.closed) return { value, end: item.end, closed: false }
    if (item.value === undefined) return failed(at)
    at = item.end
  }
}
