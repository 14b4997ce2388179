import { parentPort, workerData } from 'node:worker_threads'
import type { Verdict } from '../trace/words.ts'

/**
 * The inside of a verifier thread: one check at a time, so that a solver's context is never shared by two. It knows the
 * registry only by its address, which the pool gives it.
 */
export interface Job {
  readonly task: string
  readonly instance: unknown
  readonly answer: string
  readonly kind: 'partial' | 'final'
}

interface Registry {
  getTask(name: string): {
    verify(instance: unknown, answer: string, kind: Job['kind']): Verdict | Promise<Verdict>
  }
}

const port = parentPort
if (port) {
  const { registry } = workerData as { registry: string }
  const loaded: Promise<Registry> = import(registry)
  loaded.then(
    () => port.postMessage('ready'),
    (error: Error) => {
      throw error
    },
  )
  port.on('message', async (job: Job) => {
    let verdict: Verdict
    try {
      verdict = await (await loaded).getTask(job.task).verify(job.instance, job.answer, job.kind)
    } catch (error) {
      verdict = { kind: 'unknown', reason: `the verifier failed: ${String((error as Error)?.message ?? error)}` }
    }
    port.postMessage(verdict)
  })
}
