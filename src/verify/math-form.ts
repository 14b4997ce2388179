import type { MathExpression } from './math-parse.ts'
import { add, multiply, negate, one, type Rational, rational } from './rational.ts'

/**
 * Exact normal forms: a quotient of polynomials with rational coefficients in atoms. Atoms are variables, pi, e, i (i^2 = -1),
 * square roots of primes (whose square is the prime) and, where nothing more is known, a whole sub-expression.
 * Square roots of different primes, i and pi are independent over the rationals, so with these alone a form is zero only when
 * it is written as zero: equality and difference are both proven.
 */
export interface Form {
  readonly top: Polynomial
  readonly bottom: Polynomial
}

/** coefficient by monomial; a monomial is its atoms with exponents, sorted and joined */
type Polynomial = ReadonlyMap<string, Rational>

const MAX_TERMS = 400
const MAX_BITS = 200_000

/** Given up: too large, undefined (division by zero), or nothing that this file knows. */
class NoForm extends Error {}

export function formOf(e: MathExpression): Form | undefined {
  try {
    return form(e)
  } catch (error) {
    if (error instanceof NoForm) return undefined
    throw error
  }
}

/** Are two forms equal? Undefined when their difference is not zero as written but may be zero all the same. */
export function formsEqual(a: Form, b: Form): boolean | undefined {
  try {
    const difference = plus(times(a.top, b.bottom), times(b.top, a.bottom), -1n)
    if (difference.size === 0) return true
    return provable(difference) && provable(times(a.bottom, b.bottom)) ? false : undefined
  } catch (error) {
    if (error instanceof NoForm) return undefined
    throw error
  }
}

/** Variables that occur in it. */
export function variablesOf(e: MathExpression): Set<string> {
  const out = new Set<string>()
  const visit = (node: MathExpression): void => {
    if (node.k === 'symbol' && !constants.has(node.name)) out.add(node.name)
    else if (node.k === 'call') node.args.forEach(visit)
    else if (node.k === 'negate') visit(node.a)
    else if (node.k !== 'number' && node.k !== 'symbol') {
      visit(node.a)
      visit(node.b)
    }
  }
  visit(e)
  return out
}

export const constants = new Set(['pi', 'e', 'i'])

/** Only independent atoms: then a form that is not written as zero is not zero. */
function provable(p: Polynomial): boolean {
  const atoms = new Set([...p.keys()].flatMap((key) => factorsOf(key).map(([atom]) => atom)))
  if ([...atoms].some((atom) => atom.startsWith('?'))) return false
  return !(atoms.has('pi') && atoms.has('e'))
}

const constant = (value: Rational): Polynomial => (value.n === 0n ? new Map() : new Map([['', value]]))
const unit = constant(one)
const ratio = (top: Polynomial, bottom: Polynomial = unit): Form => {
  if (bottom.size === 0) throw new NoForm()
  return { top, bottom }
}
const number = (n: bigint): Form => ratio(constant(rational(n)))

function form(e: MathExpression): Form {
  switch (e.k) {
    case 'number':
      return ratio(constant(e.value))
    case 'symbol':
      return ratio(new Map([[`${constants.has(e.name) ? '' : '$'}${e.name}^1`, one]]))
    case 'negate':
      return scale(form(e.a), rational(-1))
    case '+':
    case '-': {
      const [a, b] = [form(e.a), form(e.b)]
      const sign = e.k === '+' ? 1n : -1n
      return ratio(plus(times(a.top, b.bottom), times(b.top, a.bottom), sign), times(a.bottom, b.bottom))
    }
    case '*':
      return product(form(e.a), form(e.b))
    case '/':
      return quotient(form(e.a), form(e.b))
    case '^':
      return power(form(e.a), form(e.b))
    case 'call':
      return call(e.name, e.args.map(form))
  }
}

const scale = (f: Form, by: Rational): Form => ratio(times(f.top, constant(by)), f.bottom)
const product = (a: Form, b: Form): Form => ratio(times(a.top, b.top), times(a.bottom, b.bottom))
const quotient = (a: Form, b: Form): Form => ratio(times(a.top, b.bottom), times(a.bottom, b.top))

