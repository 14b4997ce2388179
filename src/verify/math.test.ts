import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sharedDir } from '../../test/shared.ts'
import { mathEqual } from './math.ts'
import { readAnswer } from './math-value.ts'

describe('mathEqual', () => {
  it.each([
    ['\\frac{1}{2}', '0.5'],
    ['\\frac43', '4/3'],
    ['\\frac9{19}', '9/19'],
    ['1\\frac{4}{5}', '9/5'],
    ['137 \\frac{1}{2}', '137.5'],
    ['-1\\frac{1}{2}', '-1.5'],
    ['0.\\overline{3}', '\\frac{1}{3}'],
    ['.35625', '0.35625'],
    ['10,\\!080', '10080'],
    ['58,500', '58500'],
    ['\\$32,\\!348', '32348'],
    ['\\$18.90', '18.9'],
    ['$18', '18.00'],
    ['18', '18 dollars'],
    ['15\\%', '0.15'],
    ['15', '15%'],
    ['90^\\circ', '90'],
    ['90^\\circ', '90 degrees'],
    ['90^\\circ', '\\frac{\\pi}{2}'],
    ['15\\mbox{ cm}^2', '15'],
    ['15\\mbox{ cm}^2', '15\\text{ cm}^2'],
    ['5.4 \\text{ cents}', '5.4'],
    ['\\frac{270}7\\text{ degrees}', '\\frac{270}{7}'],
    ['4.8 \\times 10^{8}', '480000000'],
    ['\\sqrt{8}', '2\\sqrt2'],
    ['\\frac{3\\sqrt{3}}{4}', '\\frac{9}{4\\sqrt3}'],
    ['\\sqrt{117} = 3\\sqrt{13}', '3\\sqrt{13}'],
    ['\\sqrt{-4}', '2i'],
    ['(1+2i)^2', '-3+4i'],
    ['\\frac{\\pi}{4}', '0.25\\pi'],
    ['3\u03c0/4', '\\frac{3\\pi}{4}'],
    ['2^{10}', '1024'],
    ['\\binom{10}{3}', '120'],
    ['5!', '120'],
    ['\\sqrt[3]{27}', '3'],
    ['2^{r+1}', '2 \\cdot 2^r'],
    ['6 - 5i', '-5i + 6'],
    ['1 \\pm \\sqrt{19}', '1-\\sqrt{19}, 1+\\sqrt{19}'],
    ['\\{1\\pm\\sqrt{5},-2\\}', '-2, 1+\\sqrt5, 1-\\sqrt5'],
    ['3, 5, 7', '7, 5 and 3'],
    ['1, 100', '100, 1'],
    ['(3, \\frac{\\pi}{2})', '\\left(3, \\pi/2\\right)'],
    ['(-\\infty, 2) \\cup (3, \\infty)', '(3,\\infty)\\cup(-\\infty,2)'],
    ['x \\in [-2,7]', '-2 \\le x \\le 7'],
    ['(5,\\infty)', 'x > 5'],
    ['(1,2)', '1<x<2'],
    ['x=5', '5'],
    ['y = 2x + 3', '2x+3'],
    ['5x - 7y + 11z + 4 = 0', '-10x+14y-22z-8=0'],
    ['(a+5)(b+2)', 'ab+2a+5b+10'],
    ['x^3+3x-6', '3x-6+x^{3}'],
    ['\\frac{11+9a}{20}', '\\frac{9a}{20}+\\frac{11}{20}'],
    ['\\text{Evelyn}', 'evelyn'],
    ['\\text{(C)}', 'C'],
    ['\\text{ellipse}', 'an ellipse'],
    ['52_8', '52'],
    ['4210_{5}', '4210_5'],
    ['\\begin{pmatrix} -1/3 \\\\ 2/3 \\end{pmatrix}', '\\begin{bmatrix} -\\frac13 \\\\ \\frac23 \\end{bmatrix}'],
    ['**42**', '42'],
    ['\\(42\\)', '42.'],
    ['2', '\\boxed{2}'],
  ])('%s equals %s', (a, b) => {
    expect(mathEqual(a, b)).toBe('equal')
    expect(mathEqual(b, a)).toBe('equal')
  })

  it.each([
    ['\\frac{1}{3}', '0.333'],
    ['2\\sqrt{3}', '3\\sqrt{2}'],
    ['\\pi', '3.14'],
    ['\\pi', '\\frac{22}{7}'],
    ['(3,4]', '(3,4)'],
    ['(3,4)', '(4,3)'],
    ['[0,\\infty)', '(0,\\infty)'],
    ['1, 2', '1'],
    ['1, 2', '1, 3'],
    ['15\\%', '0.25'],
    ['\\text{(C)}', 'B'],
    ['\\text{even}', 'odd'],
    ['p - q', 'q - p'],
    ['x^2', '2x'],
    ['52_8', '53_8'],
    ['\\frac{\\ln 7}{4}', '0.4'],
    ['\\sqrt{2+\\sqrt{3}}', '1.9'],
    ['\\begin{pmatrix} 1 \\\\ 2 \\end{pmatrix}', '\\begin{pmatrix} 2 \\\\ 1 \\end{pmatrix}'],
    ['6+9i', '6-9i'],
    ['18', '19'],
    ['90^\\circ', '45'],
    ['A', 'B'],
  ])('%s differs from %s', (a, b) => {
    expect(mathEqual(a, b)).toBe('different')
    expect(mathEqual(b, a)).toBe('different')
  })

  it.each([
    ['(2,4)', '[2,4]'],
    ['\\cot x', '\\frac{\\cos x}{\\sin x}'],
    ['4^n', '2^{2n}'],
    ['2k', '2n'],
    ['2', 'two'],
    ['\\text{Evelyn}', 'Evelyn Smith'],
    ['52_8', '42'],
    ['100 \\text{ cm}', '1 \\text{ m}'],
    ['0.15', '0.15%'],
    ['\\frac{1}{2}', '1/2x'],
    ['\\sqrt{5+2\\sqrt{6}}', '\\sqrt{2}+\\sqrt{3}'],
    ['5', 'about 5'],
    ['\\sin 30^\\circ', '0.5'],
    ['\\sin 30', '0.5'],
    ['1e3', '1000'],
    ['\\frac{\\pi}{6}+2k\\pi', '\\frac{\\pi}{6}-2k\\pi'],
    ['', ''],
    ['5', '?'],
  ])('%s and %s: not for us to say', (a, b) => expect(mathEqual(a, b)).toBe('unknown'))
})

