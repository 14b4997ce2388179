/** A time limit whose clock can stand still. */
export interface Countdown {
  start(): void
  stop(): void
  /** the clock stands while this is under way */
  during<T>(work: () => Promise<T>): Promise<T>
}

/** @example const limit = countdown(10_000, giveUp); limit.start(); await limit.during(askTheModel); limit.stop() */
export function countdown(ms: number, over: () => void): Countdown {
  let left = ms
  let since = 0
  let timer: NodeJS.Timeout | undefined
  let wanted = false
  let pauses = 0
  const run = (): void => {
    if (!wanted || pauses > 0) return
    since = performance.now()
    timer = setTimeout(over, left)
  }
  const rest = (): void => {
    if (timer === undefined) return
    clearTimeout(timer)
    timer = undefined
    left = Math.max(0, left - (performance.now() - since))
  }
  return {
    start() {
      wanted = true
      run()
    },
    stop() {
      wanted = false
      rest()
    },
    async during(work) {
      if (pauses++ === 0) rest()
      try {
        return await work()
      } finally {
        if (--pauses === 0) run()
      }
    },
  }
}
