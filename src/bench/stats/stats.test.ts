import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pairedBootstrap } from './bootstrap.ts'
import { difficultyCurve } from './curve.ts'
import { mcnemar } from './mcnemar.ts'
import { dominates, frontProbability, paretoFront } from './pareto.ts'
import { percentiles, quantileSorted } from './percentile.ts'
import { verifierFigures } from './verifier.ts'
import { wilson } from './wilson.ts'

describe('wilson', () => {
  it('gives the hand-computed values', () => {
    // Brown, Cai and DasGupta's textbook case: 8 of 10 gives (0.490, 0.943)
    const [lo, hi] = wilson(8, 10)
    expect(lo).toBeCloseTo(0.4901625, 6)
    expect(hi).toBeCloseTo(0.9433178, 6)
    // 0 of n: [0, z²/(n + z²)]
    const z2 = 3.841458820694124
    expect(wilson(0, 20)[0]).toBe(0)
    expect(wilson(0, 20)[1]).toBeCloseTo(z2 / (20 + z2), 12)
    expect(wilson(20, 20)).toEqual([expect.closeTo(20 / (20 + z2), 12), 1])
    expect(wilson(0, 0)).toEqual([0, 1])
  })

  it('is where the score test accepts p, found by bisection', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), fc.double({ min: 0, max: 1, noNaN: true }), (n, share) => {
        const right = Math.round(n * share)
        const accepts = (p: number): boolean => (right / n - p) ** 2 <= (3.841458820694124 * p * (1 - p)) / n
        const edge = (inside: number, outside: number): number => {
          for (let i = 0; i < 80; i++) {
            const mid = (inside + outside) / 2
            if (accepts(mid)) inside = mid
            else outside = mid
          }
          return inside
        }
        const [lo, hi] = wilson(right, n)
        expect(lo).toBeCloseTo(edge(right / n, 0), 9)
        expect(hi).toBeCloseTo(edge(right / n, 1), 9)
      }),
    )
  })
})

describe('mcnemar', () => {
  it('gives the hand-computed values', () => {
    expect(mcnemar(0, 0)).toBe(1)
    expect(mcnemar(5, 5)).toBe(1)
    expect(mcnemar(1, 9)).toBeCloseTo((2 * (1 + 10)) / 1024, 12)
    expect(mcnemar(0, 6)).toBeCloseTo(2 / 64, 12)
  })

  it('equals the count over every assignment of the disagreeing pairs', () => {
    for (let n = 1; n <= 14; n++)
      for (let gained = 0; gained <= n; gained++) {
        let extreme = 0
        for (let coins = 0; coins < 2 ** n; coins++) {
          const heads = coins.toString(2).replaceAll('0', '').length
          if (Math.abs(2 * heads - n) >= Math.abs(2 * gained - n)) extreme++
        }
        expect(mcnemar(gained, n - gained)).toBeCloseTo(Math.min(1, extreme / 2 ** n), 10)
      }
  })

  it('stays finite for many pairs', () => {
    expect(mcnemar(3000, 3000)).toBe(1)
    const p = mcnemar(2400, 2600)
    expect(p).toBeGreaterThan(0.004)
    expect(p).toBeLessThan(0.006)
  })
})

