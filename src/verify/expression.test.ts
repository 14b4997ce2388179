import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluate, literals, parseExpression } from './expression.ts'
import { format } from './rational.ts'

const value = (text: string): string => {
  const parsed = parseExpression(text)
  if (!parsed.ok) return parsed.kind
  const v = evaluate(parsed.sides[0])
  return v ? format(v) : 'division by zero'
}

describe('parseExpression', () => {
  it.each([
    ['1+2*3', '7'],
    ['(1+2)*3', '9'],
    ['8/(3-8/3)', '24'],
    ['\\frac{8}{3-\\frac{8}{3}}', '24'],
    ['\\dfrac{10+4}{2}*2', '14'],
    ['\\tfrac{1}{2}\\times 6', '3'],
    ['\\left(7-\\frac{8}{8}\\right)\\cdot 4', '24'],
    ['6 \\div 2', '3'],
    ['6 x 4', '24'],
    ['6x4', '24'],
    ['6\u00d74\u00f71', '24'],
    ['6\u00b74\u22121', '23'],
    ['[(1+2)+{3}]*4', '24'],
    ['\\{1+2+3\\}*4', '24'],
    ['**(1+2+3)*4**', '24'],
    ['`(1+2+3)*4`', '24'],
    ['$$(1+2+3)*4$$', '24'],
    ['\\((1+2+3)*4\\)', '24'],
    ['\\[(1+2+3)*4\\].', '24'],
    ['2(3)', '6'],
    ['(2)(3)', '6'],
    ['(1+1)3', '6'],
    ['-(2-8)*4', '24'],
    ['4*-6', '-24'],
    ['8-4-2', '2'],
    ['16/4/2', '2'],
    ['\\Big(1+2\\Big)\\,\\times\\,3', '9'],
    ['0.5*2', '1'],
    ['1/0', 'division by zero'],
  ])('%s = %s', (text, expected) => expect(value(text)).toBe(expected))

  it.each([
    ['2**3', 'illegal'],
    ['2^3', 'illegal'],
    ['8//3', 'illegal'],
    ['1_2', 'illegal'],
    ['1e1', 'illegal'],
    ['0x18', 'illegal'],
    ['4!', 'illegal'],
    ['\\sqrt{16}', 'illegal'],
    ['sqrt(16)', 'illegal'],
    ['10%3', 'illegal'],
    ['8/2(3)', 'unreadable'],
    ['1 2', 'unreadable'],
    ['4 apples', 'unreadable'],
    ['__import__("os")', 'unreadable'],
    ['1,2', 'unreadable'],
    ['(1+2', 'unfinished'],
    ['1+', 'unfinished'],
    ['1+2)', 'unreadable'],
    ['(1+2]', 'unreadable'],
    ['', 'unreadable'],
    ['\\frac{1}2', 'unreadable'],
  ])('%s is %s', (text, kind) => expect(value(text)).toBe(kind))

  it('splits equations and keeps the numbers in order', () => {
    const parsed = parseExpression('(1+2+3)*4 = 6*4 = 24')
    if (!parsed.ok) throw new Error(parsed.why)
    expect(parsed.sides).toHaveLength(3)
    expect(literals(parsed.sides[0]).map((l) => l.text)).toEqual(['1', '2', '3', '4'])
  })

  it('never throws and is quick, whatever it is given', () => {
    const noise = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.string({ unit: fc.constantFrom(...'0123456789+-*/()[]{}=x.\\ \u0000\u00d7fracdivtims^_!$`'), maxLength: 300 }),
    )
    fc.assert(
      fc.property(noise, (text) => {
        const parsed = parseExpression(text)
        if (parsed.ok) for (const side of parsed.sides) evaluate(side)
      }),
      { numRuns: 10_000 },
    )
  })

  it.each([
    ['deep brackets', '('.repeat(200_000)],
    ['deep minus', `${'-'.repeat(3999)}1`],
    ['a long sum', '1+'.repeat(1999) + 1],
    ['a megabyte of digits', '9'.repeat(1_000_000)],
    ['a megabyte of blanks', ' '.repeat(1_000_000)],
    ['null bytes', '\u0000'.repeat(3000)],
    ['deep fractions', '\\frac{'.repeat(600)],
  ])('%s ends at once', (_name, text) => {
    const start = performance.now()
    parseExpression(text)
    expect(performance.now() - start).toBeLessThan(5_000)
  })
})
