import { expect, test } from 'vitest'
import type { Event } from '../trace/event.ts'
import { runsOnScreen } from './runs.ts'

const problem = (message: string): Event => ({ type: 'error', where: 'engine', message })
const end: Event = { type: 'end', status: 'unverified', reason: 'done', ms: 1 }

function shown(events: readonly (readonly [Event, number])[]): string {
  let out = ''
  const see = runsOnScreen({ write: (text) => (out += text), color: false })
  for (const [event, run] of events) see(event, run)
  return out.replace(/ {2}UNVERIFIED.*\n/g, 'END\n')
}

test('runs are shown one after another, each under its number, and a single one without', () => {
  expect(
    shown([
      [problem('a'), 0],
      [end, 0],
    ]),
  ).toBe('  ! a\nEND\n')
  const two = '  ! a\n  ! b\nEND\n\n── run 2 ──\n  ! c\n  ! d\nEND\n'
  expect(
    shown([
      [problem('a'), 0],
      [problem('b'), 0],
      [end, 0],
      [problem('c'), 1],
      [problem('d'), 1],
      [end, 1],
    ]),
  ).toBe(two)
  expect(
    shown([
      [problem('a'), 0],
      [problem('c'), 1],
      [problem('b'), 0],
      [end, 0],
      [problem('d'), 1],
      [end, 1],
    ]),
  ).toBe(two)
  const ahead = shown([
    [problem('c'), 1],
    [end, 1],
    [problem('e'), 2],
    [problem('a'), 0],
    [end, 0],
  ])
  expect(ahead).toBe('  ! a\nEND\n\n── run 2 ──\n  ! c\nEND\n\n── run 3 ──\n  ! e\n')
})
