import { type Lexeme, lex } from './math-lex.ts'
import { type Rational, rational } from './rational.ts'

/** Mathematical expressions as models write them, in LaTeX or plain text, as a tree. Undefined where a reading is not certain. */
export type MathExpression =
  | { readonly k: 'number'; readonly value: Rational }
  | { readonly k: 'symbol'; readonly name: string }
  | { readonly k: '+' | '-' | '*' | '/' | '^'; readonly a: MathExpression; readonly b: MathExpression }
  | { readonly k: 'negate'; readonly a: MathExpression }
  | { readonly k: 'call'; readonly name: string; readonly args: readonly MathExpression[] }

const MAX_LENGTH = 2000
const MAX_DEPTH = 60

/** @example parseMath('\\frac{3\\sqrt{3}}{4}') */
export function parseMath(text: string): MathExpression | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const lexemes = lex(text)
  return lexemes && lexemes.length > 0 ? parse(lexemes) : undefined
}

/** Thrown inside the parser only: this text has no certain reading. */
const uncertain = new Error('uncertain')

function parse(lexemes: readonly Lexeme[]): MathExpression | undefined {
  try {
    const parser = parserOf(lexemes)
    const tree = parser.sum()
    return parser.done() ? tree : undefined
  } catch (error) {
    if (error === uncertain) return undefined
    throw error
  }
}

function parserOf(lexemes: readonly Lexeme[]): { sum(): MathExpression; done(): boolean } {
  let at = 0
  let depth = 0
  const is = (t: string): boolean => lexemes[at]?.t === t
  const expect = (t: string): void => {
    if (!is(t)) throw uncertain
    at++
  }
  const nested = <T>(parse: () => T): T => {
    if (++depth > MAX_DEPTH) throw uncertain
    const result = parse()
    depth--
    return result
  }

  function between(close: ')' | '}' | ']' | '|'): MathExpression {
    at++
    const inner = nested(sum)
    expect(close)
    return inner
  }

  /** what \frac, \sqrt, ^ and _ take: a group, or one digit or symbol */
  function argument(): MathExpression {
    const l = lexemes[at]
    if (l?.t === '{') return between('}')
    if (l?.t === 'number') {
      // \frac43 is 4/3: TeX takes one digit; the lexer has already joined them, so only single digits are certain
      if (!l.integer || l.value.n > 9n) throw uncertain
      at++
      return { k: 'number', value: l.value }
    }
    if (l?.t === 'symbol') return atom()
    if (l?.t === 'frac' || l?.t === 'function') return nested(atom)
    throw uncertain
  }

  /** \frac43 and \frac9{19}: two digits that were read as one number */
  function fraction(): MathExpression {
    const l = lexemes[at]
    if (l?.t === 'number' && l.integer && l.value.n >= 10n && l.value.n <= 99n) {
      at++
      return { k: '/', a: integer(l.value.n / 10n), b: integer(l.value.n % 10n) }
    }
    const a = argument()
    return { k: '/', a, b: argument() }
  }

  function call(name: string): MathExpression {
    if (name === 'sqrt' || name === 'cbrt') {
      const index: MathExpression = is('[') ? between(']') : integer(name === 'cbrt' ? 3n : 2n)
      const a = is('(') ? between(')') : argument()
      return { k: 'call', name: 'root', args: [a, index] }
    }
    let power: MathExpression | undefined
    if (is('^')) {
      at++
      power = argument()
    }
    let base: MathExpression | undefined
    if (is('_')) {
      at++
      base = argument()
    }
    const a = is('(') ? between(')') : is('{') ? between('}') : nested(atom)
    const applied: MathExpression = { k: 'call', name, args: base ? [a, base] : [a] }
    if (power && !(power.k === 'number' && power.value.n > 0n)) throw uncertain
    return power ? { k: '^', a: applied, b: power } : applied
  }

  function atom(): MathExpression {
    const l = lexemes[at]
    if (!l) throw uncertain
    switch (l.t) {
      case 'number':
        at++
        return { k: 'number', value: l.value }
      case 'symbol':
        return symbol(l.name)
      case 'function':
        at++
        return call(l.name)
      case 'frac':
        at++
        return fraction()
      case 'binom': {
        at++
        const a = argument()
        return { k: 'call', name: 'binom', args: [a, argument()] }
      }
      case '(':
        return between(')')
      case '{':
        return between('}')
      case '[':
        return between(']')
      case '|':
        return { k: 'call', name: 'abs', args: [between('|')] }
      default:
        throw uncertain
    }
  }

  /** x, a_1, a_{n} */
  function symbol(name: string): MathExpression {
    at++
    if (!is('_')) return { k: 'symbol', name }
    at++
    const sub = argument()
    if (sub.k !== 'number' && sub.k !== 'symbol') throw uncertain
    return { k: 'symbol', name: `${name}_${sub.k === 'number' ? sub.value.n : sub.name}` }
  }

  function power(): MathExpression {
    let base = atom()
    while (is('!')) {
      at++
      base = { k: 'call', name: 'factorial', args: [base] }
    }
    if (!is('^')) return base
    at++
    if (is('-')) throw uncertain
    const exponent = is('(') ? between(')') : argument()
    if (is('^') || is('!')) throw uncertain
    return { k: '^', a: base, b: exponent }
  }

  function signed(): MathExpression {
    if (is('-')) {
      at++
      return { k: 'negate', a: nested(signed) }
    }
    if (is('+')) {
      at++
      return nested(signed)
    }
    return power()
  }

  const startsFactor = (): boolean =>
    ['number', 'symbol', 'function', 'frac', 'binom', '(', '{'].includes(lexemes[at]?.t ?? '')

  function product(): MathExpression {
    let left = mixed() ?? signed()
    let divided = false
    for (;;) {
      if (is('*') || is('/')) {
        const k = lexemes[at]!.t as '*' | '/'
        at++
        divided ||= k === '/'
        left = { k, a: left, b: signed() }
      } else if (startsFactor()) {
        // 1/2 x is read both ways, and two numbers side by side are a slip
        if (divided || (is('number') && lexemes[at - 1]?.t === 'number')) throw uncertain
        left = { k: '*', a: left, b: power() }
      } else return left
    }
  }

  /** 1\frac{4}{5}, 137 \frac{1}{2}: a whole number before a proper fraction of numbers */
  function mixed(): MathExpression | undefined {
    const negative = is('-') ? 1 : 0
    const whole = lexemes[at + negative]
    if (whole?.t !== 'number' || !whole.integer || lexemes[at + negative + 1]?.t !== 'frac') return undefined
    const start = at
    at += negative + 2
    const part = fraction()
    const proper = part.k === '/' && part.a.k === 'number' && part.b.k === 'number' && part.a.value.n < part.b.value.n
    if (!proper) {
      // 3\frac{4}{3} may be a product or a slip
      if (part.k === '/' && part.a.k === 'number' && part.b.k === 'number') throw uncertain
      at = start
      return undefined
    }
    const value: MathExpression = { k: '+', a: { k: 'number', value: whole.value }, b: part }
    return negative ? { k: 'negate', a: value } : value
  }

  function sum(): MathExpression {
    let left = product()
    while (is('+') || is('-')) {
      const k = lexemes[at]!.t as '+' | '-'
      at++
      left = { k, a: left, b: product() }
    }
    return left
  }

  return { sum, done: () => at === lexemes.length }
}

const integer = (n: bigint): MathExpression => ({ k: 'number', value: rational(n) })
