import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { InputError, messageOf } from '../base/errors.ts'
import { packageRoot } from '../base/paths.ts'
import { random } from '../base/random.ts'
import type { Engine } from '../engine/engine.ts'
import { halo as haloMonitor, type Rectifier } from '../halo/actuator.ts'
import { type Calibration, readCalibration } from '../halo/calibrate.ts'
import { type DriftTrigger, drift } from '../halo/drift.ts'
import { type Signal, signalRefusal, signals } from '../halo/observer.ts'
import type { Task } from '../tasks/task.ts'
import type { Method, MethodContext, MethodResult, Parameters } from './method.ts'
import { verifyFinal } from './monitors.ts'
import { outcome, startRuns } from './run.ts'

/**
 * Halo, Algorithm 1: watch the drift, and when Ω reaches Ψ compress the history and start afresh from the state.
 * Plain `halo` never asks a verifier. `halo+verify` does: a refuted state is not used, and the final answer has to pass.
 * `halo-random` resets as often at random places: what the signal itself is worth is the difference.
 */
const parameters = {
  /** a file that `rein calibrate` wrote; '' for the one that belongs to the embedded model */
  calibration: '',
  signal: 'attention',
  /** a number in place of the calibration's own */
  alpha: 'own',
  psi: 'own',
  /** Ω never below zero (CUSUM), or the paper's plain sum */
  floor: true,
  /** updates after a reset during which nothing fires */
  hysteresis: 0,
} as const

const choices = { signal: signals }

/**
 * The task's states for the actuator. Where what remains is a problem of its own, a fresh start asks that one, and what the
 * model then calls its state is told as a state of the whole; `from` is the state that the text being written began from.
 */
function rectifierOf({ task, instance }: MethodContext): { rectifier: Rectifier; begun(from: string): void } {
  const { rectify } = task
  if (!rectify) throw new InputError(`${task.name} has no states to restart from, so Halo cannot rectify it`)
  const { rest } = rectify
  let from: string | undefined
  const rectifier: Rectifier = {
    compress: rectify.compress(instance),
    state(text) {
      if (!rest || from === undefined) return rectify.state(instance, text)
      const state = rectify.state(rest.after(instance, from), text)
      return state === undefined ? undefined : rest.whole(from, state)
    },
    restart: (state) =>
      rest ? { prompt: task.prompt(rest.after(instance, state)), text: '' } : rectify.restart(instance, state),
    verify: (state) => rectify.verify(instance, state),
    progress: (state) => rectify.progress(instance, state),
  }
  return {
    rectifier,
    begun(state) {
      from = state
    },
  }
}

/** The calibration that fits: the file that was named, or the embedded model's own for this signal. */
export function calibrationFor(engine: Engine, given: Parameters): Calibration {
  const signal = given.signal as Signal
  const named = String(given.calibration)
  if (named === '' && engine.name !== 'nano')
    throw new InputError(
      `halo needs a calibration for ${engine.model}: make one with "rein calibrate --engine …" and give it with calibration=FILE`,
    )
  const path = named === '' ? join(packageRoot, 'model', 'weights', `halo-${signal}.json`) : named
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new InputError(`cannot read the calibration ${path}: ${messageOf(error)}`)
  }
  const found = readCalibration(text, path, { engine: engine.name, model: engine.model })
  if (found.signal !== signal)
    throw new InputError(`${path} was made for signal=${found.signal}, not for signal=${signal}`)
  return found
}

const numberOr = (given: Parameters[string] | undefined, own: number): number =>
  given === undefined || given === 'own' ? own : Number(given)

function driftOf(engine: Engine, given: Parameters): { trigger: DriftTrigger; calibration: Calibration } {
  const calibration = calibrationFor(engine, given)
  const control = {
    alpha: numberOr(given.alpha, calibration.alpha),
    beta: calibration.beta,
    psi: numberOr(given.psi, calibration.psi),
    floor: given.floor === true,
    hysteresis: Number(given.hysteresis),
  }
  return { trigger: drift(calibration, control), calibration }
}

function refuses(engine: Engine, task: Task, given: Parameters): string | undefined {
  if (!task.rectify)
    return `halo needs a task with states to restart from; ${task.name} has none (chain, game24 and ruler-vt do)`
  for (const name of ['alpha', 'psi'])
    if (!(numberOr(given[name], 1) > 0)) return `${name} must be a number greater than 0, not ${given[name]}`
  const refusal = signalRefusal(engine, given.signal as Signal)
  if (refusal) return refusal
  try {
    calibrationFor(engine, given)
  } catch (error) {
    return messageOf(error)
  }
  return undefined
}

async function run(context: MethodContext, verified: boolean, trigger: DriftTrigger): Promise<MethodResult> {
  const { task, instance } = context
  const runs = startRuns(context)
  const resets: number[] = []
  const { rectifier, begun } = rectifierOf(context)
  const monitors = [
    haloMonitor(trigger, rectifier, { verify: verified ? 'state' : 'never' }),
    // a refuted answer is thought over again, as interwhen does
    ...(verified ? [verifyFinal(task, instance, { retry: 'thinking' })] : []),
  ]
  const result = await runs.run(task.prompt(instance), monitors, {
    onEvent(event) {
      if (event.type !== 'intervention' || event.intervention.kind !== 'rectify') return
      begun(event.intervention.state)
      resets.push(rectifier.progress(event.intervention.state))
    },
  })
  return outcome(context, result, runs, {
    rectifications: result.rectifications,
    retries: result.retries,
    resets: resets.join(' '),
  })
}

export const halo: Method = {
  name: 'halo',
  summary: 'watch the drift Ω; at Ω ≥ Ψ compress and start afresh (Halo, Algorithm 1); no verifier',
  parameters,
  choices,
  real: ['alpha', 'psi'],
  refuses,
  run: (context) => run(context, false, driftOf(context.engine, context.parameters).trigger),
}

export const haloVerify: Method = {
  name: 'halo+verify',
  summary: 'Halo whose states are verified before use, and whose final answer must pass',
  parameters,
  choices,
  real: ['alpha', 'psi'],
  refuses,
  run: (context) => run(context, true, driftOf(context.engine, context.parameters).trigger),
}

/** The control: a reset after a random number of lines, with the same mean spacing as the drift's alarms. */
export const haloRandom: Method = {
  name: 'halo-random',
  summary: 'resets at random places, `every` lines on average: the control for halo',
  parameters: { every: 8 },
  least: { every: 1 },
  refuses: (_engine, task) => (task.rectify ? undefined : `${task.name} has no states to restart from`),
  run: (context) => run(context, false, atRandomLines(Number(context.parameters.every), context.seed)),
}

function atRandomLines(every: number, seed: number): DriftTrigger {
  const rng = random(`${seed}/resets`)
  return {
    name: `at random, every ${every} lines`,
    raise: () => {},
    watch: () => ({
      state: 0,
      push: (token, view) =>
        (view.phase === 'think' || !view.thinks) && token.text.includes('\n') && rng.chance(1 / every),
    }),
  }
}