/** Numbers p/q + r*sqrt(d) with d in {2, 3, 5}: two are equal exactly when p/q, r and d are (or r is 0). */
const quadratic = fc.record({
  p: fc.integer({ min: -40, max: 40 }),
  q: fc.constantFrom(1, 2, 4, 5, 8, 10, 3, 7),
  r: fc.integer({ min: -4, max: 4 }),
  d: fc.constantFrom(2, 3, 5),
})
type Quadratic = { p: number; q: number; r: number; d: number }
const same = (a: Quadratic, b: Quadratic): boolean =>
  a.p * b.q === b.p * a.q && a.r === b.r && (a.r === 0 || a.d === b.d)

function write({ p, q, r, d }: Quadratic, style: number): string {
  const finite = (1000 * p) % q === 0 && style % 4 === 1
  const part = finite
    ? String(p / q)
    : style % 4 === 2
      ? `${p}/${q}`
      : style % 4 === 3
        ? `\\dfrac{${p * 3}}{${q * 3}}`
        : `${p < 0 ? '-' : ''}\\frac{${Math.abs(p)}}{${q}}`
  if (r === 0) return part
  const k = 1 + (style % 3)
  const root = style % 5 === 0 ? `\\sqrt{${d * r * r}}` : `${Math.abs(r)}\\sqrt{${d}}`
  const scaled = style % 7 === 3 ? `\\frac{${Math.abs(r) * k * d}}{${k}\\sqrt{${d}}}` : root
  return style % 2 === 0
    ? `${part}${r < 0 ? '-' : '+'}${scaled}`
    : `${r < 0 ? '-' : ''}${scaled}+${part.startsWith('-') ? `(${part})` : part}`
}

