import type { Elicitation, Monitor } from '../steer/monitor.ts'
import { pass } from '../steer/verdict.ts'
import type { Intervention, Prompt, Verdict } from '../trace/words.ts'
import type { DriftTrigger } from './drift.ts'

/**
 * The actuator: at Ω ≥ Ψ the history is compressed to a state, and the run starts afresh from the question and that state
 * (Halo, Eq. 10 and Algorithm 1). What a state is, and how one asks for it, is the task's business.
 */
export interface Rectifier {
  readonly compress: Elicitation
  /** the state in what the compressing fork said */
  state(text: string): string | undefined
  restart(state: string): { readonly prompt: Prompt; readonly text: string }
  verify(state: string): Verdict
  /** how far along a state is */
  progress(state: string): number
}

/** Halo's oscillation rule: this many fresh starts in a row that do not advance the state end the thinking. */
export const MAX_STALLS = 3

/** What a refuted state adds to Ω, as a share of Ψ: the next look comes after half of the drift that the first one took. */
const REFUTED = 0.5

export interface HaloOptions {
  /** 'never': plain Halo. 'state': a compressed state that the verifier refutes is not used; the last one that passed is. */
  readonly verify: 'never' | 'state'
  readonly name?: string
}

/**
 * Halo as a monitor of one run (it remembers how far the run has come: make one for each run).
 * @example steer(engine, prompt, [halo(drift({ signal: 'attention', granularity: 'line' }, control), rectifier)])
 */
export function halo(
  trigger: DriftTrigger,
  rectifier: Rectifier,
  { verify = 'never', name = 'halo' }: Partial<HaloOptions> = {},
): Monitor {
  let furthest = Number.NEGATIVE_INFINITY
  let stalls = 0
  let proven: string | undefined

  const restartFrom = (state: string): Intervention => {
    const progress = rectifier.progress(state)
    stalls = progress > furthest ? 0 : stalls + 1
    furthest = Math.max(furthest, progress)
    if (stalls >= MAX_STALLS) return { kind: 'conclude', text: '' }
    return { kind: 'rectify', ...rectifier.restart(state), state }
  }

  return {
    name,
    when: trigger,
    elicit: rectifier.compress,
    extract: (text) => rectifier.state(text),
    verify: (state) => (verify === 'state' ? rectifier.verify(state) : pass()),
    intervene(verdict, state) {
      if (state === undefined) return { kind: 'continue' }
      if (verify === 'never') return restartFrom(state)
      if (verdict.kind === 'pass') {
        proven = state
        return restartFrom(state)
      }
      // Not refuted is good enough: plain Halo would use it, too.
      if (verdict.kind === 'unknown') return restartFrom(state)
      trigger.raise(REFUTED)
      if (proven !== undefined) return restartFrom(proven)
      return { kind: 'rollback', feedback: `Wait, ${verdict.feedback}.`, voice: 'model' }
    },
  }
}
