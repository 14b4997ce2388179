import { InputError, messageOf } from '../base/errors.ts'
import { type Control, firstAlarm, psiForFalseAlarms } from './controller.ts'
import { auc, fitLogistic, type Sample } from './logistic.ts'
import type { Granularity, Signal } from './observer.ts'
import { lineEntropies, type Recording, tokenEntropies } from './recording.ts'

/**
 * Halo's α, β and Ψ from runs without Halo (the paper's D.2, with a verifier in place of hand labels). The log-odds that a
 * line stands at or after the collapse are linear in H̄; they are λ̂, so that λ̂ = 0 where the two are equally likely.
 */
export interface Calibration {
  readonly rein: 'calibration'
  readonly version: 1
  readonly engine: string
  readonly model: string
  readonly task: string
  readonly signal: Signal
  readonly head?: number
  readonly granularity: Granularity
  readonly alpha: number
  readonly beta: number
  readonly psi: number
  readonly floor: boolean
  /** how well H̄ tells lines before the collapse from those after it, out of fold */
  readonly auc: number
  /** of runs that collapsed, how many would have been reset before it; of sound runs, how many needlessly; out of fold */
  readonly caught: number
  readonly falseAlarms: number
  /** lines between alarm and collapse, mean over the runs that were caught */
  readonly lead: number
  readonly runs: number
}

export interface CalibrateOptions {
  readonly signal: Signal
  readonly granularity: Granularity
  readonly floor?: boolean
  /** Ψ for this rate of sound runs that are reset needlessly; without it Ψ is chosen by cross-validation */
  readonly falseAlarmRate?: number
  readonly folds?: number
}

/** One run as the controller sees it. */
interface Series {
  readonly values: readonly number[]
  /** index into `values` at which the collapse begins */
  readonly collapse: number | undefined
}

export type Fitted = Omit<Calibration, 'rein' | 'version' | 'engine' | 'model' | 'task'>

export function calibrate(recordings: readonly Recording[], options: CalibrateOptions): Fitted {
  const { signal, granularity, floor = true, folds = 5 } = options
  const head = signal === 'attention-head' ? mostVaryingHead(recordings) : undefined
  const observer = { signal, ...(head !== undefined && { head }) }
  const all = recordings
    .map((recording) => seriesOf(recording, observer, granularity))
    .filter((s) => s.values.length > 0)
  const collapsed = all.filter((s) => s.collapse !== undefined).length
  if (collapsed < folds || all.length - collapsed < 1)
    throw new InputError(
      `a calibration needs runs that collapse and runs that do not: of ${all.length} runs ${collapsed} collapsed; take ${collapsed < folds ? 'longer' : 'shorter'} instances`,
    )
  const trial = crossValidate(all, {
    floor,
    folds,
    ...(options.falseAlarmRate !== undefined && { rate: options.falseAlarmRate }),
  })
  const line = fitLogistic(samplesOf(all))
  const control = { alpha: line.slope, beta: line.intercept, floor }
  const psi = choosePsi(all, control, options.falseAlarmRate)
  return { ...observer, granularity, ...control, psi, ...trial, runs: all.length }
}

function seriesOf(
  recording: Recording,
  observer: Parameters<typeof lineEntropies>[1],
  granularity: Granularity,
): Series {
  const { lines, collapse } = recording
  const points =
    granularity === 'token'
      ? tokenEntropies(lines, observer)
      : lineEntropies(lines, observer).flatMap((value, line) => (value === undefined ? [] : [{ value, line }]))
  const at = collapse === undefined ? -1 : points.findIndex(({ line }) => line >= collapse)
  return { values: points.map(({ value }) => value), collapse: at < 0 ? undefined : at }
}

const samplesOf = (series: readonly Series[]): Sample[] =>
  series.flatMap(({ values, collapse }) =>
    values.map((x, i): Sample => ({ x, y: collapse !== undefined && i >= collapse ? 1 : 0 })),
  )

const sound = (series: readonly Series[]): number[][] =>
  series.map(({ values, collapse }) => [...values.slice(0, collapse)]).filter((values) => values.length > 0)

/** Ψ from a false-alarm rate, or the one that catches most collapses in time for the fewest needless resets. */
function choosePsi(series: readonly Series[], control: Omit<Control, 'psi' | 'hysteresis'>, rate?: number): number {
  const calmRuns = series.filter((s) => s.collapse === undefined).map((s) => [...s.values])
  if (rate !== undefined) return psiForFalseAlarms(calmRuns, rate, control)
  const candidates = [
    ...new Set(Array.from({ length: 40 }, (_, i) => psiForFalseAlarms(sound(series), i / 40, control))),
  ]
  const worth = (psi: number): number => {
    const { caught, falseAlarms } = measure(series, { ...control, psi, hysteresis: 0 })
    return caught - falseAlarms
  }
  return candidates.reduce((best, psi) => (worth(psi) > worth(best) ? psi : best))
}

