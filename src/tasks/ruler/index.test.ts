import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { random } from '../../base/random.ts'
import { type RulerInstance, ruler, rulerCwe, rulerFwe, rulerScore, rulerVt } from './index.ts'

/** Follows every assignment in the text, by itself. */
function trace(context: string, value: string): Set<string> {
  const values = new Map<string, string>()
  for (const [, name, right] of context.matchAll(/^VAR (\w+) = (.+)$/gm))
    values.set(name!, right!.startsWith('VAR ') ? values.get(right!.slice(4).trim())! : right!)
  return new Set([...values].filter(([, v]) => v === value).map(([name]) => name))
}

function counts(words: string[]): [string, number][] {
  const table = new Map<string, number>()
  for (const word of words) table.set(word, (table.get(word) ?? 0) + 1)
  return [...table].sort((a, b) => b[1] - a[1])
}

const vt = (seed: number, options = {}): RulerInstance => rulerVt.generate!(random(seed), { size: 80, ...options })

describe('ruler generators', () => {
  it('variable tracking: the answers are what the text says, at any length', () => {
    for (const size of [20, 100, 1000, 20_000])
      for (let seed = 0; seed < 10; seed++) {
        const i = vt(seed, { size, chains: 1 + (seed % 3), hops: 1 + (seed % 6) })
        expect(trace(i.context, i.query)).toEqual(new Set(i.answers))
        expect(i.answers).toHaveLength(2 + (seed % 6))
        if (size > 100) expect(Math.abs(i.context.split(/\s+/).length - size)).toBeLessThan(20)
      }
  })

  it('common words: the ten are strictly the commonest', () => {
    for (const size of [60, 400, 2000, 10_000]) {
      const i = rulerCwe.generate!(random(size), { size })
      const table = counts(
        i.context
          .split(/\s*\d+\. /)
          .map((w) => w.trim())
          .filter(Boolean),
      )
      expect(new Set(table.slice(0, 10).map(([w]) => w))).toEqual(new Set(i.answers))
      expect(table[9]![1]).toBeGreaterThan(table[10]![1])
    }
  })

  it('frequent words: ranks two to four without a tie', () => {
    for (const size of [80, 400, 5000]) {
      const i = rulerFwe.generate!(random(size), { size })
      const table = counts(i.context.split(' ').filter((w) => w !== '...'))
      expect(new Set(table.slice(0, 3).map(([w]) => w))).toEqual(new Set(i.answers))
      expect(table[2]![1]).toBeGreaterThan(table[3]![1])
    }
  })

  it('is the same for the same seed', () => {
    expect(vt(5)).toEqual(vt(5))
    expect(vt(5)).not.toEqual(vt(6))
  })
})

describe('ruler verdicts', () => {
  const i = vt(1)
  const [a, b, ...rest] = i.answers as [string, string, ...string[]]

  it('partial lists pass while they hold nothing wrong', () => {
    expect(ruler.extract(i, ` ${a}, ${b}\n`, 'partial')).toBe(`${a}, ${b}`)
    expect(ruler.verify(i, `${a}, ${b}`, 'partial')).toEqual({ kind: 'pass', complete: false })
    expect(ruler.verify(i, i.answers.join(', '), 'partial')).toEqual({ kind: 'pass', complete: true })
    expect(ruler.verify(i, `${a}, QQQQQ`, 'partial')).toEqual({
      kind: 'fail',
      feedback: `QQQQQ does not have the value ${i.query}`,
    })
    expect(ruler.extract(i, 'none', 'partial')).toBeUndefined()
  })

  it('final lists must be whole', () => {
    expect(ruler.grade(i, `They are \\boxed{${[b, a, ...rest].join(', ')}}`)).toBe(true)
    expect(ruler.grade(i, `The variables are: ${i.answers.join(' and ')}.`)).toBe(true)
    expect(ruler.grade(i, `\\boxed{${a}, ${b}}`)).toBe(false)
    expect(ruler.grade(i, `\\boxed{${i.answers.join(', ')}, QQQQQ}`)).toBe(false)
    expect(ruler.verify(i, `${a}`, 'final')).toMatchObject({ kind: 'fail' })
    expect(rulerScore(i, `${a.toLowerCase()} ${b}`)).toBeCloseTo(2 / i.answers.length)
  })

  it('words are read from numbered lists too', () => {
    const w = rulerCwe.generate!(random(2), { size: 100 })
    const list = w.answers.map((word, n) => `${n + 1}. ${word}`).join(' ')
    expect(rulerCwe.grade(w, `The top 10 words are: ${list}`)).toBe(true)
    expect(rulerCwe.grade(w, `\\boxed{${w.answers.slice(1).join(', ')}, zzz}`)).toBe(false)
  })

  it('reads what it generates and names a wrong field', () => {
    expect(ruler.read(JSON.parse(JSON.stringify(i)))).toEqual(i)
    expect(() => ruler.read({ ...i, kind: 'qa' })).toThrow('"kind"')
    expect(() => ruler.read({ ...i, answers: [] })).toThrow('"answers"')
    expect(() => ruler.read({ ...i, context: 3 })).toThrow('"context"')
  })

  it('10,000 subsets and intruders against set arithmetic', () => {
    fc.assert(
      fc.property(fc.nat(200), fc.array(fc.nat(20)), fc.boolean(), (seed, picks, intruder) => {
        const one = vt(seed)
        const chosen = [
          ...new Set(picks.map((p) => one.answers[p % one.answers.length]!)),
          ...(intruder ? ['ZZZZZ'] : []),
        ]
        if (chosen.length === 0) return
        const text = chosen.join(', ')
        const wrong = intruder && !one.answers.includes('ZZZZZ')
        const whole = chosen.length === one.answers.length && !wrong
        expect(ruler.verify(one, text, 'partial').kind).toBe(wrong ? 'fail' : 'pass')
        expect(ruler.verify(one, text, 'final').kind).toBe(whole ? 'pass' : 'fail')
      }),
      { numRuns: 10_000 },
    )
  })

  it('noise never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        for (const kind of ['partial', 'final'] as const) {
          ruler.extract(i, text, kind)
          ruler.verify(i, text, kind)
        }
        ruler.grade(i, text)
      }),
    )
  })
})