/** The value of a form that is a plain number. */
export function rationalOf(f: Form): Rational | undefined {
  const top = f.top.size === 0 ? rational(0) : f.top.size === 1 ? f.top.get('') : undefined
  const bottom = f.bottom.size === 1 ? f.bottom.get('') : undefined
  return top && bottom && rational(top.n * bottom.d, top.d * bottom.n)
}

function power(base: Form, exponent: Form): Form {
  const by = rationalOf(exponent)
  if (!by) return symbolicPower(base, exponent)
  if (by.d === 2n) return power(squareRoot(base), number(by.n))
  if (by.d !== 1n) return opaque('pow', [base, exponent])
  const value = rationalOf(base)
  const n = by.n < 0n ? -by.n : by.n
  if (by.n <= 0n && base.top.size === 0) throw new NoForm()
  if (value) {
    const bits = BigInt(Math.max(bitLength(value.n), bitLength(value.d)))
    if (n * bits > MAX_BITS) return opaque('pow', [base, exponent])
    const raised = { n: value.n ** n, d: value.d ** n }
    return by.n < 0n ? ratio(constant(rational(raised.d, raised.n))) : ratio(constant(rational(raised.n, raised.d)))
  }
  if (n > 40n) return opaque('pow', [base, exponent])
  let result = number(1n)
  for (let i = 0n; i < n; i++) result = product(result, base)
  return by.n < 0n ? quotient(number(1n), result) : result
}

/** 2^{n+1} = 2 * 2^n: the whole part of the exponent comes out. */
function symbolicPower(base: Form, exponent: Form): Form {
  const whole = exponent.bottom === unit ? exponent.top.get('') : undefined
  if (whole?.d !== 1n) return opaque('pow', [base, exponent])
  const rest = ratio(plus(exponent.top, constant(whole), -1n))
  return product(power(base, number(whole.n)), opaque('pow', [base, rest]))
}

const bitLength = (n: bigint): number => (n < 0n ? -n : n).toString(2).length

function call(name: string, args: readonly Form[]): Form {
  const [a, b] = args as [Form, Form | undefined]
  const value = rationalOf(a)
  if (name === 'root') {
    const index = b && rationalOf(b)
    return index && index.n === 2n && index.d === 1n ? squareRoot(a) : rootOf(a, index, args)
  }
  if (name === 'factorial' && value?.d === 1n && value.n >= 0n && value.n <= 2000n) return number(factorial(value.n))
  if (name === 'binom' && b) {
    const k = rationalOf(b)
    if (value?.d === 1n && k?.d === 1n && k.n >= 0n && k.n <= value.n && value.n <= 3000n)
      return number(factorial(value.n) / factorial(k.n) / factorial(value.n - k.n))
  }
  if (name === 'abs' && value) return ratio(constant(value.n < 0n ? negate(value) : value))
  return opaque(name, args)
}

function factorial(n: bigint): bigint {
  let out = 1n
  for (let i = 2n; i <= n; i++) out *= i
  return out
}

/** Integer roots of integers come out; the rest stays closed. */
function rootOf(a: Form, index: Rational | undefined, args: readonly Form[]): Form {
  const value = rationalOf(a)
  if (value && value.d === 1n && index && index.d === 1n && index.n > 2n && index.n < 60n) {
    const negative = value.n < 0n
    if (negative && index.n % 2n === 0n) throw new NoForm()
    const root = BigInt(Math.round(Math.min(1e15, Number(negative ? -value.n : value.n) ** (1 / Number(index.n)))))
    const signed = negative ? -root : root
    if (signed ** index.n === value.n) return number(signed)
  }
  return opaque('root', args)
}

/** The square root: primes apart for rationals, a closed atom with a known square for the rest. */
function squareRoot(f: Form): Form {
  const value = rationalOf(f)
  if (!value) return opaque('root', [f, number(2n)])
  if (value.n === 0n) return number(0n)
  const inside = value.n * value.d
  const { outer, primes } = split(inside < 0n ? -inside : inside)
  let atoms: Polynomial = constant(rational(outer, value.d))
  for (const prime of primes) atoms = times(atoms, new Map([[`${prime}^1`, one]]))
  if (inside < 0n) atoms = times(atoms, new Map([['i^1', one]]))
  return ratio(atoms)
}

