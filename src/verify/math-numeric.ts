import type { MathExpression } from './math-parse.ts'

/** A number with a bound on its error. Two balls that do not touch prove that two expressions differ; nothing proves equality here. */
interface Ball {
  readonly v: number
  readonly e: number
}

const EPS = 2 ** -50

const ball = (v: number, e: number): Ball | undefined =>
  Number.isFinite(v) && Number.isFinite(e) ? { v, e: e + Math.abs(v) * EPS + 1e-300 } : undefined

/** The value with its error bound, for real variables as given; undefined where it is not certainly defined. */
export function approximate(x: MathExpression, variables: ReadonlyMap<string, number>): Ball | undefined {
  switch (x.k) {
    case 'number':
      return ball(Number(x.value.n) / Number(x.value.d), 0)
    case 'symbol':
      if (x.name === 'pi') return ball(Math.PI, 0)
      if (x.name === 'e') return ball(Math.E, 0)
      return x.name === 'i' ? undefined : ball(variables.get(x.name) ?? Number.NaN, 0)
    case 'negate': {
      const a = approximate(x.a, variables)
      return a && { v: -a.v, e: a.e }
    }
    case 'call':
      // \sin 30 may mean degrees
      if (/sin|cos|tan|cot|sec|csc/.test(x.name) && !x.name.startsWith('arc') && x.args[0]?.k === 'number')
        return undefined
      return call(
        x.name,
        x.args.map((arg) => approximate(arg, variables)),
      )
    default: {
      const a = approximate(x.a, variables)
      const b = approximate(x.b, variables)
      return a && b && combine(x.k, a, b)
    }
  }
}

function combine(k: '+' | '-' | '*' | '/' | '^', a: Ball, b: Ball): Ball | undefined {
  switch (k) {
    case '+':
      return ball(a.v + b.v, a.e + b.e)
    case '-':
      return ball(a.v - b.v, a.e + b.e)
    case '*':
      return ball(a.v * b.v, Math.abs(a.v) * b.e + Math.abs(b.v) * a.e + a.e * b.e)
    case '/': {
      const least = Math.abs(b.v) - b.e
      if (least <= 0) return undefined
      return ball(a.v / b.v, (a.e + Math.abs(a.v / b.v) * b.e) / least)
    }
    case '^':
      return power(a, b)
  }
}

function power(a: Ball, b: Ball): Ball | undefined {
  const whole = Number.isInteger(b.v) && b.e < 1e-12 && Math.abs(b.v) < 64
  if (a.v - a.e <= 0) {
    if (!whole || b.v < 1) return undefined
    const most = Math.abs(a.v) + a.e
    return ball(a.v ** b.v, b.v * most ** (b.v - 1) * a.e)
  }
  const v = a.v ** b.v
  // relative error of exp(b ln a)
  const relative =
    Math.abs(b.v) * (a.e / (a.v - a.e)) + Math.abs(Math.log(a.v)) * b.e + (1 + Math.abs(b.v * Math.log(a.v))) * EPS
  return relative > 0.01 ? undefined : ball(v, v * relative * 1.1)
}

const slopes: Record<string, { f: (v: number) => number; slope: (a: Ball) => number }> = {
  sin: { f: Math.sin, slope: () => 1 },
  cos: { f: Math.cos, slope: () => 1 },
  arctan: { f: Math.atan, slope: () => 1 },
  exp: { f: Math.exp, slope: (a) => Math.exp(a.v + a.e) },
  ln: { f: Math.log, slope: (a) => (a.v - a.e > 0 ? 1 / (a.v - a.e) : Number.NaN) },
  sinh: { f: Math.sinh, slope: (a) => Math.cosh(Math.abs(a.v) + a.e) },
  cosh: { f: Math.cosh, slope: (a) => Math.cosh(Math.abs(a.v) + a.e) },
  tanh: { f: Math.tanh, slope: () => 1 },
  abs: { f: Math.abs, slope: () => 1 },
  tan: { f: Math.tan, slope: (a) => away(Math.cos(a.v), a.e) },
  sec: { f: (v) => 1 / Math.cos(v), slope: (a) => away(Math.cos(a.v), a.e) },
  cot: { f: (v) => 1 / Math.tan(v), slope: (a) => away(Math.sin(a.v), a.e) },
  csc: { f: (v) => 1 / Math.sin(v), slope: (a) => away(Math.sin(a.v), a.e) },
  arcsin: { f: Math.asin, slope: (a) => inside(a) },
  arccos: { f: Math.acos, slope: (a) => inside(a) },
}

/** 1/x^2 with x at its nearest to zero: bounds the slope of tan, cot, sec, csc; too near to a pole gives NaN */
function away(x: number, e: number): number {
  const least = Math.abs(x) - e
  return least < 0.01 ? Number.NaN : 2 / (least * least)
}

function inside(a: Ball): number {
  const most = Math.abs(a.v) + a.e
  return most >= 0.9999 ? Number.NaN : 1 / Math.sqrt(1 - most * most)
}

function call(name: string, args: readonly (Ball | undefined)[]): Ball | undefined {
  const [a, b] = args
  if (!a || (args.length > 1 && !b)) return undefined
  if (name === 'root' && b) {
    if (a.v - a.e <= 0) return undefined
    return power(a, { v: 1 / b.v, e: (b.e + EPS) / Math.abs(b.v) })
  }
  const rule = Object.hasOwn(slopes, name) && args.length === 1 ? slopes[name] : undefined
  if (!rule || Math.abs(a.v) > 1e6) return undefined
  const v = rule.f(a.v)
  return ball(v, rule.slope(a) * a.e + Math.abs(v) * EPS)
}

/** Points for the variables: irrational-looking, positive (most domains allow that), fixed. */
const points = [
  [1.3719, 0.7043, 2.1187, 1.7391, 0.5571, 2.6113, 0.9137, 1.1933],
  [2.4131, 1.6127, 0.8219, 3.1379, 1.2911, 0.6871, 2.2093, 1.8457],
]

/** True when the two provably take different values. */
export function provablyDifferent(a: MathExpression, b: MathExpression, variables: readonly string[]): boolean {
  return points.some((values) => {
    const at = new Map(variables.map((name, i) => [name, values[i % values.length]!]))
    const x = approximate(a, at)
    const y = approximate(b, at)
    return (
      x !== undefined && y !== undefined && Math.abs(x.v - y.v) > 4 * (x.e + y.e) + 1e-9 * Math.max(1, Math.abs(x.v))
    )
  })
}
