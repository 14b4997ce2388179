import { Worker } from 'node:worker_threads'
import { built } from '../../base/paths.ts'
import { EngineError } from '../errors.ts'
import type { Request } from './scheduler.ts'
import { type Record, readRecords } from './wire.ts'
import type { FromWorker, ToWorker, WorkerSettings } from './worker.ts'

/**
 * The threads that run the model, and who is on which. A run's streams go to one thread, where they share its cache; a new
 * run goes to the one with the least to do. Threads start when they are first needed and never keep the process alive idle.
 */
export interface Pool {
  /** Starts a stream; `family` names what it should share a cache with. */
  open(request: Omit<Request, 'stream'>, family: string): Stream
  stats(): Promise<Stats[]>
  close(): Promise<void>
}

export interface Stats {
  readonly copied: number
  readonly evicted: number
  readonly held: number
}

export interface Stream {
  /** The next records, or undefined when the stream was stopped. */
  next(): Promise<Record[] | undefined>
  stop(): void
}

interface Thread {
  readonly worker: Worker
  readonly streams: Map<number, Inbox>
  readonly asked: ((stats: Stats) => void)[]
}

interface Inbox {
  push(record: Record): void
  fail(error: EngineError): void
}

export function createPool(size: number, settings: WorkerSettings): Pool {
  const threads: (Thread | undefined)[] = Array.from({ length: size }, () => undefined)
  /** which thread a family last went to; the oldest is forgotten first */
  const homes = new Map<string, number>()
  let streams = 0
  let closed = false

  const load = (i: number): number => threads[i]?.streams.size ?? 0

  function home(family: string): number {
    let best = homes.get(family)
    if (best === undefined) {
      best = 0
      for (let i = 1; i < size; i++) if (load(i) < load(best)) best = i
    }
    homes.delete(family)
    homes.set(family, best)
    if (homes.size > 4096) homes.delete(homes.keys().next().value!)
    return best
  }

  function thread(i: number): Thread {
    const known = threads[i]
    if (known) return known
    const worker = new Worker(built('engine/nano/worker.js'), { workerData: settings, execArgv: [] })
    worker.unref()
    const made: Thread = { worker, streams: new Map(), asked: [] }
    const broken = (message: string): void => {
      if (threads[i] === made) threads[i] = undefined
      for (const inbox of made.streams.values()) inbox.fail(new EngineError('broken', message))
      made.streams.clear()
    }
    worker.on('message', (message: FromWorker) => {
      if (message.type === 'failed') broken(`nano stopped: ${message.message}`)
      else if (message.type === 'stats') made.asked.shift()?.(message)
      else for (const record of readRecords(message.buffer)) made.streams.get(record.stream)?.push(record)
    })
    worker.on('error', (error) => broken(`nano stopped: ${error.message}`))
    worker.on('exit', () => broken(closed ? 'nano was closed' : 'nano stopped'))
    threads[i] = made
    return made
  }

  function open(request: Omit<Request, 'stream'>, family: string): Stream {
    if (closed) throw new EngineError('broken', 'nano was closed: make a new engine to go on')
    const stream = ++streams
    const { worker, streams: here } = thread(home(family))
    const post = (message: ToWorker): void => worker.postMessage(message)
    let ready: Record[] = []
    let failed: EngineError | undefined
    let stopped = false
    let wake = (): void => {}
    const leave = (): void => {
      here.delete(stream)
      if (here.size === 0) worker.unref()
    }
    here.set(stream, {
      push: (record) => {
        ready.push(record)
        if (record.finish) leave()
        wake()
      },
      fail: (error) => {
        failed = error
        wake()
      },
    })
    worker.ref()
    post({ type: 'open', request: { ...request, stream } })
    return {
      next: async () => {
        if (ready.length === 0 && !failed && !stopped)
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        if (stopped) return undefined
        if (ready.length === 0 && failed) throw failed
        const records = ready
        ready = []
        return records
      },
      stop: () => {
        if (stopped) return
        stopped = true
        if (here.has(stream)) {
          leave()
          post({ type: 'abort', stream })
        }
        wake()
      },
    }
  }

  function statsOf({ worker, streams: here, asked }: Thread): Promise<Stats> {
    return new Promise((resolve) => {
      worker.ref()
      asked.push((stats) => {
        if (here.size === 0) worker.unref()
        resolve(stats)
      })
      worker.postMessage({ type: 'stats' } satisfies ToWorker)
    })
  }

  return {
    open,
    stats: () => Promise.all(threads.filter((t) => t !== undefined).map(statsOf)),
    close: async () => {
      closed = true
      await Promise.all(threads.map((t) => t?.worker.terminate()))
    },
  }
}
