import { expect, test } from 'vitest'
import type { RunView } from '../steer/monitor.ts'
import { emptyLedger } from '../trace/ledger.ts'
import { affordable, everyAffordable } from './affordable.ts'

const view = (main: number, fork: number) => ({ ledger: { ...emptyLedger, main, fork } })

test('a fork is affordable while all forks stay within their share', () => {
  expect(affordable(view(99, 0), undefined, 0.2, 20)).toBe(false)
  expect(affordable(view(100, 0), undefined, 0.2, 20)).toBe(true)
  // the last one cost 10, so the next one is expected to
  expect(affordable(view(99, 10), 0, 0.2, 0)).toBe(false)
  expect(affordable(view(100, 10), 0, 0.2, 0)).toBe(true)
  // its cost is not known before it is done
  expect(affordable(view(1000, 10), 10, 0.2, 0)).toBe(false)
  expect(affordable(view(0, 0), undefined, 0, 1000)).toBe(true)
})

test('a fork that had to wait is made at the next line end that affords it', () => {
  const watch = everyAffordable({ k: 2, by: 'lines', warmup: 1, share: 0.2, first: 10 }).watch()
  const looks: number[] = []
  let fork = 0
  for (let main = 1; main <= 200; main++) {
    const text = main % 10 === 0 ? '\n' : 'x'
    const now = { ...view(main, fork), phase: 'think', thinks: true } as unknown as RunView & { gauge(): void }
    if (watch.push({ text }, now)) {
      looks.push(main)
      fork += 14
    }
  }
  expect(looks).toEqual([50, 140])
})

test('paragraphs are counted once, however many line ends part them', () => {
  const watch = everyAffordable({ k: 1, by: 'paragraphs', warmup: 0, share: 0 }).watch()
  const now = { ...view(0, 0), phase: 'think', thinks: true } as unknown as RunView & { gauge(): void }
  const looks = ['a', '\n', 'b', '\n\n', '\n', 'c', '\n', '\n'].map((text) => watch.push({ text }, now))
  expect(looks).toEqual([false, false, false, true, false, false, false, true])
})

test('no fork is made for what is known without one, and the count begins anew', () => {
  let known = true
  const watch = everyAffordable({ k: 2, by: 'lines', warmup: 0, share: 0, known: () => known }).watch()
  const now = { ...view(0, 0), phase: 'think', thinks: true } as unknown as RunView & { gauge(): void }
  const line = (): boolean => watch.push({ text: '\n' }, now)
  expect([line(), line(), line()]).toEqual([false, false, false])
  known = false
  expect([line(), line(), line()]).toEqual([true, false, true])
})
