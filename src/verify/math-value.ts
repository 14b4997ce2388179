import { variablesOf } from './math-form.ts'
import { type MathExpression, parseMath } from './math-parse.ts'
import { clean, rowEnd, splitOutside, words } from './math-text.ts'

/** What an answer is: a quantity, several, a point or interval, a union, a matrix, an equation, words, or unread. */
export type MathValue =
  | { readonly kind: 'quantity'; readonly expression: MathExpression; readonly unit?: string; readonly base?: string }
  | { readonly kind: 'infinity'; readonly negative: boolean }
  | { readonly kind: 'list'; readonly items: readonly MathValue[] }
  | { readonly kind: 'tuple'; readonly brackets: string; readonly items: readonly MathValue[] }
  | { readonly kind: 'union'; readonly parts: readonly MathValue[] }
  | { readonly kind: 'matrix'; readonly rows: readonly (readonly MathValue[])[] }
  | { readonly kind: 'equation'; readonly left: MathExpression; readonly right: MathExpression }
  | { readonly kind: 'named'; readonly name: string; readonly value: MathValue }
  | { readonly kind: 'words'; readonly text: string }
  | { readonly kind: 'unread' }

const unread: MathValue = { kind: 'unread' }

/** @example readAnswer('\\left(3, \\frac{\\pi}{2}\\right)') */
export function readAnswer(text: string, depth = 0): MathValue {
  const s = depth === 0 ? clean(text) : text.trim()
  if (s === '' || depth > 4 || s.length > 2000) return unread
  return (
    matrix(s, depth) ??
    shortWord(s) ??
    infinity(s) ??
    interval(s, depth) ??
    union(s, depth) ??
    named(s, depth) ??
    relation(s) ??
    bracketed(s, depth) ??
    list(s, depth) ??
    plusMinus(s, depth) ??
    quantity(s) ??
    text_(s)
  )
}

/** Words so short that they would be read as products of variables. */
function shortWord(s: string): MathValue | undefined {
  return /^(?:yes|no|odd|one|two|six|ten|dne|all|any)$/i.test(s) ? { kind: 'words', text: s.toLowerCase() } : undefined
}

function text_(s: string): MathValue {
  const said = words(s)
  return said === undefined || said === '' ? unread : { kind: 'words', text: said }
}

function matrix(s: string, depth: number): MathValue | undefined {
  const m = /^\\begin\{([pbvBV]?matrix|array)\}(?:\{[lcr|]*\})?(.*)\\end\{\1\}$/s.exec(s)
  if (!m) return undefined
  const rows = m[2]!
    .split(rowEnd)
    .map((row) => row.replace(/^\[[^\]]*\]/, ''))
    .filter((row, i, all) => row.trim() !== '' || i < all.length - 1)
    .map((row) => row.split('&').map((cell) => readAnswer(cell, depth + 1)))
  return { kind: 'matrix', rows }
}

function infinity(s: string): MathValue | undefined {
  const m = /^([+-]?)\s*(?:\\infty|infinity|inf)$/i.exec(s)
  return m ? { kind: 'infinity', negative: m[1] === '-' } : undefined
}

/** a <= x < b, x > 5: the interval it names */
function interval(s: string, depth: number): MathValue | undefined {
  const parts = s.split(/(\\le(?![a-zA-Z])|\\ge(?![a-zA-Z])|<|>)/).map((part) => part.trim())
  const isVariable = (part: string): boolean =>
    /^(?:[a-zA-Z]|\\(?:theta|alpha|lambda))$/.test(part) && !/^[ei]$/.test(part)
  const read = (part: string): MathValue => readAnswer(part, depth + 1)
  if (parts.length === 5 && isVariable(parts[2]!)) {
    const [a, r, , q, b] = parts as [string, string, string, string, string]
    const up = (x: string): boolean => x === '<' || x === '\\le'
    if (up(r) !== up(q)) return unread
    const [low, lowSign, high, highSign] = up(r) ? [a, r, b, q] : [b, q, a, r]
    const brackets = `${/\\/.test(lowSign) ? '[' : '('}${/\\/.test(highSign) ? ']' : ')'}`
    return { kind: 'tuple', brackets, items: [read(low), read(high)] }
  }
  if (parts.length !== 3) return parts.length > 1 ? unread : undefined
  const [a, r, b] = parts as [string, string, string]
  if (!isVariable(a)) return unread
  const closed = r.startsWith('\\')
  const bound = read(b)
  if (r === '>' || r === '\\ge')
    return { kind: 'tuple', brackets: `${closed ? '[' : '('})`, items: [bound, { kind: 'infinity', negative: false }] }
  return { kind: 'tuple', brackets: `(${closed ? ']' : ')'}`, items: [{ kind: 'infinity', negative: true }, bound] }
}

