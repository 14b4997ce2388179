import { random } from '../base/random.ts'

/**
 * How far a chain of thought carries: Halo's linear stochastic system δ' = e^λ δ + ξ, ξ ~ N(0, σ²), its horizon N* in closed
 * form, a simulation that confirms it, and a fit of both from measured success by length.
 */
export interface Dynamics {
  /** Lyapunov exponent a step; > 0: errors grow */
  readonly lambda: number
  /** variance of the noise injected a step, σ² */
  readonly noise: number
  /** variance that the task tolerates, Ψ */
  readonly psi: number
}

/** Tr Σ_N from a clean start (Halo, Eq. 6 with Σ_0 = 0; Eq. 19): σ² (e^{2λN} − 1) / (e^{2λ} − 1), or σ² N for λ = 0. */
export function variance({ lambda, noise }: Pick<Dynamics, 'lambda' | 'noise'>, steps: number): number {
  return Math.abs(lambda) < 1e-12 ? noise * steps : (noise * Math.expm1(2 * lambda * steps)) / Math.expm1(2 * lambda)
}

/**
 * The longest chain that stays within Ψ (Halo, Eqs. 7 and 21). Infinity where the noise never adds up to Ψ, as it may not
 * when λ < 0: the paper's formula has no value there.
 * @example horizon({ lambda: 0.1, noise: 0.01, psi: 1 }) // 15.7
 */
export function horizon({ lambda, noise, psi }: Dynamics): number {
  if (!(noise > 0)) throw new RangeError(`the noise σ² must be greater than 0, not ${noise}`)
  if (!(psi > 0)) throw new RangeError(`Ψ must be greater than 0, not ${psi}`)
  if (Math.abs(lambda) < 1e-12) return psi / noise
  const inside = (psi * Math.expm1(2 * lambda)) / noise
  return inside <= -1 ? Number.POSITIVE_INFINITY : Math.log1p(inside) / (2 * lambda)
}

/**
 * N* by Monte Carlo: the step at which the sample variance of many simulated errors crosses Ψ, interpolated on a log scale
 * because that is how it grows.
 */
export function simulateHorizon(dynamics: Dynamics, { paths = 20_000, most = 10_000, seed = 1 } = {}): number {
  const { lambda, noise, psi } = dynamics
  const growth = Math.exp(lambda)
  const deviation = Math.sqrt(noise)
  const errors = new Float64Array(paths)
  const normal = gaussian(seed)
  let before = 0
  for (let step = 1; step <= most; step++) {
    let sum = 0
    for (let i = 0; i < paths; i++) {
      const error = growth * errors[i]! + deviation * normal()
      errors[i] = error
      sum += error * error
    }
    const now = sum / paths
    if (now >= psi) {
      if (before === 0) return (step * psi) / now
      return step - 1 + Math.log(psi / before) / Math.log(now / before)
    }
    before = now
  }
  return Number.POSITIVE_INFINITY
}

/** Box and Muller's pair, from a seed. */
export function gaussian(seed: number | string): () => number {
  const rng = random(seed)
  let spare: number | undefined
  return () => {
    if (spare !== undefined) {
      const kept = spare
      spare = undefined
      return kept
    }
    const radius = Math.sqrt(-2 * Math.log(1 - rng.next()))
    const angle = 2 * Math.PI * rng.next()
    spare = radius * Math.sin(angle)
    return radius * Math.cos(angle)
  }
}

/** The error function, to 1.2e-7 (Numerical Recipes' erfc fit). */
export function erf(x: number): number {
  const t = 1 / (1 + 0.5 * Math.abs(x))
  const poly =
    -1.26551223 +
    t *
      (1.00002368 +
        t *
          (0.37409196 +
            t *
              (0.09678418 +
                t *
                  (-0.18628806 +
                    t * (0.27886807 + t * (-1.13520398 + t * (1.48851587 + t * (-0.82215223 + t * 0.17087277))))))))
  const tail = t * Math.exp(-x * x + poly)
  return x >= 0 ? 1 - tail : tail - 1
}

/** P(|δ_N| ≤ √Ψ): the chance that a chain of N steps is still within tolerance. */
export function successAt(dynamics: Dynamics, steps: number): number {
  if (steps <= 0) return 1
  return erf(Math.sqrt(dynamics.psi / (2 * variance(dynamics, steps))))
}

export interface LengthPoint {
  readonly steps: number
  readonly right: number
  readonly of: number
}

export interface HorizonFit extends Dynamics {
  /** N* of the fitted system */
  readonly horizon: number
  readonly logLikelihood: number
}

/**
 * Maximum likelihood of λ and Ψ for σ² = 1 from success by length. Only Ψ/σ² can be told from such a curve, so the noise is
 * the unit. Coarse grid, then ever finer ones around the best point: two parameters need nothing cleverer.
 */
export function fitHorizon(points: readonly LengthPoint[]): HorizonFit {
  if (points.length < 2) throw new RangeError('a horizon needs success rates at two lengths at least')
  const score = (lambda: number, logPsi: number): number => {
    const dynamics = { lambda, noise: 1, psi: Math.exp(logPsi) }
    return points.reduce((sum, { steps, right, of }) => {
      const p = Math.min(1 - 1e-9, Math.max(1e-9, successAt(dynamics, steps)))
      return sum + right * Math.log(p) + (of - right) * Math.log(1 - p)
    }, 0)
  }
  let best = { lambda: 0, logPsi: 0, value: Number.NEGATIVE_INFINITY }
  let span = { lambda: 1, logPsi: 12 }
  let middle = { lambda: 0.5, logPsi: 8 }
  for (let round = 0; round < 12; round++) {
    for (let i = -10; i <= 10; i++)
      for (let j = -10; j <= 10; j++) {
        const lambda = middle.lambda + (span.lambda * i) / 10
        const logPsi = middle.logPsi + (span.logPsi * j) / 10
        const value = score(lambda, logPsi)
        if (value > best.value) best = { lambda, logPsi, value }
      }
    middle = best
    span = { lambda: span.lambda / 2.5, logPsi: span.logPsi / 2.5 }
  }
  const dynamics = { lambda: best.lambda, noise: 1, psi: Math.exp(best.logPsi) }
  return { ...dynamics, horizon: horizon(dynamics), logLikelihood: best.value }
}