/** n = outer^2 times different primes; a part too large to factor is marked "?" and proves no difference. */
function split(n: bigint): { outer: bigint; primes: string[] } {
  let rest = n
  let outer = 1n
  const primes: string[] = []
  for (let p = 2n; p <= 20_000n && p * p <= rest; p += p === 2n ? 1n : 2n) {
    let count = 0
    while (rest % p === 0n) {
      rest /= p
      count++
    }
    outer *= p ** BigInt(count >> 1)
    if (count % 2 === 1) primes.push(`r${p}`)
  }
  if (rest > 1n) {
    const root = squareRootOf(rest)
    if (root * root === rest) outer *= root
    else primes.push(rest < 400_000_000n ? `r${rest}` : `?r${rest}`)
  }
  return { outer, primes }
}

/** The whole square root, by Newton's method from above. */
function squareRootOf(n: bigint): bigint {
  let x = 1n << BigInt((bitLength(n) >> 1) + 1)
  for (;;) {
    const y = (x + n / x) >> 1n
    if (y >= x) return x
    x = y
  }
}

/** A sub-expression taken as it stands: equal only to one written the same way after normalisation. */
function opaque(name: string, args: readonly Form[]): Form {
  const text = args.map((f) => `${show(f.top)}//${show(f.bottom)}`).join(';')
  if (text.length > 2000) throw new NoForm()
  return ratio(new Map([[`?${name}(${encodeURIComponent(text).replaceAll('*', '%2A')})^1`, one]]))
}

const show = (p: Polynomial): string =>
  [...p]
    .map(([key, c]) => `${c.n}/${c.d}${key}`)
    .sort()
    .join('+')

function plus(a: Polynomial, b: Polynomial, sign: bigint): Polynomial {
  const out = new Map(a)
  for (const [key, c] of b) put(out, key, multiply(c, rational(sign)))
  if (out.size > MAX_TERMS) throw new NoForm()
  return out
}

function put(out: Map<string, Rational>, key: string, c: Rational): void {
  const sum = add(out.get(key) ?? rational(0), c)
  if (sum.n === 0n) out.delete(key)
  else out.set(key, sum)
}

function times(a: Polynomial, b: Polynomial): Polynomial {
  if (a === unit) return b
  if (b === unit) return a
  const out = new Map<string, Rational>()
  for (const [ka, ca] of a) {
    for (const [kb, cb] of b) {
      const [key, factor] = join(ka, kb)
      put(out, key, multiply(multiply(ca, cb), rational(factor)))
    }
    if (out.size > MAX_TERMS) throw new NoForm()
  }
  return out
}

function factorsOf(key: string): [atom: string, exponent: number][] {
  if (key === '') return []
  return key.split('*').map((part) => {
    const at = part.lastIndexOf('^')
    return [part.slice(0, at), Number(part.slice(at + 1))]
  })
}

/** The product of two monomials: i^2 = -1, and a root's square is its prime. */
function join(a: string, b: string): [key: string, factor: bigint] {
  if (a === '') return [b, 1n]
  if (b === '') return [a, 1n]
  const exponents = new Map<string, number>()
  for (const [atom, n] of [...factorsOf(a), ...factorsOf(b)]) exponents.set(atom, (exponents.get(atom) ?? 0) + n)
  let factor = 1n
  for (const [atom, n] of exponents) {
    const square = atom === 'i' ? -1n : /^\??r\d+$/.test(atom) ? BigInt(atom.replace(/\D/g, '')) : undefined
    if (square === undefined || n < 2) continue
    factor *= square ** BigInt(n >> 1)
    if (n % 2 === 0) exponents.delete(atom)
    else exponents.set(atom, 1)
  }
  const key = [...exponents].sort(([x], [y]) => (x < y ? -1 : 1)).map(([atom, n]) => `${atom}^${n}`)
  return [key.join('*'), factor]
}
