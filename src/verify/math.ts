import { formOf, formsEqual, variablesOf } from './math-form.ts'
import { provablyDifferent } from './math-numeric.ts'
import type { MathExpression } from './math-parse.ts'
import { clean } from './math-text.ts'
import { type MathValue, readAnswer } from './math-value.ts'
import { rational } from './rational.ts'

export type Equality = 'equal' | 'different' | 'unknown'

/**
 * Are two answers the same mathematics? `equal` and `different` are proven by exact forms (or, for difference, by numbers with
 * error bounds); everything else is `unknown`.
 * @example mathEqual('\\frac{1}{2}', '0.5') // 'equal'
 */
export function mathEqual(gold: string, answer: string): Equality {
  if (gold.length > 4000 || answer.length > 4000) return 'unknown'
  const [g, a] = [clean(gold), clean(answer)]
  if (g !== '' && squeeze(g) === squeeze(a)) return 'equal'
  const result = compare(readAnswer(g), readAnswer(a))
  // "5,234" is a number or two: where one side may be a list, the other reading counts too
  if (result !== 'equal' && (thousands.test(g) || thousands.test(a)))
    return either(result, compare(readAnswer(spread(g)), readAnswer(spread(a))))
  return result
}

const thousands = /^\d{1,3}(?:,\d{3})+$/
const spread = (text: string): string => (thousands.test(text) ? text.replaceAll(',', ', ') : text)

const squeeze = (text: string): string => text.replace(/\s+/g, '').replace(/\\[dt]frac/g, '\\frac')

function compare(g: MathValue, a: MathValue): Equality {
  if (g.kind === 'unread' || a.kind === 'unread') return 'unknown'
  if (g.kind === 'named' || a.kind === 'named') return names(g, a)
  if (g.kind === 'words' || a.kind === 'words') return wordsEqual(g, a)
  if (g.kind === 'quantity' && a.kind === 'quantity') return quantities(g, a)
  if (g.kind === 'infinity' && a.kind === 'infinity') return g.negative === a.negative ? 'equal' : 'different'
  if (g.kind === 'infinity' || a.kind === 'infinity')
    return g.kind === 'quantity' || a.kind === 'quantity' ? 'different' : 'unknown'
  if (g.kind === 'matrix' && a.kind === 'matrix') return matrices(g.rows, a.rows)
  if (g.kind === 'union' && a.kind === 'union') return unordered(g.parts, a.parts)
  if (g.kind === 'list' || a.kind === 'list') return lists(g, a)
  if (g.kind === 'tuple' && a.kind === 'tuple') return tuples(g, a)
  if (g.kind === 'equation' && a.kind === 'equation') return equations(g, a)
  return 'unknown'
}

/** "x = 5" answers like "5"; with two names they must agree. */
function names(g: MathValue, a: MathValue): Equality {
  if (g.kind === 'named' && a.kind === 'named' && g.name !== a.name) return 'unknown'
  const inner = compare(g.kind === 'named' ? g.value : g, a.kind === 'named' ? a.value : a)
  if (inner !== 'unknown' || !(isEquation(g) && isEquation(a))) return inner
  return 'unknown'
}

const isEquation = (v: MathValue): boolean => v.kind === 'named' || v.kind === 'equation'

/** Words that exclude each other; of other words only equality is certain. */
const classes = [
  ['yes', 'no'],
  ['true', 'false'],
  ['even', 'odd'],
  ['north', 'south', 'east', 'west', 'northeast', 'northwest', 'southeast', 'southwest'],
  ['a', 'b', 'c', 'd', 'e', 'f'],
  ['convergent', 'divergent'],
  ['rational', 'irrational'],
]

function wordsEqual(g: MathValue, a: MathValue): Equality {
  if (g.kind === 'words' && a.kind === 'words') {
    if (g.text === a.text) return 'equal'
    return classes.some((c) => c.includes(g.text) && c.includes(a.text)) ? 'different' : 'unknown'
  }
  // an option letter may have been read as a variable
  const [said, other] = g.kind === 'words' ? [g, a] : [a as Extract<MathValue, { kind: 'words' }>, g]
  if (other.kind === 'quantity' && other.expression.k === 'symbol' && said.text.length === 1) {
    const letter = other.expression.name.toLowerCase()
    return letter === said.text ? 'equal' : classes[4]!.includes(letter) ? 'different' : 'unknown'
  }
  return 'unknown'
}

