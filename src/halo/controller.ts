/**
 * The controller: integrates the drift λ̂_t = β + α·H̄_t (Halo, Eq. 8) into Ω_t and says when it reaches Ψ.
 * Plain arithmetic on plain data; knows neither tokens nor prompts.
 */
export interface Control {
  readonly alpha: number
  readonly beta: number
  readonly psi: number
  /** Ω never falls below 0: Page's CUSUM. Without it, Halo's plain sum (Eq. 9), where early calm is credit for later. */
  readonly floor: boolean
  /** updates after a reset during which nothing fires, however high Ω is */
  readonly hysteresis: number
}

export interface Drift {
  readonly omega: number
  /** updates since the last reset */
  readonly age: number
}

export const calm: Drift = { omega: 0, age: 0 }

/** λ̂ (Halo, Eqs. 8 and 24). */
export const driftRate = ({ alpha, beta }: Pick<Control, 'alpha' | 'beta'>, entropy: number): number =>
  beta + alpha * entropy

/** One update of Ω (Halo, Eq. 9, or with the floor Page's recursion). `fire`: Ω ≥ Ψ, and the drift starts from 0 again. */
export function update(
  drift: Drift,
  entropy: number,
  control: Control,
): { drift: Drift; omega: number; fire: boolean } {
  const sum = drift.omega + driftRate(control, entropy)
  const omega = control.floor ? Math.max(0, sum) : sum
  const age = drift.age + 1
  const fire = omega >= control.psi && age > control.hysteresis
  return { drift: fire ? calm : { omega, age }, omega, fire }
}

/** The highest Ω that a series of entropies reaches when nothing resets it. */
export function peak(entropies: readonly number[], control: Omit<Control, 'psi' | 'hysteresis'>): number {
  let drift = calm
  let most = Number.NEGATIVE_INFINITY
  for (const entropy of entropies) {
    const step = update(drift, entropy, { ...control, psi: Number.POSITIVE_INFINITY, hysteresis: 0 })
    drift = step.drift
    most = Math.max(most, step.omega)
  }
  return most
}

/** The index at which Ω first reaches Ψ, or undefined. */
export function firstAlarm(entropies: readonly number[], control: Control): number | undefined {
  return alarms(entropies, control)[0]
}

/** Every index at which Ω reaches Ψ, starting from 0 again after each. */
export function alarms(entropies: readonly number[], control: Control): number[] {
  let drift = calm
  return entropies.flatMap((entropy, i) => {
    const step = update(drift, entropy, control)
    drift = step.drift
    return step.fire ? [i] : []
  })
}

/**
 * The lowest Ψ at which no more than `rate` of these sound runs would raise an alarm: the (1 − rate) quantile of their peaks.
 * @example psiForFalseAlarms(soundRuns, 0.05, { alpha: 0.85, beta: -2.5, floor: true })
 */
export function psiForFalseAlarms(
  runs: readonly (readonly number[])[],
  rate: number,
  control: Omit<Control, 'psi' | 'hysteresis'>,
): number {
  if (runs.length === 0) throw new RangeError('a false-alarm rate needs runs that went well')
  if (!(rate >= 0 && rate < 1)) throw new RangeError(`the false-alarm rate must lie in [0, 1), not ${rate}`)
  const peaks = runs.map((run) => peak(run, control)).sort((a, b) => a - b)
  const allowed = Math.floor(rate * runs.length)
  return above(peaks[peaks.length - 1 - allowed]!)
}

/** The Ψ just above a peak, because Ω = Ψ already fires; always positive. */
export const above = (highest: number): number => Math.max(highest, 0) + Math.max(1e-9, Math.abs(highest) * 1e-9)
