import type { Trigger, Watch } from '../steer/monitor.ts'
import type { Control, Drift } from './controller.ts'
import { calm, update } from './controller.ts'
import { type Granularity, needsOf, type ObserverOptions, observe } from './observer.ts'

/** Observer and controller as a trigger: fires when Ω ≥ Ψ, and puts Ω on the record as it goes. */
export interface DriftTrigger extends Trigger {
  /** Adds this share of Ψ to Ω before the next update: a verification that failed is a sign of drift, too. */
  raise(share: number): void
}

interface State {
  readonly drift: Drift
  /** of the current line */
  readonly sum: number
  readonly count: number
}

export function drift(options: ObserverOptions & { granularity: Granularity }, control: Control): DriftTrigger {
  if (!(control.psi > 0)) throw new RangeError(`Ψ must be greater than 0, not ${control.psi}`)
  let raised = 0
  const watch = (): Watch => ({
    state: { drift: calm, sum: 0, count: 0 } satisfies State,
    push(token, view) {
      if (view.phase !== 'think' && view.thinks) return false
      const entropy = observe(token, options)
      let { drift, sum, count } = this.state as State
      if (entropy !== undefined) {
        sum += entropy
        count++
      }
      const due = count > 0 && (options.granularity === 'token' || token.text.includes('\n'))
      if (!due) {
        this.state = { drift, sum, count }
        return false
      }
      if (raised > 0) {
        drift = { ...drift, omega: drift.omega + raised }
        raised = 0
      }
      const step = update(drift, sum / count, control)
      this.state = { drift: step.drift, sum: 0, count: 0 }
      view.gauge('Ω', step.omega)
      return step.fire
    },
  })
  return {
    name: `Ω ≥ ${control.psi}`,
    needs: needsOf(options.signal),
    watch,
    raise(share) {
      raised += share * control.psi
    },
  }
}