function union(s: string, depth: number): MathValue | undefined {
  const parts = s.split(/\\cup(?![a-zA-Z])/)
  return parts.length < 2 ? undefined : { kind: 'union', parts: parts.map((part) => readAnswer(part, depth + 1)) }
}

/** x = 5, x \in [-2,7], f(x) = 2x: the name and what it is */
function named(s: string, depth: number): MathValue | undefined {
  const m =
    /^([a-zA-Z](?:_\{?\w+\}?)?(?:\([a-z](?:,\s*[a-z])*\))?|\\(?:theta|alpha|beta|lambda|angle\s*[A-Z]+))\s*(?:=|\\in(?![a-z]))\s*([^=]+)$/s.exec(
      s,
    )
  if (!m || splitOutside(s, /,|\\text\{\s*(?:and|or)\s*\}/y).length > 1) return undefined
  return { kind: 'named', name: m[1]!.replace(/\s/g, ''), value: readAnswer(m[2]!, depth + 1) }
}

function relation(s: string): MathValue | undefined {
  const sides = s.split('=')
  if (sides.length < 2 || splitOutside(s, /,/y).length > 1) return undefined
  const read = sides.map(parseMath)
  if (read.some((side) => side === undefined)) return unread
  // "\sqrt{117} = 3\sqrt{13}" says one number twice; its last form is the answer
  const [left, right] = [read[0]!, read.at(-1)!]
  if (read.every((side) => variablesOf(side!).size === 0)) return { kind: 'quantity', expression: right }
  return sides.length === 2 ? { kind: 'equation', left, right } : unread
}

function bracketed(s: string, depth: number): MathValue | undefined {
  const set = /^\\\{(.*)\\\}$/s.exec(s)
  if (set) {
    if (/\\mid|\||:/.test(set[1]!)) return unread
    return { kind: 'list', items: splitOutside(set[1]!, /,|;/y).flatMap((item) => flat(readAnswer(item, depth + 1))) }
  }
  if (!/^[([].*[)\]]$/s.test(s) || !closesAtEnd(s)) return undefined
  const items = splitOutside(s.slice(1, -1), /,|;/y)
  if (items.length < 2) return undefined
  return { kind: 'tuple', brackets: s[0]! + s.at(-1)!, items: items.map((item) => readAnswer(item, depth + 1)) }
}

/** Does the bracket that opens the text close at its very end? Half-open intervals count as closed. */
function closesAtEnd(s: string): boolean {
  let depth = 0
  for (let i = 0; i < s.length; i++) {
    if ('([{'.includes(s[i]!)) depth++
    else if (')]}'.includes(s[i]!) && --depth === 0) return i === s.length - 1
  }
  return false
}

function list(s: string, depth: number): MathValue | undefined {
  if (/^-?\$?\s*(?:\\\$)?\d{1,3}(?:,\d{3})+(?:\.\d+)?\D*$/.test(s)) return undefined
  const items = splitOutside(s, /,|;|\\text\{\s*,?\s*(?:and|or)\s*\}|\s(?:and|or)\s/y).filter((item) => item !== '')
  if (items.length < 2 || words(s) !== undefined) return undefined
  return { kind: 'list', items: items.flatMap((item) => flat(readAnswer(item, depth + 1))) }
}

