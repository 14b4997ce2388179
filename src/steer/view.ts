import type { Engine } from '../engine/engine.ts'
import type { Event } from '../trace/event.ts'
import type { Fold } from '../trace/fold.ts'
import type { Snapshot } from './checks.ts'
import type { Policy } from './monitor.ts'
import type { Looking } from './watches.ts'

/** The run as its watches see it: everything is read when it is asked for, so that a look costs nothing. */
export function liveView(state: Fold, engine: Engine, policy: Policy, emit: (event: Event) => void): Looking {
  const view: Looking = {
    get trace() {
      return state.trace
    },
    get phase() {
      return state.phase
    },
    thinks: engine.markers.thinkClose !== '',
    get prompt() {
      return state.prompt
    },
    get epoch() {
      return state.epoch
    },
    get retries() {
      return state.retries
    },
    maxRetries: policy.retries,
    get ledger() {
      return state.ledger
    },
    seed: policy.sampling.seed,
    current: '',
    gauge(name, value) {
      emit({ type: 'gauge', monitor: view.current, at: state.trace.length, name, value })
    },
  }
  return view
}

/** The run as it stands now, for a check that may get its turn later. */
export function snapshotOf(view: Looking, answerText: string): Snapshot {
  const { trace, phase, thinks, prompt, epoch, retries, maxRetries, ledger, seed } = view
  return { trace, phase, thinks, prompt, epoch, retries, maxRetries, ledger, seed, answerText }
}
