import type { Finish } from '../../trace/token.ts'

/**
 * How tokens cross from a worker to the main thread: many of them, of many streams, in one transferred buffer of 32-bit
 * words. A record: stream, id, finish, logprob, mean entropy, number of alternatives, number of heads, stop's number,
 * prompt length, cached length; then ids and logprobs of the alternatives; then the heads' entropies.
 */
export interface Record {
  stream: number
  /** -1: no token, only the end */
  id: number
  finish: Finish | undefined
  logprob: number
  mean: number | undefined
  stop: number
  prompt: number
  cached: number
  topIds: Int32Array
  topLogprobs: Float32Array
  heads: Float32Array
}

const finishes = [undefined, 'eos', 'stop', 'length'] as const
const FIELDS = 10

export interface Outbox {
  readonly size: number
  push(record: {
    stream: number
    id: number
    finish?: Finish | undefined
    logprob?: number
    mean?: number | undefined
    stop?: number
    prompt?: number
    cached?: number
    top?: { ids: readonly number[]; logprobs: readonly number[] } | undefined
    heads?: Float32Array | undefined
  }): void
  /** Everything since the last take. */
  take(): ArrayBuffer
}

export function createOutbox(): Outbox {
  let ints = new Int32Array(4096)
  let floats = new Float32Array(ints.buffer)
  let at = 0
  const room = (words: number): void => {
    if (at + words <= ints.length) return
    const bigger = new Int32Array(Math.max(ints.length * 2, at + words))
    bigger.set(ints.subarray(0, at))
    ints = bigger
    floats = new Float32Array(ints.buffer)
  }
  return {
    get size() {
      return at
    },
    push: ({ stream, id, finish, logprob = 0, mean, stop = -1, prompt = -1, cached = 0, top, heads }) => {
      const tops = top?.ids.length ?? 0
      room(FIELDS + 2 * tops + (heads?.length ?? 0))
      ints[at] = stream
      ints[at + 1] = id
      ints[at + 2] = finishes.indexOf(finish)
      floats[at + 3] = logprob
      floats[at + 4] = mean ?? Number.NaN
      ints[at + 5] = tops
      ints[at + 6] = heads?.length ?? 0
      ints[at + 7] = stop
      ints[at + 8] = prompt
      ints[at + 9] = cached
      at += FIELDS
      if (top) {
        ints.set(top.ids, at)
        floats.set(top.logprobs, at + tops)
        at += 2 * tops
      }
      if (heads) {
        floats.set(heads, at)
        at += heads.length
      }
    },
    take: () => {
      const out = ints.buffer.slice(0, at * 4)
      at = 0
      return out
    },
  }
}

export function* readRecords(buffer: ArrayBuffer): Generator<Record> {
  const ints = new Int32Array(buffer)
  const floats = new Float32Array(buffer)
  let at = 0
  while (at < ints.length) {
    const tops = ints[at + 5]!
    const heads = ints[at + 6]!
    const rest = at + FIELDS
    const mean = floats[at + 4]!
    yield {
      stream: ints[at]!,
      id: ints[at + 1]!,
      finish: finishes[ints[at + 2]!],
      logprob: floats[at + 3]!,
      mean: Number.isNaN(mean) ? undefined : mean,
      stop: ints[at + 7]!,
      prompt: ints[at + 8]!,
      cached: ints[at + 9]!,
      topIds: ints.subarray(rest, rest + tops),
      topLogprobs: floats.subarray(rest + tops, rest + 2 * tops),
      heads: floats.slice(rest + 2 * tops, rest + 2 * tops + heads),
    }
    at = rest + 2 * tops + heads
  }
}
