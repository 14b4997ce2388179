import type { Event } from '../trace/event.ts'
import { type Screen, terminal } from './terminal.ts'

/**
 * The runs of one method on one screen, one after another in the order of their numbers: what a later one does while an
 * earlier one still writes waits for its turn. The first has no heading: most methods make only one.
 */
export function runsOnScreen(screen: Screen): (event: Event, run: number) => void {
  const waiting = new Map<number, Event[]>()
  let current = 0
  let show: ((event: Event) => void) | undefined
  return function see(event, run) {
    if (run !== current) {
      waiting.set(run, [...(waiting.get(run) ?? []), event])
      return
    }
    if (!show) {
      if (current > 0) screen.write(`\n── run ${current + 1} ──\n`)
      show = terminal(screen)
    }
    show(event)
    if (event.type !== 'end') return
    show = undefined
    current++
    const held = waiting.get(current) ?? []
    waiting.delete(current)
    for (const next of held) see(next, current)
  }
}
