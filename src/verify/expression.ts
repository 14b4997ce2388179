import { add, divide, multiply, negate, parseDecimal, type Rational, subtract } from './rational.ts'

/**
 * Arithmetic as models write it, plain or LaTeX, parsed by hand and computed exactly. Only numbers, + - * / and brackets are
 * legal; a power, a root, a factorial or a name is `illegal`, prose is `unreadable`. Nothing is ever evaluated as code.
 */
export type Expression =
  | { readonly kind: 'number'; readonly value: Rational; readonly text: string }
  | { readonly kind: 'negate'; readonly of: Expression }
  | { readonly kind: '+' | '-' | '*' | '/'; readonly left: Expression; readonly right: Expression }

export type Parsed =
  | { readonly ok: true; readonly sides: readonly [Expression, ...Expression[]] }
  | { readonly ok: false; readonly kind: 'illegal' | 'unfinished' | 'unreadable'; readonly why: string }

type Lexeme =
  | { readonly t: 'number'; readonly value: Rational; readonly text: string; readonly glued: boolean }
  | { readonly t: '+' | '-' | '*' | '/' | '=' | 'frac' }
  | { readonly t: 'open' | 'close'; readonly bracket: string }

const MAX_LENGTH = 4000
const MAX_DEPTH = 200

class Refusal extends Error {
  readonly kind: 'illegal' | 'unfinished' | 'unreadable'
  constructor(kind: Refusal['kind'], why: string) {
    super(why)
    this.kind = kind
  }
}

/**
 * Reads an expression, or an equation such as "(1+2+3)*4 = 24" as its sides.
 * @example parseExpression('\\frac{8}{3-\\frac{8}{3}} = 24')
 */
export function parseExpression(text: string): Parsed {
  try {
    if (text.length > MAX_LENGTH) throw new Refusal('unreadable', 'it is too long to be an expression')
    const lexemes = lex(strip(text))
    if (lexemes.length === 0) throw new Refusal('unreadable', 'there is no expression in it')
    return { ok: true, sides: parse(lexemes) }
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, kind: error.kind, why: error.message }
    throw error
  }
}

/** The exact value, or undefined when it divides by zero. */
export function evaluate(e: Expression): Rational | undefined {
  if (e.kind === 'number') return e.value
  if (e.kind === 'negate') {
    const of = evaluate(e.of)
    return of && negate(of)
  }
  const left = evaluate(e.left)
  const right = evaluate(e.right)
  if (!left || !right) return undefined
  switch (e.kind) {
    case '+':
      return add(left, right)
    case '-':
      return subtract(left, right)
    case '*':
      return multiply(left, right)
    case '/':
      return divide(left, right)
  }
}

/** Every number in it, in the order written. */
export function literals(e: Expression): Extract<Expression, { kind: 'number' }>[] {
  if (e.kind === 'number') return [e]
  if (e.kind === 'negate') return literals(e.of)
  return [...literals(e.left), ...literals(e.right)]
}

/** Markdown, math delimiters and a sentence's end around an expression. */
function strip(text: string): string {
  let out = text.trim()
  for (let before = ''; before !== out; ) {
    before = out
    out = out
      .replace(/^(?:\*\*|__|`+|\$+|\\\[|\\\(|\s)+/, '')
      .replace(/(?:\*\*|__|`+|\$+|\\\]|\\\)|[.,;:!](?=$)|\s)+$/, (tail) => (tail.includes('!') ? tail : ''))
  }
  return out
}

/** LaTeX that only lays out or groups. */
const layout = /^\\(?:left|right|[bB]ig+[lr]?|displaystyle|textstyle|mathrm|mathbf|text|quad|qquad|[,;:! ])/
const functions = /^\\?(?:sqrt|log|ln|exp|sin|cos|tan|abs|pow|min|max|floor|ceil|fact|factorial|mod|binom|sum|prod)\b/

const operators: Record<string, '+' | '-' | '*' | '/' | '='> = {
  '+': '+',
  '\uff0b': '+',
  '-': '-',
  '\u2212': '-',
  '\u2013': '-',
  '\uff0d': '-',
  '*': '*',
  '\u00d7': '*',
  '\u00b7': '*',
  '\u22c5': '*',
  '\u2219': '*',
  '\u2217': '*',
  '\u2022': '*',
  '\u2715': '*',
  '\u2a09': '*',
  '/': '/',
  '\u00f7': '/',
  '\u2044': '/',
  '\u2215': '/',
  ':': '/',
  '=': '=',
}
const commands: Record<string, '*' | '/'> = { times: '*', cdot: '*', ast: '*', div: '/' }
const opening: Record<string, string> = { '(': ')', '[': ']', '{': '}', '\uff08': '\uff09', '\u27e8': '\u27e9' }
const closing = new Set(Object.values(opening))

function lex(text: string): Lexeme[] {
  const out: Lexeme[] = []
  let i = 0
  while (i < text.length) {
    const rest = text.slice(i, i + 40)
    const [lexeme, length] = next(rest, out)
    if (lexeme) out.push(lexeme)
    i += length
  }
  return out
}

