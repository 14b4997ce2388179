import { availableParallelism } from 'node:os'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { built } from '../base/paths.ts'
import type { Verdict } from '../trace/words.ts'
import type { Job } from './worker.ts'

/**
 * Verifiers off the main thread. Each thread runs one check at a time; one that overruns its time is killed and replaced, and
 * its verdict is `unknown`. Idle threads do not keep the process alive.
 */
export interface VerifierPool {
  verify(task: string, instance: unknown, answer: string, kind: Job['kind'], signal?: AbortSignal): Promise<Verdict>
  /** threads that exist now */
  readonly threads: number
  close(): Promise<void>
}

export interface PoolOptions {
  /** threads at most; they are started when they are needed */
  readonly size?: number
  /** time for one check, the thread's start not counted */
  readonly timeoutMs?: number
  /** memory of a thread's heap; a check that needs more is `unknown` */
  readonly maxMemoryMb?: number
  /** the module whose `getTask` the threads call; the tasks of rein unless given */
  readonly registry?: string
}

interface Waiting {
  readonly job: Job
  readonly done: (verdict: Verdict) => void
}

interface Thread {
  readonly worker: Worker
  ready: boolean
  busy: Waiting | undefined
  timer: NodeJS.Timeout | undefined
}

const START_LIMIT_MS = 60_000

/** @example const verdict = await verifierPool({ timeoutMs: 500 }).verify('game24', { numbers: [1, 2, 3, 4], target: 24 }, '(1+2+3)*4', 'final') */
export function verifierPool(options: PoolOptions = {}): VerifierPool {
  const { size = defaultSize(), timeoutMs = 10_000, maxMemoryMb = 1024 } = options
  const registry = options.registry ?? pathToFileURL(built('tasks/registry.js')).href
  const threads = new Set<Thread>()
  const queue: Waiting[] = []
  let closed = false

  function start(): Thread {
    const worker = new Worker(built('verify/worker.js'), {
      workerData: { registry },
      // the parent's flags (--input-type, loaders) are not the thread's
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb, stackSizeMb: 8 },
      // a verifier's library may print; that must not end up among a command's rows
      stdout: true,
      stderr: true,
    })
    worker.unref()
    const thread: Thread = { worker, ready: false, busy: undefined, timer: undefined }
    threads.add(thread)
    worker.on('message', (message: 'ready' | Verdict) => {
      if (message !== 'ready') return settle(thread, message)
      thread.ready = true
      if (thread.busy) send(thread, thread.busy)
    })
    worker.on('error', (error) => drop(thread, `the verifier crashed: ${error.message}`))
    worker.on('exit', () => drop(thread, 'the verifier ended'))
    return thread
  }

  function limit(thread: Thread, ms: number, reason: string): void {
    clearTimeout(thread.timer)
    thread.timer = setTimeout(() => drop(thread, reason), ms)
  }

  function send(thread: Thread, { job }: Waiting): void {
    limit(thread, timeoutMs, `timed out after ${timeoutMs} ms`)
    thread.worker.postMessage(job)
  }

  function assign(thread: Thread, next: Waiting): void {
    thread.busy = next
    thread.worker.ref()
    if (thread.ready) send(thread, next)
    else limit(thread, START_LIMIT_MS, 'the verifier did not start')
  }

  function settle(thread: Thread, verdict: Verdict): void {
    clearTimeout(thread.timer)
    const done = thread.busy
    thread.busy = undefined
    thread.worker.unref()
    done?.done(verdict)
    pump()
  }

  /** Takes a thread out for good; the queue goes on with another. */
  function drop(thread: Thread, reason: string): void {
    if (!threads.delete(thread)) return
    thread.worker.terminate().catch(() => {})
    settle(thread, { kind: 'unknown', reason })
  }

  function pump(): void {
    while (queue.length > 0 && !closed) {
      const idle = [...threads].find((thread) => !thread.busy)
      const thread = idle ?? (threads.size < size ? start() : undefined)
      if (!thread) return
      assign(thread, queue.shift()!)
    }
  }

  return {
    get threads() {
      return threads.size
    },
    verify(task, instance, answer, kind, signal) {
      if (closed) return Promise.resolve({ kind: 'unknown', reason: 'the verifier pool is closed' })
      if (signal?.aborted) return Promise.resolve(aborted)
      return new Promise<Verdict>((resolve) => {
        // An abort gives up waiting; a check that already runs ends by itself or at its time limit.
        const cancel = (): void => {
          const at = queue.indexOf(waiting)
          if (at >= 0) queue.splice(at, 1)
          resolve(aborted)
        }
        const done = (verdict: Verdict): void => {
          signal?.removeEventListener('abort', cancel)
          resolve(verdict)
        }
        const waiting: Waiting = { job: { task, instance, answer, kind }, done }
        signal?.addEventListener('abort', cancel, { once: true })
        queue.push(waiting)
        pump()
      })
    },
    async close() {
      closed = true
      for (const { done } of queue.splice(0)) done({ kind: 'unknown', reason: 'the verifier pool is closed' })
      await Promise.all(
        [...threads].map((thread) => {
          drop(thread, 'the verifier pool is closed')
          return thread.worker.terminate()
        }),
      )
    },
  }
}

const aborted: Verdict = { kind: 'unknown', reason: 'aborted' }

const defaultSize = (): number => Math.max(1, Math.min(4, availableParallelism() - 1))

let shared: VerifierPool | undefined

/** The one pool that a process needs unless it wants its own limits. */
export function sharedPool(): VerifierPool {
  shared ??= verifierPool()
  return shared
}