type Quantity = Extract<MathValue, { kind: 'quantity' }>

function quantities(g: Quantity, a: Quantity): Equality {
  if (g.base !== undefined || a.base !== undefined) return inBases(g, a)
  const plain = options(g.expression, a.expression) ?? expressions(g.expression, a.expression)
  if (g.unit === a.unit) return plain
  if (g.unit !== undefined && a.unit !== undefined) return 'unknown'
  const [withUnit, bare] = g.unit === undefined ? [a, g] : [g, a]
  if (withUnit.unit === 'percent') return percent(withUnit.expression, bare.expression, plain)
  if (withUnit.unit === 'degree') {
    // 90 degrees are answered by 90 and by pi/2
    const radians: MathExpression = {
      k: '/',
      a: { k: '*', a: withUnit.expression, b: { k: 'symbol', name: 'pi' } },
      b: whole(180n),
    }
    return either(plain, expressions(radians, bare.expression))
  }
  return plain
}

/** Two capital letters alone are options of a question. */
function options(x: MathExpression, y: MathExpression): Equality | undefined {
  const letter = (e: MathExpression): boolean => e.k === 'symbol' && /^[A-F]$/.test(e.name)
  if (!letter(x) || !letter(y)) return undefined
  return x.k === 'symbol' && y.k === 'symbol' && x.name === y.name ? 'equal' : 'different'
}

/** 15% answers a question after percent like 15 does, and is 0.15; 0.15% against 0.15 may be either and is left open. */
function percent(x: MathExpression, bare: MathExpression, plain: Equality): Equality {
  const hundredth = expressions({ k: '/', a: x, b: whole(100n) }, bare)
  if (hundredth === 'equal') return 'equal'
  if (plain !== 'equal') return either(plain, hundredth)
  return provablyDifferent(x, whole(0n), []) && atLeastOne(x) ? 'equal' : 'unknown'
}

const atLeastOne = (x: MathExpression): boolean =>
  x.k === 'number' && (x.value.n < 0n ? -x.value.n : x.value.n) >= x.value.d

const either = (a: Equality, b: Equality): Equality =>
  a === 'equal' || b === 'equal' ? 'equal' : a === 'different' && b === 'different' ? 'different' : 'unknown'

const whole = (n: bigint): MathExpression => ({ k: 'number', value: rational(n) })

/** 52_8: the digits count, with or without the base written; another base is left open. */
function inBases(g: Quantity, a: Quantity): Equality {
  const digits = (q: Quantity): string | undefined => {
    if (q.base !== undefined) return (q.expression as { name: string }).name
    return q.expression.k === 'number' && q.expression.value.d === 1n ? String(q.expression.value.n) : undefined
  }
  const [x, y] = [digits(g), digits(a)]
  if (x === undefined || y === undefined) return 'unknown'
  const bases = [g.base, a.base].filter((b) => b !== undefined)
  if (new Set(bases).size > 1) return 'unknown'
  if (x === y) return 'equal'
  const value = (s: string): number => Number.parseInt(s, Number(bases[0]))
  return bases.length === 2 || (value(x) !== Number(y) && Number(x) !== value(y)) ? 'different' : 'unknown'
}

/** Two expressions: by exact forms, then by numbers. Different variables leave it open. */
export function expressions(x: MathExpression, y: MathExpression): Equality {
  const [fx, fy] = [formOf(x), formOf(y)]
  const same = fx && fy ? formsEqual(fx, fy) : undefined
  if (same) return 'equal'
  const [vx, vy] = [variablesOf(x), variablesOf(y)]
  if (vx.size !== vy.size || [...vx].some((v) => !vy.has(v))) return 'unknown'
  // \frac{\pi}{6} + 2k\pi and \frac{\pi}{6} - 2k\pi are one family of angles
  if (['k', 'n', 'm'].some((v) => vx.has(v)) && mentions(x, 'pi')) return 'unknown'
  if (same === false) return 'different'
  return provablyDifferent(x, y, [...vx].sort()) ? 'different' : 'unknown'
}

