/** Exact fractions: a reduced numerator over a positive denominator, in BigInt. Nothing here rounds. */
export interface Rational {
  readonly n: bigint
  readonly d: bigint
}

function gcd(a: bigint, b: bigint): bigint {
  let x = a < 0n ? -a : a
  let y = b < 0n ? -b : b
  while (y !== 0n) [x, y] = [y, x % y]
  return x
}

/** n/d reduced. Throws on a zero denominator: callers test for it first. */
export function rational(n: bigint | number, d: bigint | number = 1n): Rational {
  const top = BigInt(n)
  const bottom = BigInt(d)
  if (bottom === 0n) throw new RangeError('division by zero')
  if (bottom === 1n) return { n: top, d: 1n }
  const g = gcd(top, bottom)
  const sign = bottom < 0n ? -1n : 1n
  return { n: (sign * top) / g, d: (sign * bottom) / g }
}

export const zero: Rational = { n: 0n, d: 1n }
export const one: Rational = { n: 1n, d: 1n }

export const add = (a: Rational, b: Rational): Rational => rational(a.n * b.d + b.n * a.d, a.d * b.d)
export const subtract = (a: Rational, b: Rational): Rational => rational(a.n * b.d - b.n * a.d, a.d * b.d)
export const multiply = (a: Rational, b: Rational): Rational => rational(a.n * b.n, a.d * b.d)
/** undefined on division by zero */
export const divide = (a: Rational, b: Rational): Rational | undefined =>
  b.n === 0n ? undefined : rational(a.n * b.d, a.d * b.n)
export const negate = (a: Rational): Rational => ({ n: -a.n, d: a.d })
export const equals = (a: Rational, b: Rational): boolean => a.n === b.n && a.d === b.d
export const isInteger = (a: Rational): boolean => a.d === 1n
export const compare = (a: Rational, b: Rational): number => {
  const difference = a.n * b.d - b.n * a.d
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** "7", "-3/2" */
export const format = (a: Rational): string => (a.d === 1n ? String(a.n) : `${a.n}/${a.d}`)

/**
 * A decimal or an integer as written: "12", "-0.5", ".75". Undefined for anything else.
 * @example parseDecimal('1.25') // 5/4
 */
export function parseDecimal(text: string): Rational | undefined {
  const m = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(text)
  if (!m || text.length > 10_000) return undefined
  const whole = m[2]!
  const part = m[3] ?? ''
  if (whole === '' && part === '') return undefined
  const value = rational(BigInt(whole + part || '0'), 10n ** BigInt(part.length))
  return m[1] === '-' ? negate(value) : value
}
