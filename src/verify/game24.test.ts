import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sharedDir } from '../../test/shared.ts'
import { type Game24, verifyGame24 } from './game24.ts'
import { rational } from './rational.ts'
import { reaches } from './reach.ts'

/** An oracle of another make: pairs are combined recursively, fractions are [n, d] in doubles, expressions are strings. */
type Item = { n: number; d: number; text: string }

const gcd = (a: number, b: number): number => (b === 0 ? Math.abs(a) : gcd(b, a % b))
const item = (n: number, d: number, text: string): Item => {
  const g = gcd(n, d) * (d < 0 ? -1 : 1)
  return { n: n / g, d: d / g, text }
}
const leaf = (n: number): Item => ({ n, d: 1, text: String(n) })

function combinations(a: Item, b: Item): Item[] {
  const out = [
    item(a.n * b.d + b.n * a.d, a.d * b.d, `(${a.text}+${b.text})`),
    item(a.n * b.d - b.n * a.d, a.d * b.d, `(${a.text}-${b.text})`),
    item(b.n * a.d - a.n * b.d, a.d * b.d, `(${b.text}-${a.text})`),
    item(a.n * b.n, a.d * b.d, `(${a.text}*${b.text})`),
  ]
  if (b.n !== 0) out.push(item(a.n * b.d, a.d * b.n, `(${a.text}/${b.text})`))
  if (a.n !== 0) out.push(item(b.n * a.d, b.d * a.n, `(${b.text}/${a.text})`))
  return out
}

function solve(items: Item[], target: number): string | undefined {
  if (items.length === 1) return items[0]!.n === target && items[0]!.d === 1 ? items[0]!.text : undefined
  for (let i = 0; i < items.length; i++)
    for (let j = i + 1; j < items.length; j++) {
      const rest = items.filter((_, k) => k !== i && k !== j)
      for (const made of combinations(items[i]!, items[j]!)) {
        const found = solve([made, ...rest], target)
        if (found) return found
      }
    }
  return undefined
}

const game = (numbers: readonly number[], target = 24): Game24 => ({
  numbers: numbers.map((n) => rational(n)),
  target: rational(target),
})
const kinds = (numbers: readonly number[], text: string, kind: 'partial' | 'final' = 'final', target = 24): string =>
  verifyGame24(game(numbers, target), text, kind).kind

