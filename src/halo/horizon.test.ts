import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { erf, fitHorizon, horizon, simulateHorizon, successAt, variance } from './horizon.ts'

describe('horizon', () => {
  test('hand-computed: λ = 0.1, σ² = 0.01, Ψ = 1', () => {
    // ln(1 + 100 (e^0.2 − 1)) / 0.2 = ln(23.1403) / 0.2
    expect(horizon({ lambda: 0.1, noise: 0.01, psi: 1 })).toBeCloseTo(15.7076, 3)
  })

  test('no drift is a random walk: Ψ / σ²', () => {
    expect(horizon({ lambda: 0, noise: 0.5, psi: 10 })).toBe(20)
    expect(horizon({ lambda: 1e-9, noise: 0.5, psi: 10 })).toBeCloseTo(20, 4)
  })

  test('a contracting system may never get there', () => {
    expect(horizon({ lambda: -0.1, noise: 0.01, psi: 1 })).toBe(Number.POSITIVE_INFINITY)
    expect(horizon({ lambda: -0.1, noise: 1, psi: 2 })).toBeGreaterThan(2)
  })

  test('the variance at the horizon is Ψ (Eq. 20)', () => {
    const dynamics = fc.record({
      lambda: fc.double({ min: 0.001, max: 1, noNaN: true }),
      noise: fc.double({ min: 0.001, max: 1, noNaN: true }),
      psi: fc.double({ min: 1, max: 100, noNaN: true }),
    })
    fc.assert(
      fc.property(dynamics, (d) => {
        expect(variance(d, horizon(d)) / d.psi).toBeCloseTo(1, 6)
      }),
    )
  })

  test('Ψ ≤ 0 and σ² ≤ 0 are refused', () => {
    expect(() => horizon({ lambda: 0.1, noise: 0.1, psi: 0 })).toThrow(/Ψ/)
    expect(() => horizon({ lambda: 0.1, noise: 0, psi: 1 })).toThrow(/σ²/)
  })

  test.each([0.02, 0.05, 0.1, 0.2])('simulated within two percent of the closed form, λ = %d', (lambda) => {
    for (const noise of [0.01, 0.05])
      for (const psi of [1, 5]) {
        const exact = horizon({ lambda, noise, psi })
        expect(Math.abs(simulateHorizon({ lambda, noise, psi }) / exact - 1)).toBeLessThan(0.02)
      }
  })

  test('erf', () => {
    expect(erf(0)).toBeCloseTo(0, 6)
    expect(erf(1)).toBeCloseTo(0.8427008, 6)
    expect(erf(-2)).toBeCloseTo(-0.9953223, 6)
  })

  test('the fit finds the system that made the curve', () => {
    const truth = { lambda: 0.15, noise: 1, psi: 60 }
    const points = [2, 5, 8, 11, 14, 17, 20, 25, 30].map((steps) => ({
      steps,
      right: 4000 * successAt(truth, steps),
      of: 4000,
    }))
    const fit = fitHorizon(points)
    expect(fit.lambda).toBeCloseTo(0.15, 2)
    expect(fit.horizon / horizon(truth)).toBeCloseTo(1, 1)
  })
})