describe('pairedBootstrap', () => {
  it('is the plain difference, the same for the same seed, and symmetric', () => {
    const a = [0, 1, 0, 1, 1, 0, 0, 1]
    const b = [1, 1, 0, 1, 1, 1, 0, 1]
    const got = pairedBootstrap(a, b, { seed: 3 })
    expect(got.diff).toBe(0.25)
    expect(got).toEqual(pairedBootstrap(a, b, { seed: 3 }))
    const back = pairedBootstrap(b, a, { seed: 3 }).ci
    expect(back[0]).toBeCloseTo(-got.ci[1], 12)
    expect(back[1]).toBeCloseTo(-got.ci[0], 12)
    expect(pairedBootstrap(a, a).p).toBe(1)
  })

  it('agrees with the exact distribution over all resamples of five pairs', () => {
    const gaps = [1, 0, 0, -1, 1]
    const means: number[] = []
    for (let code = 0; code < 5 ** 5; code++) {
      let rest = code
      let sum = 0
      for (let i = 0; i < 5; i++) {
        sum += gaps[rest % 5]!
        rest = Math.floor(rest / 5)
      }
      means.push(sum / 5)
    }
    const exactBelow = means.filter((m) => m <= 0).length / means.length
    const got = pairedBootstrap([0, 0, 0, 1, 0], [1, 0, 0, 0, 1], { resamples: 100_000 })
    expect(got.p).toBeCloseTo(2 * exactBelow, 1)
    means.sort((x, y) => x - y)
    expect(got.ci[0]).toBeCloseTo(quantileSorted(means, 0.025), 9)
    expect(got.ci[1]).toBeCloseTo(quantileSorted(means, 0.975), 9)
  })
})

describe('paretoFront', () => {
  it('equals the definition: nobody dominates', () => {
    const point = fc.record({ accuracy: fc.integer({ min: 0, max: 6 }), tokens: fc.integer({ min: 0, max: 6 }) })
    fc.assert(
      fc.property(fc.array(point, { maxLength: 12 }), (points) => {
        expect(paretoFront(points)).toEqual(points.map((p) => !points.some((q) => dominates(q, p))))
      }),
    )
  })

  it('is certain where one method is better on every instance, and undecided where two differ by luck', () => {
    const dear = { correct: [0, 0, 0, 0], tokens: [9, 9, 9, 9] }
    const good = { correct: [1, 1, 1, 1], tokens: [2, 2, 2, 2] }
    expect(frontProbability([good, dear])).toEqual([1, 0])
    const one = { correct: [1, 0, 1, 0, 1, 0], tokens: [5, 5, 5, 5, 5, 5] }
    const two = { correct: [0, 1, 0, 1, 0, 1], tokens: [5, 5, 5, 5, 5, 5] }
    const [p, q] = frontProbability([one, two], { resamples: 4000 })
    // each wins when it has more of the six draws; ties put both on the front: P(3 of 6) = 20/64
    expect(p).toBeCloseTo((1 + 20 / 64) / 2, 1)
    expect(q).toBeCloseTo((1 + 20 / 64) / 2, 1)
  })
})

describe('the small ones', () => {
  it('percentiles interpolate as NumPy does', () => {
    expect(quantileSorted([1, 2, 3, 4], 0.5)).toBe(2.5)
    expect(percentiles([10, 30, 20])).toEqual({ p50: 20, p95: 29, p99: 29.8 })
    expect(percentiles([])).toBeUndefined()
  })

  it('verifier figures count what was passed against what was right', () => {
    const got = verifierFigures({ passRight: 8, passWrong: 2, failRight: 1, failWrong: 5, unknown: 3 })
    expect(got).toMatchObject({ checks: 19, unknown: 3, precision: 0.8, falseFails: 1 })
    expect(got.recall).toBeCloseTo(8 / 9, 12)
    expect(verifierFigures({ passRight: 0, passWrong: 0, failRight: 0, failWrong: 0, unknown: 1 }).precision).toBeNull()
  })

  it('the difficulty curve loses no sample and never splits equal difficulties', () => {
    const sample = fc.record({ difficulty: fc.integer({ min: 0, max: 60 }), correct: fc.boolean(), tokens: fc.nat(99) })
    fc.assert(
      fc.property(fc.array(sample, { maxLength: 200 }), (samples) => {
        const curve = difficultyCurve(samples, 8)
        expect(curve.reduce((s, p) => s + p.n, 0)).toBe(samples.length)
        const right = curve.reduce((s, p) => s + p.accuracy * p.n, 0)
        expect(right).toBeCloseTo(samples.filter((s) => s.correct).length, 6)
        expect(curve.map((p) => p.x)).toEqual([...curve.map((p) => p.x)].sort((a, b) => a - b))
        expect(curve.length).toBeLessThanOrEqual(Math.max(8, 0))
      }),
    )
  })
})