describe('verifyGame24', () => {
  it.each<[number[], string, string]>([
    [[10, 4, 2, 2], '\\frac{10+4}{2}*2', 'fail'],
    [[2, 3, 3, 1], '(2**3)*3*1', 'fail'],
    [[24, 1, 1, 2000], '(24+1/2000)*1', 'fail'],
    [[3, 3, 8, 8], '\\frac{8}{3-\\frac{8}{3}} = 24', 'pass'],
    [[1, 2, 3, 4], '24 = (1+2+3)*4', 'pass'],
    [[1, 2, 3, 4], '(1+2+3)*4 = 25', 'pass'],
    [[1, 2, 3, 4], '(1+2+3)*4*1', 'fail'],
    [[1, 2, 3, 4], '4*3*2', 'fail'],
    [[1, 2, 3, 4], '12*3-4', 'fail'],
    [[1, 2, 3, 4], '24', 'fail'],
    [[1, 2, 3, 4], 'no idea', 'unknown'],
    [[1, 2, 3, 4], '(1+2+3)*4.0', 'unknown'],
    [[-3, 8], '-3*8', 'fail'],
    [[-3, -8], '-3*-8', 'pass'],
    [[-3, -8], '(-3)*(-8)', 'pass'],
    [[4, 4, 10, 10], '(10*10-4)/4', 'pass'],
    [[5, 0, 1, 24], '24+5*0*1', 'pass'],
    [[5, 0, 1, 24], '24+1/0*5', 'fail'],
  ])('%j with %s: %s', (numbers, text, kind) => expect(kinds(numbers, text)).toBe(kind))

  it('fails a partial expression only when nothing can come of it', () => {
    expect(verifyGame24(game([4, 7, 8, 8]), '7-8/8', 'partial')).toEqual({ kind: 'pass', complete: false })
    expect(kinds([1, 1, 1, 1], '1+1', 'partial')).toBe('fail')
    expect(kinds([2, 8, 1, 5], '2-8', 'partial')).toBe('pass')
    expect(kinds([4, 7, 8, 8], '4 + 7 = 12', 'partial')).toBe('fail')
    expect(kinds([4, 7, 8, 8], '4 + 7 = 11', 'partial')).toBe('pass')
    expect(kinds([4, 7, 8, 8], '(4+7', 'partial')).toBe('unknown')
  })

  it('never tells the way out', () => {
    const verdict = verifyGame24(game([1, 1, 1, 1]), '1+1', 'partial')
    expect(verdict).toMatchObject({
      feedback: 'it gives 2, and with the numbers left (1, 1) nothing makes 24 from that',
    })
  })

  it('reaches counts of numbers above four exactly', () => {
    const able = (numbers: number[], target: number) =>
      reaches(
        numbers.map((n) => rational(n)),
        rational(target),
      )
    expect(able([1, 1, 1, 1, 1], 24)).toBe(false)
    expect(able([1, 1, 1, 1, 1, 1], 10)).toBe(false)
    expect(able([1, 1, 1, 1, 1, 1], 9)).toBe(true)
    expect(able([2, 5, 7, 11, 13], 24)).toBe(true)
    expect(able([10 ** 15, 10 ** 15 - 24], 24)).toBe(true)
  })
})

/** Random trees over numbers, written in random styles; the value is the oracle's. */
const operators = {
  plain: ['+', '-', '*', '/'],
  signs: ['+', '\u2212', '\u00d7', '\u00f7'],
  latex: ['+', '-', '\\times ', '\\div '],
}
const tree = fc
  .record({
    numbers: fc.array(fc.integer({ min: 0, max: 13 }), { minLength: 2, maxLength: 4 }),
    picks: fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
    style: fc.constantFrom('plain', 'signs', 'latex', 'frac') as fc.Arbitrary<keyof typeof operators | 'frac'>,
  })
  .map(({ numbers, picks, style }) => {
    let at = 0
    const pick = (n: number): number => picks[at++ % picks.length]! % n
    let items: (Item | undefined)[] = numbers.map(leaf)
    let zero = false
    while (items.length > 1) {
      const i = pick(items.length)
      const a = items[i]
      const rest = items.filter((_, k) => k !== i)
      const j = pick(rest.length)
      const b = rest[j]
      const op = pick(4)
      const symbol = operators[style === 'frac' ? 'latex' : style][op]
      const text = style === 'frac' && op === 3 ? `\\frac{${a!.text}}{${b!.text}}` : `(${a!.text}${symbol}${b!.text})`
      if (op === 3 && b!.n === 0) zero = true
      const made = zero
        ? { n: 0, d: 1, text }
        : op === 0
          ? item(a!.n * b!.d + b!.n * a!.d, a!.d * b!.d, text)
          : op === 1
            ? item(a!.n * b!.d - b!.n * a!.d, a!.d * b!.d, text)
            : op === 2
              ? item(a!.n * b!.n, a!.d * b!.d, text)
              : item(a!.n * b!.d, a!.d * b!.n, text)
      items = [made, ...rest.filter((_, k) => k !== j)]
    }
    return { numbers, value: items[0]!, zero }
  })

