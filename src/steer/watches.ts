import { InputError } from '../base/errors.ts'
import type { Token } from '../trace/token.ts'
import type { AnyMonitor, RunView } from './monitor.ts'

/** The triggers of one run at work: which monitors want to look after this token. Knows nothing of checks and engines. */
export interface Watches {
  readonly names: readonly string[]
  /** Shows the token to every watch, in the monitors' order. One that throws is switched off and reported. */
  look(token: Token, view: Looking, broken: (monitor: string, error: unknown) => void): AnyMonitor[]
  /** every watch's state, to be put back at a roll-back */
  save(): unknown[]
  restore(states: readonly unknown[]): void
  /** a fresh start */
  reset(): void
}

export type Looking = RunView & { gauge(name: string, value: number): void; current: string }

const none: AnyMonitor[] = []

export function createWatches(monitors: readonly AnyMonitor[]): Watches {
  const items = monitors
    .filter((monitor) => !monitor.when.final)
    .map((monitor) => ({ monitor, watch: monitor.when.watch(), broken: false }))
  return {
    names: items.map(({ monitor }) => monitor.name),
    look(token, view, broken) {
      let wanting = none
      for (const item of items) {
        if (item.broken) continue
        view.current = item.monitor.name
        try {
          if (item.watch.push(token, view)) wanting = wanting === none ? [item.monitor] : [...wanting, item.monitor]
        } catch (error) {
          item.broken = true
          broken(item.monitor.name, error)
        }
      }
      return wanting
    },
    save: () => items.map(({ watch }) => watch.state),
    restore: (states) =>
      items.forEach(({ watch }, i) => {
        watch.state = states[i]
      }),
    reset: () =>
      items.forEach((item) => {
        item.watch = item.monitor.when.watch()
      }),
  }
}

/** What the main stream has to carry for the monitors to see: the most that any of them asks for. */
export function streamNeeds(monitors: readonly AnyMonitor[]): { topLogprobs?: number; attention?: boolean | 'heads' } {
  const topLogprobs = Math.max(0, ...monitors.map((monitor) => monitor.when.needs?.topLogprobs ?? 0))
  const attention = monitors.map((monitor) => monitor.when.needs?.attention ?? false)
  return {
    ...(topLogprobs > 0 && { topLogprobs }),
    ...(attention.some(Boolean) && { attention: attention.includes('heads') ? ('heads' as const) : true }),
  }
}

/** Names are how monitors are spoken of: each has its own, and those that `verified` rests on check final answers. */
export function checkNames(monitors: readonly AnyMonitor[], verifiedBy: readonly string[]): void {
  const names = monitors.map((monitor) => monitor.name)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) throw new InputError(`two monitors are called "${twice}": give each its own name`)
  const finals = monitors.filter((monitor) => monitor.when.final).map((monitor) => monitor.name)
  const missing = verifiedBy.find((name) => !finals.includes(name))
  if (missing !== undefined)
    throw new InputError(
      `verifiedBy names "${missing}", which checks no final answer; those that do: ${finals.join(', ') || 'none'}`,
    )
}
