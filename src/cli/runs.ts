import type { Event } from '../trace/event.ts'
import { type Screen, terminal } from './terminal.ts'

/**
 * Several runs of one method on one screen, one after another in the order of their numbers: what a later one does while an
 * earlier one still writes waits for its turn. Without a heading as long as there is only one.
 */
export function runsOnScreen(screen: Screen): (event: Event, run: number) => void {
  const waiting = new Map<number, Event[]>()
  let current = 0
  let show = terminal(screen)
  const turn = (): void => {
    screen.write(`\n── run ${current + 1} ──\n`)
    show = terminal(screen)
  }
  let announced = true
  return function see(event, run) {
    if (run !== current) {
      waiting.set(run, [...(waiting.get(run) ?? []), event])
      return
    }
    if (!announced) turn()
    announced = true
    show(event)
    if (event.type !== 'end') return
    current++
    announced = false
    const next = waiting.get(current) ?? []
    waiting.delete(current)
    for (const held of next) see(held, current)
  }
}
