import type { Event, Result } from '../trace/event.ts'

/** One prompt on its way to one result. Iterate it to see every event as it happens, or just ask for the result. */
export interface Run extends AsyncIterable<Event> {
  readonly id: string
  result(): Promise<Result>
  /** Stops generation at the engine, forks included; the result's status is then `failed`. */
  abort(reason?: string): void
}

/** A reader that falls this far behind holds the run up, so that memory stays flat. */
const HIGH_WATER = 4_096

export interface EventFeed {
  push(event: Event): void
  end(): void
  fail(error: unknown): void
  /** Resolves at once unless a reader is far behind. */
  ready(): Promise<void> | undefined
  iterate(): AsyncIterator<Event>
}

/** Hands events to at most one reader. Nothing is kept while nobody reads. */
export function eventFeed(): EventFeed {
  let reading = false
  let buffer: Event[] = []
  let at = 0
  let ended = false
  let failure: { error: unknown } | undefined
  let wakeReader = (): void => {}
  let wakeWriter = (): void => {}

  const next = async (): Promise<IteratorResult<Event>> => {
    while (at >= buffer.length) {
      if (failure) throw failure.error
      if (ended) return { done: true, value: undefined }
      buffer = []
      at = 0
      wakeWriter()
      await new Promise<void>((resolve) => {
        wakeReader = resolve
      })
    }
    return { done: false, value: buffer[at++]! }
  }

  return {
    push(event) {
      if (!reading) return
      buffer.push(event)
      wakeReader()
    },
    end() {
      ended = true
      wakeReader()
    },
    fail(error) {
      failure = { error }
      wakeReader()
    },
    ready() {
      if (!reading || buffer.length - at < HIGH_WATER) return undefined
      return new Promise<void>((resolve) => {
        wakeWriter = resolve
      })
    },
    iterate() {
      reading = true
      return {
        next,
        async return() {
          reading = false
          buffer = []
          at = 0
          wakeWriter()
          return { done: true, value: undefined }
        },
      }
    },
  }
}
