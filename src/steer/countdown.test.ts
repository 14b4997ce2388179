import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { countdown } from './countdown.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

test('runs out once its time is up, and not when it was stopped', async () => {
  const over = vi.fn()
  countdown(100, over).start()
  const stopped = countdown(100, over)
  stopped.start()
  await vi.advanceTimersByTimeAsync(99)
  expect(over).not.toHaveBeenCalled()
  stopped.stop()
  await vi.advanceTimersByTimeAsync(1000)
  expect(over).toHaveBeenCalledTimes(1)
})

test('stands still during pauses, also where they overlap, and then goes on with what was left', async () => {
  const over = vi.fn()
  const limit = countdown(100, over)
  limit.start()
  await vi.advanceTimersByTimeAsync(60)
  const pauses = [limit.during(() => after(500)), limit.during(() => after(900))]
  await vi.advanceTimersByTimeAsync(900)
  await Promise.all(pauses)
  await vi.advanceTimersByTimeAsync(39)
  expect(over).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(over).toHaveBeenCalledTimes(1)
})

test('a pause before the start, or one that outlives the end, starts no clock', async () => {
  const over = vi.fn()
  const limit = countdown(100, over)
  const early = limit.during(() => after(10))
  await vi.advanceTimersByTimeAsync(10)
  await early
  await vi.advanceTimersByTimeAsync(1000)
  limit.start()
  const late = limit.during(() => after(1000))
  limit.stop()
  await vi.advanceTimersByTimeAsync(5000)
  await late
  expect(over).not.toHaveBeenCalled()
})

test('a pause that fails is over', async () => {
  const over = vi.fn()
  const limit = countdown(100, over)
  limit.start()
  await expect(limit.during(() => Promise.reject(new Error('gone')))).rejects.toThrow('gone')
  await vi.advanceTimersByTimeAsync(100)
  expect(over).toHaveBeenCalledTimes(1)
})
