import type { Sampling } from '../engine.ts'
import { type Blocks, createBlocks, type Sequence } from './blocks.ts'
import { BLOCK, type Model, newBatch } from './model.ts'
import { createSampler } from './sampler.ts'
import type { Outbox } from './wire.ts'

/**
 * Continuous batching: one forward pass a step for all streams, each of which brings its next token or the next piece of its
 * prompt. Streams come and go between two steps. Knows ids and bytes of tokens; knows nothing of threads or text.
 */
export interface Request {
  readonly stream: number
  readonly ids: Int32Array
  readonly sampling: Sampling
  readonly seed: number
  readonly maxTokens: number
  /** stop texts as UTF-8, one character a byte */
  readonly stop: readonly string[]
  readonly top: number
  readonly attention: false | 'mean' | 'heads'
}

export interface Scheduler {
  open(request: Request): void
  abort(stream: number): void
  /** One forward pass. Gives false when there is nothing to do. */
  step(): boolean
  readonly active: number
  readonly blocks: Blocks
}

interface Running extends Request {
  readonly all: number[]
  sequence: Sequence | undefined
  readonly table: number
  readonly seen: Uint8Array | undefined
  readonly prompt: number
  cached: number
  tail: string
  started: boolean
}

export function createScheduler(
  model: Model,
  out: Outbox,
  vocabulary: { readonly end: ReadonlySet<number>; bytes(id: number): string },
): Scheduler {
  const blocks = createBlocks(model.blocks, BLOCK, model.copyBlock)
  const sampler = createSampler(model)
  const batch = newBatch(model.maxRows)
  const tables = Array.from({ length: 256 }, (_, i) => 255 - i)
  const waiting: Request[] = []
  let running: Running[] = []
  /** who owns which row of logits */
  const owners: Running[] = []

  function admit(): void {
    while (waiting.length > 0 && tables.length > 0) {
      const request = waiting.shift()!
      const seen = (request.sampling.repetitionPenalty ?? 1) !== 1 ? new Uint8Array(model.shape.vocab) : undefined
      if (seen) for (const id of request.ids) seen[id] = 1
      const all = Array.from(request.ids)
      const state = { table: tables.pop()!, seen, all, prompt: all.length, cached: 0, tail: '', started: false }
      running.push({ ...request, ...state, sequence: undefined })
    }
  }

  /** Finds what the cache has of a stream. Its last position is always computed: that is where the logits come from. */
  function attach(r: Running): Sequence {
    const sequence = blocks.open(r.all, r.all.length - 1)
    sequence.blocks.forEach((block, i) => {
      model.setBlock(r.table, i, block.index)
    })
    if (!r.started) r.cached = sequence.length
    r.sequence = sequence
    return sequence
  }

  /** Puts up to `most` of the stream's next positions into the batch; gives how many found room in the cache. */
  function feed(r: Running, most: number): number {
    const sequence = r.sequence ?? attach(r)
    let n = 0
    while (n < most && sequence.length < r.all.length) {
      const position = sequence.length
      const changed = blocks.append(sequence, r.all[position]!)
      if (changed === 'full') break
      if (changed >= 0) model.setBlock(r.table, changed, sequence.blocks[changed]!.index)
      const row = batch.rows++
      batch.ids[row] = r.all[position]!
      batch.positions[row] = position
      batch.tables[row] = r.table
      n++
      if (sequence.length === r.all.length) {
        owners[batch.wanted] = r
        batch.logits[batch.wanted++] = row
      }
    }
    return n
  }

  function end(r: Running): void {
    if (r.sequence) blocks.close(r.sequence)
    r.sequence = undefined
    tables.push(r.table)
    running = running.filter((other) => other !== r)
  }

  /** Draws the next token of a stream from the i-th row of logits and says whether the stream goes on. */
  function advance(r: Running, i: number): void {
    const { id, logprob } = sampler.draw(i, r.sampling, r.all.length, r.seed, r.seen)
    const usage = r.started ? {} : { prompt: r.prompt, cached: r.cached }
    r.started = true
    if (vocabulary.end.has(id)) {
      out.push({ stream: r.stream, id: -1, finish: 'eos', ...usage })
      end(r)
      return
    }
    r.all.push(id)
    if (r.seen) r.seen[id] = 1
    const stop = stopOf(r, id)
    const full = r.all.length - r.prompt >= r.maxTokens || r.all.length >= model.shape.context
    const finish = stop >= 0 ? 'stop' : full ? 'length' : undefined
    const heads = r.attention ? model.entropies(batch.logits[i]!) : undefined
    out.push({
      stream: r.stream,
      id,
      finish,
      logprob,
      stop,
      ...usage,
      top: r.top > 0 ? sampler.top(i, r.top) : undefined,
      mean: heads && meanOf(heads),
      heads: r.attention === 'heads' ? heads : undefined,
    })
    if (finish) end(r)
  }

  function stopOf(r: Running, id: number): number {
    if (r.stop.length === 0) return -1
    const longest = Math.max(...r.stop.map((s) => s.length))
    const added = vocabulary.bytes(id)
    r.tail = (r.tail + added).slice(-(longest + added.length))
    return r.stop.findIndex((s) => r.tail.includes(s))
  }

  function step(): boolean {
    admit()
    if (running.length === 0) return false
    batch.rows = 0
    batch.wanted = 0
    batch.entropy = running.some((r) => r.attention)
    // Those that decode come first, so that a long prompt beside them only fills the room they leave.
    const left = (r: Running): number => (r.sequence ? r.all.length - r.sequence.length : Number.POSITIVE_INFINITY)
    for (const decoding of [true, false])
      for (const r of running) {
        if (batch.rows >= model.maxRows) break
        if (left(r) === 0 || (left(r) === 1) !== decoding) continue
        if (feed(r, model.maxRows - batch.rows) === 0 && r.sequence) {
          // No room: it gives back what it holds and computes it again later, to the same numbers.
          blocks.close(r.sequence)
          r.sequence = undefined
        }
      }
    if (batch.rows === 0) throw new Error('the cache is too small for one stream')
    model.forward(batch)
    blocks.settle()
    for (let i = 0; i < batch.wanted; i++) advance(owners[i]!, i)
    // Whoever was first lets the others go first, for when not all fit into one batch.
    if (running.length > 1 && running.length > model.maxRows) running.push(running.shift()!)
    return true
  }

  return {
    open: (request) => {
      waiting.push(request)
    },
    abort: (stream) => {
      const queued = waiting.findIndex((r) => r.stream === stream)
      if (queued >= 0) waiting.splice(queued, 1)
      const found = running.find((r) => r.stream === stream)
      if (found) end(found)
    },
    step,
    get active() {
      return running.length + waiting.length
    },
    blocks,
  }
}

function meanOf(x: Float32Array): number {
  let sum = 0
  for (const v of x) sum += v
  return sum / x.length
}
