import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { predictiveEntropy } from './entropy.ts'

const entries = (p: readonly number[]) => p.map((x, id) => ({ id, text: String(id), logprob: Math.log(x) }))

describe('predictiveEntropy', () => {
  it('is exact when all alternatives are given', () => {
    const { lower, upper, tail } = predictiveEntropy(entries([0.5, 0.25, 0.25]), 3)
    expect(tail).toBe(0)
    expect(lower).toBeCloseTo(0.5 * Math.log(2) + 0.5 * Math.log(4))
    expect(upper).toBe(lower)
  })

  it('takes the tail as one token and as many', () => {
    const { seen, tail, lower, upper } = predictiveEntropy(entries([0.5, 0.3]), 12)
    expect(tail).toBeCloseTo(0.2)
    expect(lower).toBeCloseTo(seen + 0.2 * Math.log(5))
    expect(upper).toBeCloseTo(seen + 0.2 * Math.log(50))
    expect(predictiveEntropy(entries([0.5])).upper).toBe(Number.POSITIVE_INFINITY)
  })

  it('holds the true entropy between its bounds, for any distribution and any k', () => {
    const weights = fc.array(fc.double({ min: 1e-6, max: 1, noNaN: true }), { minLength: 2, maxLength: 60 })
    fc.assert(
      fc.property(weights, fc.nat(60), (raw, cut) => {
        const total = raw.reduce((a, b) => a + b, 0)
        const p = raw.map((x) => x / total).sort((a, b) => b - a)
        const truth = -p.reduce((sum, x) => sum + x * Math.log(x), 0)
        const { lower, upper } = predictiveEntropy(entries(p.slice(0, 1 + (cut % p.length))), p.length)
        expect(lower).toBeLessThanOrEqual(truth + 1e-7)
        expect(upper).toBeGreaterThanOrEqual(truth - 1e-7)
      }),
    )
  })

  it('counts a token once, passes over impossible ones, and never leaves its range by rounding', () => {
    const twice = [...entries([0.5, 0.4]), { id: 0, text: '0', logprob: Math.log(0.5) }]
    expect(predictiveEntropy(twice, 10)).toEqual(predictiveEntropy(entries([0.5, 0.4]), 10))
    for (const never of [-9999, Number.NEGATIVE_INFINITY])
      expect(predictiveEntropy([...entries([1]), { id: 9, text: 'x', logprob: never }], 10).upper).toBe(0)
    expect(predictiveEntropy(entries([0.7, 0.3000001]), 10).tail).toBe(0)
    expect(predictiveEntropy([{ text: 'a', logprob: 1e-7 }], 10)).toMatchObject({ tail: 0, upper: 0 })
  })
})