/** Caught: the alarm came before the collapse. A false alarm: one in a run that did not collapse. */
function measure(series: readonly Series[], control: Control): { caught: number; falseAlarms: number; lead: number } {
  let caught = 0
  let collapsed = 0
  let alarms = 0
  let lead = 0
  for (const { values, collapse } of series) {
    const alarm = firstAlarm(values, control)
    if (collapse === undefined) alarms += alarm === undefined ? 0 : 1
    else {
      collapsed++
      if (alarm !== undefined && alarm <= collapse) {
        caught++
        lead += collapse - alarm
      }
    }
  }
  const calmRuns = series.length - collapsed
  return {
    caught: collapsed ? caught / collapsed : 0,
    falseAlarms: calmRuns ? alarms / calmRuns : 0,
    lead: caught ? lead / caught : 0,
  }
}

/** Each run is judged by a fit that has not seen it. */
function crossValidate(
  series: readonly Series[],
  { floor, folds, rate }: { floor: boolean; folds: number; rate?: number },
): { auc: number; caught: number; falseAlarms: number; lead: number } {
  const scored: Sample[] = []
  const judged: { series: Series; control: Control }[] = []
  for (let fold = 0; fold < folds; fold++) {
    const train = series.filter((_, i) => i % folds !== fold)
    const held = series.filter((_, i) => i % folds === fold)
    const samples = samplesOf(train)
    if (samples.every(({ y }) => y === 0) || samples.every(({ y }) => y === 1)) continue
    const { slope, intercept } = fitLogistic(samples)
    const control = { alpha: slope, beta: intercept, floor }
    const psi = choosePsi(train, control, rate)
    for (const one of held) judged.push({ series: one, control: { ...control, psi, hysteresis: 0 } })
    scored.push(...samplesOf(held).map(({ x, y }) => ({ x: slope * x + intercept, y })))
  }
  const of = (want: boolean) => judged.filter((j) => (j.series.collapse !== undefined) === want)
  const each = (items: typeof judged) => items.map((j) => measure([j.series], j.control))
  const mean = (values: number[]) => (values.length === 0 ? 0 : values.reduce((a, b) => a + b, 0) / values.length)
  const collapsed = each(of(true))
  const caught = collapsed.filter((m) => m.caught > 0)
  return {
    auc: auc(scored),
    caught: mean(collapsed.map((m) => m.caught)),
    falseAlarms: mean(each(of(false)).map((m) => m.falseAlarms)),
    lead: mean(caught.map((m) => m.lead)),
  }
}

/** Halo's Table 6: the head whose entropy varies most over the calibration runs. */
function mostVaryingHead(recordings: readonly Recording[]): number {
  const sums: number[] = []
  const squares: number[] = []
  let count = 0
  for (const { lines } of recordings)
    for (const { tokens } of lines)
      for (const token of tokens) {
        if (!token.attention?.heads) continue
        count++
        token.attention.heads.forEach((h, i) => {
          sums[i] = (sums[i] ?? 0) + h
          squares[i] = (squares[i] ?? 0) + h * h
        })
      }
  if (count === 0) throw new InputError('these runs carry no entropy by head')
  const variances = sums.map((sum, i) => squares[i]! / count - (sum / count) ** 2)
  return variances.indexOf(Math.max(...variances))
}

/** Reads a calibration file and refuses one that was made for something else. */
export function readCalibration(text: string, name: string, wanted?: { engine: string; model: string }): Calibration {
  let found: Calibration
  try {
    found = JSON.parse(text) as Calibration
  } catch (error) {
    throw new InputError(`${name} is not a calibration: ${messageOf(error)}`)
  }
  if (found?.rein !== 'calibration' || found.version !== 1)
    throw new InputError(`${name} is not a calibration of this rein: make one with "rein calibrate"`)
  if (!(found.psi > 0)) throw new InputError(`${name}: Ψ must be greater than 0, not ${found.psi}`)
  if (wanted && (found.engine !== wanted.engine || found.model !== wanted.model))
    throw new InputError(
      `${name} was made for ${found.model} on ${found.engine}, not for ${wanted.model} on ${wanted.engine}: make one with "rein calibrate"`,
    )
  return found
}
