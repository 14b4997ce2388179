import { parseDecimal, type Rational, rational } from './rational.ts'

/** Mathematical expressions as models write them, in LaTeX or plain text, as a tree. Undefined where a reading is not certain. */
export type MathExpression =
  | { readonly k: 'number'; readonly value: Rational }
  | { readonly k: 'symbol'; readonly name: string }
  | { readonly k: '+' | '-' | '*' | '/' | '^'; readonly a: MathExpression; readonly b: MathExpression }
  | { readonly k: 'negate'; readonly a: MathExpression }
  | { readonly k: 'call'; readonly name: string; readonly args: readonly MathExpression[] }

type Lexeme =
  | { readonly t: 'number'; readonly value: Rational; readonly integer: boolean }
  | { readonly t: 'symbol' | 'function'; readonly name: string }
  | { readonly t: '+' | '-' | '*' | '/' | '^' | '_' | '!' | '(' | ')' | '{' | '}' | '[' | ']' | '|' | 'frac' | 'binom' }

const MAX_LENGTH = 2000
const MAX_DEPTH = 60

const functions = new Set([
  ...[
    'sin',
    'cos',
    'tan',
    'cot',
    'sec',
    'csc',
    'arcsin',
    'arccos',
    'arctan',
    'sinh',
    'cosh',
    'tanh',
    'ln',
    'log',
    'exp',
  ],
  ...['sqrt', 'cbrt', 'abs'],
])
const greek = new Set(
  'alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi rho sigma tau phi varphi chi psi omega Gamma Delta Theta Lambda Sigma Phi Psi Omega ell'.split(
    ' ',
  ),
)
const signs: Record<string, '+' | '-' | '*' | '/'> = { times: '*', cdot: '*', ast: '*', div: '/' }

/** @example parseMath('\\frac{3\\sqrt{3}}{4}') */
export function parseMath(text: string): MathExpression | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const lexemes = lex(text)
  return lexemes && lexemes.length > 0 ? parse(lexemes) : undefined
}

function lex(text: string): Lexeme[] | undefined {
  const out: Lexeme[] = []
  let i = 0
  while (i < text.length) {
    const rest = text.slice(i)
    const c = rest[0]!
    const blank = /^(?:\s|\\[ ,;:!]|~|\\q?quad\b)+/.exec(rest)
    if (blank) {
      i += blank[0].length
      continue
    }
    const found = number(rest) ?? command(rest) ?? word(rest)
    if (found) {
      out.push(found[0])
      i += found[1]
    } else if ('+-*/^_!(){}[]|'.includes(c)) {
      out.push({ t: c as '+' })
      i++
    } else return undefined
  }
  return out
}

/** 12, 1,234, 0.5, .5, 0.\overline{3} */
function number(rest: string): [Lexeme, number] | undefined {
  const repeating = /^(\d*)\.(\d*)\\overline\s*\{(\d+)\}/.exec(rest)
  if (repeating) {
    const [all, whole, fixed, cycle] = repeating as unknown as [string, string, string, string]
    if (all.length > 60) return undefined
    const scale = 10n ** BigInt(fixed.length)
    const nines = 10n ** BigInt(cycle.length) - 1n
    const top = BigInt(whole + fixed || '0') * nines + BigInt(cycle)
    return [{ t: 'number', value: rational(top, scale * nines), integer: false }, all.length]
  }
  const m = /^(?:\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)/.exec(rest)
  if (!m) return undefined
  const value = parseDecimal(m[0].replaceAll(',', ''))
  return value && [{ t: 'number', value, integer: !m[0].includes('.') }, m[0].length]
}

function command(rest: string): [Lexeme, number] | undefined {
  const name = /^\\([a-zA-Z]+)/.exec(rest)?.[1]
  if (!name) return undefined
  const length = name.length + 1
  if (/^[dtc]?frac$/.test(name)) return [{ t: 'frac' }, length]
  if (/^[dt]?binom$/.test(name)) return [{ t: 'binom' }, length]
  if (Object.hasOwn(signs, name)) return [{ t: signs[name]! }, length]
  if (name === 'pi' || greek.has(name)) return [{ t: 'symbol', name }, length]
  if (functions.has(name)) return [{ t: 'function', name }, length]
  if (name === 'vert' || name === 'lvert' || name === 'rvert') return [{ t: '|' }, length]
  return undefined
}

/** Plain letters: a known name, else one variable each. */
function word(rest: string): [Lexeme, number] | undefined {
  const letters = /^[a-zA-Z]+/.exec(rest)?.[0]
  if (!letters) return undefined
  const lower = letters.toLowerCase()
  if (functions.has(lower)) return [{ t: 'function', name: lower }, letters.length]
  if (lower === 'pi') return [{ t: 'symbol', name: 'pi' }, 2]
  // a word is not a product of its letters
  if (letters.length > 3) return undefined
  return [{ t: 'symbol', name: letters[0]! }, 1]
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