const flat = (value: MathValue): readonly MathValue[] => (value.kind === 'list' ? value.items : [value])

function plusMinus(s: string, depth: number): MathValue | undefined {
  const signs = s.match(/\\(?:pm|mp)(?![a-zA-Z])/g)
  if (!signs) return undefined
  if (signs.length > 1) return unread
  const items = ['+', '-'].map((sign) => readAnswer(s.replace(/\\(?:pm|mp)(?![a-zA-Z])/, sign), depth + 1))
  return { kind: 'list', items }
}

const unitWords =
  'degrees?|dollars?|cents?|cm|mm|km|m|kg|g|mg|ml|l|inch(?:es)?|in|feet|foot|ft|yards?|miles?|mph|hours?|hrs?|minutes?|mins?|seconds?|secs?|s|days?|weeks?|months?|years?|meters?|metres?|centimeters?|kilometers?|liters?|litres?|grams?|kilograms?|pounds?|lbs?|ounces?|oz|units?|square units?|sq|percent|points?|people|students?|ways?'
const gluedUnit = new RegExp(String.raw`^(.*[\d}).])\s*(${unitWords})(\^\{?[23]\}?)?$`, 'is')

/** A number or expression, with its money sign, percent, degree or unit taken apart. */
function quantity(s: string): MathValue | undefined {
  let body = s
  let unit: string | undefined
  const take = (pattern: RegExp, name: string | ((m: RegExpExecArray) => string)): void => {
    const m = unit === undefined ? pattern.exec(body) : null
    if (!m) return
    unit = typeof name === 'string' ? name : name(m)
    body = m[1]!.trim()
  }
  take(/^\\?\$\s*(.+)$/s, 'money')
  take(/^(-)?\\?\$(.+)$/s, 'money')
  take(/^(.*?)\s*(?:\\%|%|\\text\{\s*percent\s*\})$/is, 'percent')
  take(/^(.*?)\s*\^\s*(?:\{\s*\\circ\s*\}|\\circ)$/s, 'degree')
  take(/^(.*?[\d}).])\s*\\text\s*\{\s*([^{}]*)\}(\^\{?[23]\}?)?$/s, (m) => unitName(m[2]! + (m[3] ?? '')))
  take(gluedUnit, (m) => unitName(m[2]! + (m[3] ?? '')))
  take(/^(-?\d[\d,]*(?:\.\d+)?|-?\d+\/\d+)\s+([a-z][a-z ]+)$/is, (m) => unitName(m[2]!))
  const inner = /^(.*)\^\{?\\circ\}?(\}\{.*)$/s.exec(body)
  if (inner && unit === undefined) {
    unit = 'degree'
    body = inner[1]! + inner[2]!
  }
  // the degrees of \sin 30^\circ are inside the function
  if (unit === 'degree' && /sin|cos|tan|cot|sec|csc/.test(body)) return unread
  const based = /^\(?([0-9A-F]+)\)?_\{?(\d+)\}?$/.exec(body)
  if (based) return { kind: 'quantity', expression: { k: 'symbol', name: based[1]! }, base: based[2]! }
  // LaTeX raises to one digit; without LaTeX 10^200 means what it says
  if (!body.includes('\\')) body = body.replace(/\^(\d{2,})/g, '^{$1}')
  const times10 = body.replace(/(\d)\s*[xX]\s*10\^/, '$1\\times 10^')
  const expression = parseMath(times10.replace(/\^\s*\(?(-\d+)\)?/g, '^{$1}'))
  if (!expression) return undefined
  return unit === undefined ? { kind: 'quantity', expression } : { kind: 'quantity', expression, unit }
}

function unitName(text: string): string {
  const bare = text.toLowerCase().replace(/[\s{}.]/g, '')
  if (/^(?:degrees?|deg)$/.test(bare)) return 'degree'
  if (/^(?:dollars?|usd|bucks)$/.test(bare)) return 'money'
  if (bare === 'percent') return 'percent'
  return bare.replace(/e?s(?=$|\^)/, '')
}
