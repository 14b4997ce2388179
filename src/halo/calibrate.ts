import { InputError, messageOf } from '../base/errors.ts'
import { choosePsi, measure, type Series } from './choose-psi.ts'
import type { Control } from './controller.ts'
import { auc, fitLogistic, type Logistic, type Sample } from './logistic.ts'
import type { Granularity, Signal } from './observer.ts'
import { lineEntropies, type Recording, tokenEntropies } from './recording.ts'

/**
 * Halo's α, β and Ψ from runs without Halo (the paper's D.2, with a verifier in place of hand labels). The log-odds that a
 * line stands at or after the collapse are linear in H̄; they are λ̂, so that λ̂ = 0 where H̄ speaks for neither. How many lines
 * of each kind were recorded (how long the runs were let go on) is taken out of them: what is left is the log-likelihood
 * ratio, and with that Page's CUSUM is the quickest alarm there is for its rate of false ones.
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
  /** resets a run that were not the last one before a collapse, out of fold */
  readonly needless: number
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
  /** what a needless reset costs, as a share of a failed run */
  readonly price?: number
  readonly folds?: number
}

export type Fitted = Omit<Calibration, 'rein' | 'version' | 'engine' | 'model' | 'task'>

export function calibrate(recordings: readonly Recording[], options: CalibrateOptions): Fitted {
  const { signal, granularity, floor = true, folds = 5, price = 0.1 } = options
  const head = signal === 'attention-head' ? mostVaryingHead(recordings) : undefined
  const observer = { signal, ...(head !== undefined && { head }) }
  const all = recordings
    // neither right nor seen to go wrong: cut off by the token limit
    .filter(({ right = true, collapse }) => right || collapse !== undefined)
    .map((recording) => seriesOf(recording, observer, granularity))
    .filter((s) => s.values.length > 0)
  const collapsed = all.filter((s) => s.collapse !== undefined).length
  if (collapsed < folds || all.length - collapsed < 1)
    throw new InputError(
      `a calibration needs runs that collapse and runs that do not: of ${all.length} runs ${collapsed} collapsed; take ${collapsed < folds ? 'longer' : 'shorter'} instances`,
    )
  const wish = { price, ...(options.falseAlarmRate !== undefined && { rate: options.falseAlarmRate }) }
  const trial = crossValidate(all, { floor, folds, wish })
  const line = likelihoodRatio(samplesOf(all))
  const control = { alpha: line.slope, beta: line.intercept, floor }
  const psi = choosePsi(all, control, wish)
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
      : // the last line has no end, so a controller that works by the line never sees it
        lineEntropies(lines.slice(0, -1), observer).flatMap((value, line) =>
          value === undefined ? [] : [{ value, line }],
        )
  const at = collapse === undefined ? -1 : points.findIndex(({ line }) => line >= collapse)
  return { values: points.map(({ value }) => value), collapse: at < 0 ? undefined : at }
}

/** The logistic fit without its prior odds: log p(H̄ | collapsed) − log p(H̄ | sound). */
function likelihoodRatio(samples: readonly Sample[]): Logistic {
  const { slope, intercept } = fitLogistic(samples)
  const ones = samples.reduce((sum, { y }) => sum + y, 0)
  return { slope, intercept: intercept - Math.log(ones / (samples.length - ones)) }
}

const samplesOf = (series: readonly Series[]): Sample[] =>
  series.flatMap(({ values, collapse }) =>
    values.map((x, i): Sample => ({ x, y: collapse !== undefined && i >= collapse ? 1 : 0 })),
  )

/** Each run is judged by a fit that has not seen it. */
function crossValidate(
  series: readonly Series[],
  { floor, folds, wish }: { floor: boolean; folds: number; wish: Parameters<typeof choosePsi>[2] },
): { auc: number; caught: number; falseAlarms: number; needless: number; lead: number } {
  const scored: Sample[] = []
  const judged: { series: Series; control: Control }[] = []
  for (let fold = 0; fold < folds; fold++) {
    const train = series.filter((_, i) => i % folds !== fold)
    const held = series.filter((_, i) => i % folds === fold)
    const samples = samplesOf(train)
    if (samples.every(({ y }) => y === 0) || samples.every(({ y }) => y === 1)) continue
    const { slope, intercept } = likelihoodRatio(samples)
    const control = { alpha: slope, beta: intercept, floor }
    const psi = choosePsi(train, control, wish)
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
    needless: mean(each(judged).map((m) => m.needless)),
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