describe('against the oracle', () => {
  it('final: 10,000 random expressions in four ways of writing', () => {
    fc.assert(
      fc.property(tree, fc.boolean(), fc.integer({ min: -30, max: 30 }), ({ numbers, value, zero }, hit, other) => {
        const target = hit && value.d === 1 ? value.n : other
        const right = !zero && value.d === 1 && value.n === target
        expect(kinds(numbers, value.text, 'final', target)).toBe(right ? 'pass' : 'fail')
      }),
      { numRuns: 10_000 },
    )
  })

  it('partial: 10,000 random pieces fail exactly when the rest cannot be made', () => {
    const extra = fc.array(fc.integer({ min: 0, max: 13 }), { minLength: 1, maxLength: 2 })
    const memo = new Map<string, boolean>()
    const able = (items: Item[], target: number): boolean => {
      const key = `${items.map(({ n, d }) => `${n}/${d}`).sort()}=${target}`
      if (!memo.has(key)) memo.set(key, solve(items, target) !== undefined)
      return memo.get(key)!
    }
    fc.assert(
      fc.property(tree, extra, fc.constantFrom(24, 24, 10, 0, -7), ({ numbers, value, zero }, rest, target) => {
        fc.pre(numbers.length + rest.length <= 5)
        const items = [value, ...rest.map(leaf)]
        const alive = !zero && (able(items, target) || able(items, -target))
        expect(kinds([...numbers, ...rest], value.text, 'partial', target)).toBe(alive ? 'pass' : 'fail')
      }),
      { numRuns: 10_000 },
    )
  })
})

const shared = sharedDir()

describe.skipIf(!shared)('all 1,362 sets of four (needs ../shared/data/game24)', () => {
  const sets = shared
    ? readFileSync(join(shared, 'data', 'game24', '24.csv'), 'utf8')
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',')[1]!.split(' ').map(Number))
    : []

  it('right answers pass, pieces of them never fail, wrong ones fail', () => {
    expect(sets).toHaveLength(1362)
    for (const numbers of sets) {
      const text = solve(numbers.map(leaf), 24)!
      expect(kinds(numbers, text), `${numbers}: ${text}`).toBe('pass')
      expect(kinds(numbers, text, 'partial'), text).toBe('pass')
      // every bracketed piece of a right answer is a right partial answer
      for (const piece of pieces(text)) expect(kinds(numbers, piece, 'partial'), `${numbers}: ${piece}`).toBe('pass')
      for (const wrong of corruptions(text, numbers)) expect(kinds(numbers, wrong), `${numbers}: ${wrong}`).toBe('fail')
    }
  })
})

function pieces(text: string): string[] {
  const out: string[] = []
  const open: number[] = []
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(') open.push(i)
    if (text[i] === ')') out.push(text.slice(open.pop()!, i + 1))
  }
  return out
}

/** Each operator changed to each other one where the value is then another, a number changed, one dropped, one doubled. */
function corruptions(text: string, numbers: readonly number[]): string[] {
  const out: string[] = []
  for (let i = 0; i < text.length; i++) {
    if (!'+-*/'.includes(text[i]!)) continue
    for (const op of '+-*/') {
      const changed = text.slice(0, i) + op + text.slice(i + 1)
      const v = oracleValue(changed)
      if (v === undefined || v.n !== 24 * v.d) out.push(changed)
    }
  }
  out.push(`${text}*1`, text.replace(/\d+/, '14'), `${numbers[0]}+${numbers[1]}`)
  return out
}

/** The value of a fully bracketed plain expression: its own little reader. */
function oracleValue(text: string): { n: number; d: number } | undefined {
  let at = 0
  const read = (): Item | undefined => {
    if (text[at] !== '(') {
      const m = /^\d+/.exec(text.slice(at))!
      at += m[0].length
      return leaf(Number(m[0]))
    }
    at++
    const a = read()
    const op = text[at++]
    const b = read()
    at++
    if (!a || !b || (op === '/' && b.n === 0)) return undefined
    if (op === '+') return item(a.n * b.d + b.n * a.d, a.d * b.d, '')
    if (op === '-') return item(a.n * b.d - b.n * a.d, a.d * b.d, '')
    return op === '*' ? item(a.n * b.n, a.d * b.d, '') : item(a.n * b.d, a.d * b.n, '')
  }
  return read()
}