function mentions(e: MathExpression, name: string): boolean {
  if (e.k === 'number') return false
  if (e.k === 'symbol') return e.name === name
  if (e.k === 'call') return e.args.some((arg) => mentions(arg, name))
  return mentions(e.a, name) || (e.k !== 'negate' && mentions(e.b, name))
}

function matrices(g: readonly (readonly MathValue[])[], a: readonly (readonly MathValue[])[]): Equality {
  if (g.length !== a.length || g.some((row, i) => row.length !== a[i]!.length)) return 'unknown'
  return all(g.flatMap((row, i) => row.map((cell, j) => compare(cell, a[i]![j]!))))
}

const all = (results: readonly Equality[]): Equality =>
  results.includes('different') ? 'different' : results.every((r) => r === 'equal') ? 'equal' : 'unknown'

function tuples(g: Extract<MathValue, { kind: 'tuple' }>, a: Extract<MathValue, { kind: 'tuple' }>): Equality {
  if (g.items.length !== a.items.length) return 'unknown'
  const items = all(g.items.map((item, i) => compare(item, a.items[i]!)))
  if (g.brackets === a.brackets || items === 'different') return items
  // (2,4) may be a point; with an infinite end or mixed brackets it is an interval for sure
  const interval = [g, a].some(
    (t) => t.brackets === '(]' || t.brackets === '[)' || t.items.some((i) => i.kind === 'infinity'),
  )
  return interval && items === 'equal' ? 'different' : 'unknown'
}

/** Lists without brackets and sets have no order. */
function lists(g: MathValue, a: MathValue): Equality {
  const items = (v: MathValue): readonly MathValue[] | undefined =>
    v.kind === 'list'
      ? v.items
      : v.kind === 'tuple' && !/^\[\)|\(\]$/.test(v.brackets)
        ? v.items
        : v.kind === 'quantity'
          ? [v]
          : undefined
  const [x, y] = [items(g), items(a)]
  if (!x || !y) return 'unknown'
  if (g.kind === 'tuple' || a.kind === 'tuple') {
    const inOrder = x.length === y.length ? all(x.map((item, i) => compare(item, y[i]!))) : 'unknown'
    return inOrder === 'equal' ? 'equal' : 'unknown'
  }
  return unordered(x, y)
}

/** Each item of one side with one of the other. */
function unordered(x: readonly MathValue[], y: readonly MathValue[]): Equality {
  if (x.length > 40 || y.length > 40) return 'unknown'
  const table = x.map((item) => y.map((other) => compare(item, other)))
  const lonely = table.some((row) => row.every((r) => r === 'different'))
  const lonelyToo = y.some((_, j) => table.every((row) => row[j] === 'different'))
  if (lonely || lonelyToo) return 'different'
  const once = (results: readonly Equality[]): boolean => results.filter((r) => r === 'equal').length === 1
  const matched = table.every(once) && y.every((_, j) => once(table.map((row) => row[j]!)))
  return matched ? 'equal' : 'unknown'
}

/** L = R up to a factor: proportional differences are equal, other linear ones different. */
function equations(g: Extract<MathValue, { kind: 'equation' }>, a: Extract<MathValue, { kind: 'equation' }>): Equality {
  const difference = (v: typeof g): MathExpression => ({ k: '-', a: v.left, b: v.right })
  const quotient = formOf({ k: '/', a: difference(g), b: difference(a) })
  if (!quotient) return 'unknown'
  // q is constant exactly when top and bottom are proportional
  const [key] = quotient.bottom.keys()
  const [c, d] = [quotient.top.get(key!), quotient.bottom.get(key!)]
  if (!c || !d || quotient.top.size !== quotient.bottom.size) return 'unknown'
  const proportional = [...quotient.top].every(([k, v]) => {
    const w = quotient.bottom.get(k)
    return w !== undefined && v.n * d.n * w.d * c.d === w.n * c.n * v.d * d.d
  })
  return proportional ? 'equal' : 'unknown'
}
