import { above, alarms, type Control, peak, psiForFalseAlarms } from './controller.ts'

/** One recorded run as the controller sees it. */
export interface Series {
  readonly values: readonly number[]
  /** index into `values` at which the collapse begins */
  readonly collapse: number | undefined
}

export interface Measured {
  /** of the runs that collapsed: an alarm came before it, or with it */
  readonly caught: number
  /** of the runs that did not: there was an alarm all the same */
  readonly falseAlarms: number
  /** alarms a run that were not the one that caught */
  readonly needless: number
  /** updates between the first alarm and the collapse, mean over the runs that were caught */
  readonly lead: number
}

/** What these runs would have seen of the controller. They went on unreset, so alarms after the first are, if anything, too many. */
export function measure(series: readonly Series[], control: Control): Measured {
  let caught = 0
  let collapsed = 0
  let disturbed = 0
  let needless = 0
  let lead = 0
  for (const { values, collapse } of series) {
    const found = alarms(values.slice(0, collapse === undefined ? undefined : collapse + 1), control)
    if (collapse === undefined) disturbed += found.length > 0 ? 1 : 0
    else collapsed++
    if (collapse !== undefined && found.length > 0) {
      caught++
      lead += collapse - found[0]!
    }
    needless += Math.max(0, found.length - (collapse === undefined ? 0 : 1))
  }
  const soundRuns = series.length - collapsed
  return {
    caught: collapsed ? caught / collapsed : 0,
    falseAlarms: soundRuns ? disturbed / soundRuns : 0,
    needless: series.length ? needless / series.length : 0,
    lead: caught ? lead / caught : 0,
  }
}

/**
 * Ψ for a wanted rate of false alarms, or the one of least loss: a collapse that is not caught costs a run, a needless reset
 * `price` of one. Of equals the highest, which disturbs least.
 */
export function choosePsi(
  series: readonly Series[],
  control: Omit<Control, 'psi' | 'hysteresis'>,
  { rate, price }: { readonly rate?: number; readonly price: number },
): number {
  const soundRuns = series.filter((s) => s.collapse === undefined).map((s) => s.values)
  if (rate !== undefined) return psiForFalseAlarms(soundRuns, rate, control)
  const before = series.map(({ values, collapse }) => values.slice(0, collapse)).filter((values) => values.length > 0)
  const share = (series.length - soundRuns.length) / series.length
  const loss = (psi: number): number => {
    const { caught, needless } = measure(series, { ...control, psi, hysteresis: 0 })
    return share * (1 - caught) + price * needless
  }
  const peaks = before.map((values) => peak(values, control)).sort((a, b) => b - a)
  const candidates = new Set(Array.from({ length: 60 }, (_, i) => above(peaks[Math.floor((i * peaks.length) / 60)]!)))
  let best = { psi: above(peaks[0]!), loss: Number.POSITIVE_INFINITY }
  for (const psi of candidates) {
    const found = loss(psi)
    if (found < best.loss) best = { psi, loss: found }
  }
  return best.psi
}
