import { parseDecimal, type Rational, rational } from './rational.ts'

/** The lexemes of mathematics in LaTeX or plain text. */
export type Lexeme =
  | { readonly t: 'number'; readonly value: Rational; readonly integer: boolean }
  | { readonly t: 'symbol' | 'function'; readonly name: string }
  | { readonly t: '+' | '-' | '*' | '/' | '^' | '_' | '!' | '(' | ')' | '{' | '}' | '[' | ']' | '|' | 'frac' | 'binom' }

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

/** Undefined where a character has no certain meaning. */
export function lex(text: string): Lexeme[] | undefined {
  // 1e3 is a thousand to some and 3e to others
  if (/\d[eE][+-]?\d/.test(text)) return undefined
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
