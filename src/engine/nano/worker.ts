import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { messageOf } from '../../base/errors.ts'
import { kernelBinaries } from './binaries.ts'
import { readConfig } from './config.ts'
import { createModel } from './model.ts'
import { createScheduler, type Request, type Scheduler } from './scheduler.ts'
import { readTokenizer } from './tokenizer.ts'
import { loadImage, type Precision } from './weights.ts'
import { createOutbox } from './wire.ts'

/** A thread that runs the model. It takes requests and aborts between two steps, and sends tokens on as they come. */
export interface WorkerSettings {
  readonly dir: string
  readonly precision: Precision
  readonly cacheBytes: number
}

export type ToWorker =
  | { readonly type: 'open'; readonly request: Request }
  | { readonly type: 'abort'; readonly stream: number }
  | { readonly type: 'stats' }

export type FromWorker =
  | { readonly type: 'tokens'; readonly buffer: ArrayBuffer }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'stats'; readonly copied: number; readonly evicted: number; readonly held: number }

/** how long tokens may wait for company before they are sent */
const patienceMs = 1

function start(settings: WorkerSettings): Scheduler & { flush(all: boolean): void } {
  const config = readConfig(settings.dir)
  const tokenizer = readTokenizer(settings.dir)
  const image = loadImage(settings.dir, config, settings.precision)
  const model = createModel(image, config, kernelBinaries(), {
    precision: settings.precision,
    cacheBytes: settings.cacheBytes,
  })
  const texts = Array.from({ length: config.vocab }, (_, id) => Buffer.from(tokenizer.bytes(id)).toString('latin1'))
  const end = tokenizer.special(config.markers.end)
  const outbox = createOutbox()
  const scheduler = createScheduler(model, outbox, {
    end: new Set(end === undefined ? [] : [end]),
    bytes: (id) => texts[id] ?? '',
  })
  let sent = 0
  return Object.assign(scheduler, {
    flush: (all: boolean) => {
      const now = performance.now()
      if (outbox.size === 0 || !(all || now - sent >= patienceMs)) return
      sent = now
      const buffer = outbox.take()
      post({ type: 'tokens', buffer }, [buffer])
    },
  })
}

const port = parentPort
const post = (message: FromWorker, transfer: ArrayBuffer[] = []): void => port?.postMessage(message, transfer)

if (port) {
  let scheduler: ReturnType<typeof start> | undefined
  const take = (message: ToWorker): void => {
    scheduler ??= start(workerData as WorkerSettings)
    if (message.type === 'open') scheduler.open(message.request)
    else if (message.type === 'abort') scheduler.abort(message.stream)
    else post({ type: 'stats', ...scheduler.blocks.stats })
  }
  port.on('message', (message: ToWorker) => {
    try {
      take(message)
      while (scheduler?.step()) {
        for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) take(next.message)
        scheduler.flush(false)
      }
      scheduler?.flush(true)
    } catch (error) {
      post({ type: 'failed', message: messageOf(error) })
      process.exit(1)
    }
  })
}