describe('against oracles', () => {
  it('10,000 pairs of numbers in many ways of writing: always decided, never wrongly', () => {
    fc.assert(
      fc.property(quadratic, quadratic, fc.boolean(), fc.nat(5000), fc.nat(5000), (a, b, twin, s, t) => {
        const other = twin ? { ...a, p: a.p * 2, q: a.q * 2 } : b
        const expected = same(a, other) ? 'equal' : 'different'
        expect(mathEqual(write(a, s), write(other, t)), `${write(a, s)} and ${write(other, t)}`).toBe(expected)
      }),
      { numRuns: 10_000 },
    )
  })

  it('10,000 pairs of polynomials, factored against expanded', () => {
    const root = fc.integer({ min: -6, max: 6 })
    const factor = (r: number): string => (r < 0 ? `(x+${-r})` : r === 0 ? 'x' : `(x-${r})`)
    const signed = (n: number): string => (n < 0 ? `-${-n}` : `+${n}`)
    fc.assert(
      fc.property(root, root, fc.integer({ min: 1, max: 5 }), fc.integer({ min: -1, max: 1 }), (a, b, c, slip) => {
        const factored = `${c}${factor(a)}${factor(b)}`
        const expanded = `${c}x^2${signed(-c * (a + b) + slip)}x${signed(c * a * b)}`
        expect(mathEqual(factored, expanded), `${factored} and ${expanded}`).toBe(slip === 0 ? 'equal' : 'different')
      }),
      { numRuns: 10_000 },
    )
  })

  it('is symmetric and never throws on noise', () => {
    const noise = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 120 }),
      fc.string({
        unit: fc.constantFrom(
          ...'0123456789+-*/(){}[]^_,.=<>xyi\\ %$|!',
          '\\frac',
          '\\sqrt',
          '\\pi',
          '\\pm',
          '\\text{',
          '\\infty',
        ),
        maxLength: 60,
      }),
    )
    fc.assert(
      fc.property(noise, noise, (a, b) => {
        const there = mathEqual(a, b)
        const back = mathEqual(b, a)
        // one way may see a list where the other sees nothing, but never "equal" against "different"
        expect([there, back].sort().join()).not.toBe('different,equal')
      }),
      { numRuns: 10_000 },
    )
  })

  it.each([
    ['deep brackets', '('.repeat(3000)],
    ['deep fractions', `${'\\frac{1}{1+'.repeat(300)}1${'}'.repeat(300)}`],
    ['a tower of powers', '9^{'.repeat(60) + 9 + '}'.repeat(60)],
    ['a big power', '9^{999999999}'],
    ['a big power of a sum', '(x+y+z+w)^{40}'],
    ['a long number', '9'.repeat(3900)],
    ['a megabyte', '1+'.repeat(500_000)],
    ['a factorial of a factorial', '(((9!)!)!)!'],
    ['a large root', `\\sqrt{${'7'.repeat(400)}}`],
    ['null bytes', '\u0000'.repeat(2000)],
    ['commas', ','.repeat(2000)],
    ['many items', '1,2,'.repeat(450)],
  ])('%s ends soon', (_name, text) => {
    const start = performance.now()
    mathEqual(text, '5')
    mathEqual(text, `${text} `)
    mathEqual(text, `2${text}`)
    expect(performance.now() - start).toBeLessThan(3000)
  })
})

const shared = sharedDir()

describe.skipIf(!shared)('the golds of MATH-500 and Omni-MATH (need ../shared/data)', () => {
  const golds = shared
    ? ['math/math500.jsonl', 'omni_math/omni_math_rule_half.jsonl'].flatMap((file) =>
        readFileSync(join(shared, 'data', file), 'utf8')
          .trim()
          .split('\n')
          .map((line) => String(JSON.parse(line).answer)),
      )
    : []

  it('are read, nearly all, and each is equal to itself', () => {
    for (const gold of golds) expect(mathEqual(gold, ` $${gold}$ `), gold).toBe('equal')
    expect(golds.filter((gold) => readAnswer(gold).kind === 'unread').length).toBeLessThan(golds.length * 0.015)
  })

  it('are never equal to themselves with one digit changed', () => {
    for (const gold of golds) {
      const at = gold.search(/\d/)
      if (at < 0) continue
      const changed = gold.slice(0, at) + ((Number(gold[at]) + 1) % 10) + gold.slice(at + 1)
      expect(mathEqual(gold, changed), `${gold} and ${changed}`).not.toBe('equal')
    }
  })
})