function next(rest: string, before: readonly Lexeme[]): [Lexeme | undefined, number] {
  const c = rest[0]!
  const blank = /^[\s~\u00a0\u2009\u200b]+/.exec(rest)
  if (blank) return [undefined, blank[0].length]
  if (/^(?:\*\*|\/\/|\^|!|%|_|\\%|\u00b2|\u00b3|\u221a|&|\|)/.test(rest))
    throw new Refusal(
      'illegal',
      `it uses "${rest.startsWith('**') || rest.startsWith('//') ? rest.slice(0, 2) : c}", which is not allowed`,
    )
  const digits = /^(?:\d+(?:\.\d*)?|\.\d+)/.exec(rest)
  if (digits) return number(digits[0], rest.slice(digits[0].length), before)
  if (functions.test(rest)) throw new Refusal('illegal', 'it uses a function, and only + - * / are allowed')
  if (c === '\\') return command(rest)
  if (Object.hasOwn(operators, c)) return [{ t: operators[c]! }, 1]
  if (Object.hasOwn(opening, c)) return [{ t: 'open', bracket: c }, 1]
  if (closing.has(c)) return [{ t: 'close', bracket: c }, 1]
  const last = before.at(-1)
  if (/^[xX](?![a-zA-Z])/.test(rest) && last && (last.t === 'number' || last.t === 'close')) return [{ t: '*' }, 1]
  throw new Refusal('unreadable', `"${rest.slice(0, 12)}" is not part of an expression`)
}

function number(text: string, after: string, before: readonly Lexeme[]): [Lexeme, number] {
  if (/^(?:_\d|[eE][+-]?\d|[a-wyzA-WYZ]\d|[xX][0-9a-fA-F]+[a-fA-F])/.test(after))
    throw new Refusal('illegal', `"${text}${after.slice(0, 3)}" is not a plain number`)
  if (text === '0' && /^[xXbBoO][0-9a-fA-F]/.test(after))
    throw new Refusal('illegal', `"0${after.slice(0, 3)}" is not a plain number`)
  if (text.length > 100) throw new Refusal('illegal', 'a number in it is far too long')
  return [{ t: 'number', value: parseDecimal(text)!, text, glued: before.at(-1)?.t === 'number' }, text.length]
}

function command(rest: string): [Lexeme | undefined, number] {
  if (rest[1] === '{' || rest[1] === '}')
    return [rest[1] === '{' ? { t: 'open', bracket: '{' } : { t: 'close', bracket: '}' }, 2]
  const name = /^\\([a-zA-Z]+)/.exec(rest)?.[1]
  if (name && Object.hasOwn(commands, name)) return [{ t: commands[name]! }, name.length + 1]
  if (name === 'frac' || name === 'dfrac' || name === 'tfrac' || name === 'cfrac')
    return [{ t: 'frac' }, name.length + 1]
  if (name === 'lbrace' || name === 'lbrack')
    return [{ t: 'open', bracket: name === 'lbrace' ? '{' : '[' }, name.length + 1]
  if (name === 'rbrace' || name === 'rbrack')
    return [{ t: 'close', bracket: name === 'rbrace' ? '}' : ']' }, name.length + 1]
  const plain = layout.exec(rest)
  if (plain) return [undefined, plain[0].length]
  throw new Refusal('unreadable', `"${rest.slice(0, 12)}" is not part of an expression`)
}

/** Recursive descent: equation, sum, product, factor. */
function parse(lexemes: readonly Lexeme[]): [Expression, ...Expression[]] {
  let at = 0
  let depth = 0
  const peek = (): Lexeme | undefined => lexemes[at]
  const unfinished = (): never => {
    throw new Refusal(at >= lexemes.length ? 'unfinished' : 'unreadable', 'it is not a finished expression')
  }

  function group(bracket: string): Expression {
    const open = lexemes[at]
    if (open?.t !== 'open' || (bracket !== '' && open.bracket !== bracket)) return unfinished()
    if (++depth > MAX_DEPTH) throw new Refusal('unreadable', 'its brackets are nested too deeply')
    at++
    const inner = sum()
    const close = lexemes[at]
    if (close?.t !== 'close' || close.bracket !== opening[open.bracket]) return unfinished()
    at++
    depth--
    return inner
  }

  /** \frac{a}{b}, and TeX's \frac12, which takes one digit each */
  function part(): Expression {
    const l = peek()
    if (l?.t === 'open') return group('{')
    throw new Refusal(l ? 'unreadable' : 'unfinished', 'a fraction in it has no braces')
  }

  function factor(): Expression {
    const l = peek()
    if (!l) return unfinished()
    if (l.t === '-') {
      if (++depth > MAX_DEPTH) throw new Refusal('unreadable', 'it is nested too deeply')
      at++
      const of = factor()
      depth--
      return { kind: 'negate', of }
    }
    if (l.t === 'number') {
      if (l.glued) throw new Refusal('unreadable', 'two numbers stand side by side')
      at++
      return { kind: 'number', value: l.value, text: l.text }
    }
    if (l.t === 'frac') {
      at++
      return { kind: '/', left: part(), right: part() }
    }
    if (l.t === 'open') return group('')
    return unfinished()
  }

  function product(): Expression {
    let left = factor()
    let divided = false
    for (let l = peek(); l; l = peek()) {
      if (l.t === '*' || l.t === '/') {
        at++
        divided ||= l.t === '/'
        left = { kind: l.t, left, right: factor() }
      } else if (l.t === 'open' || l.t === 'frac' || (l.t === 'number' && lexemes[at - 1]?.t === 'close')) {
        // 8/2(3) is read both ways by people, so neither reading is taken
        if (divided) throw new Refusal('unreadable', 'a product without a sign follows a division')
        left = { kind: '*', left, right: factor() }
      } else break
    }
    return left
  }

  function sum(): Expression {
    let left = product()
    for (let l = peek(); l && (l.t === '+' || l.t === '-'); l = peek()) {
      at++
      left = { kind: l.t, left, right: product() }
    }
    return left
  }

  const sides: [Expression, ...Expression[]] = [sum()]
  while (peek()?.t === '=') {
    at++
    if (at === lexemes.length) break
    sides.push(sum())
  }
  if (at < lexemes.length) throw new Refusal('unreadable', 'its brackets do not match')
  return sides
}
