import { availableParallelism } from 'node:os'
import { InputError } from '../../base/errors.ts'
import type { Token } from '../../trace/token.ts'
import { Trace } from '../../trace/trace.ts'
import type { Engine, StreamOptions } from '../engine.ts'
import { EngineError } from '../errors.ts'
import { readConfig, weightsDir } from './config.ts'
import { createPool, type Pool } from './pool.ts'
import { markersOf, render } from './template.ts'
import { readTokenizer, type Tokenizer } from './tokenizer.ts'
import type { Precision } from './weights.ts'
import type { Record } from './wire.ts'

/** The embedded model: a small transformer that runs here, with no server, key or network. */
export interface NanoOptions {
  /** a folder with config.json, tokenizer.json and *.safetensors in Llama layout; the package's own unless given */
  readonly weights?: string
  /** threads; REIN_NANO_WORKERS or the cores, at most 2, unless given */
  readonly workers?: number
  /** f32 is for checks: exact to about 1e-5, and slow */
  readonly precision?: Precision
  /** memory for the cache of each thread, in MiB; 192 unless given (REIN_NANO_CACHE_MB) */
  readonly cacheMb?: number
}

export interface NanoEngine extends Engine {
  readonly tokenizer: Tokenizer
  /** of each thread: blocks of cache copied, evicted, and held by streams */
  stats(): ReturnType<Pool['stats']>
}

function count(name: string, given: number | undefined, fallback: number): number {
  const value = given ?? (process.env[name] ? Number(process.env[name]) : fallback)
  if (!Number.isInteger(value) || value < 1)
    throw new InputError(`${name} must be a whole number from 1 on, not ${value}`)
  return value
}

/** Every token so far as an id; text that came without one (a bare end marker aside) is tokenised here. */
function idsOf(prefix: Trace, tokenizer: Tokenizer): Int32Array {
  const ids = prefix.ids() ?? prefix.tokens().flatMap((t) => (t.id === undefined ? tokenizer.encode(t.text) : [t.id]))
  for (const id of ids)
    if (!(id >= 0 && id < tokenizer.size)) throw new InputError(`token ${id} is not in nano's vocabulary`)
  return Int32Array.from(ids)
}

function toToken(r: Record, tokenizer: Tokenizer, stops: readonly string[], layers: number): Token {
  const usage = r.prompt >= 0 ? { usage: { prompt: r.prompt, cached: r.cached } } : {}
  const finish = r.finish && { finish: r.finish }
  if (r.id < 0) return { text: '', count: 0, ...finish, ...usage }
  const top = Array.from(r.topIds, (id, i) => ({
    id,
    text: tokenizer.token(id).text,
    logprob: r.topLogprobs[i]!,
  }))
  return {
    ...tokenizer.token(r.id),
    logprob: r.logprob,
    ...(top.length > 0 && { top }),
    ...(r.mean !== undefined && { attention: { mean: r.mean, ...(r.heads.length > 0 && { heads: r.heads, layers }) } }),
    ...finish,
    ...(r.stop >= 0 && { stop: stops[r.stop]! }),
    ...usage,
  }
}

const latin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

/** Streams of one run share a cache; without a run's name, those of one prompt do. */
function familyOf(options: StreamOptions, ids: Int32Array, promptLength: number): string {
  const run = options.requestId?.replace(/-[^-]*$/, '')
  return run ? `run ${run}` : `prompt ${ids.subarray(0, promptLength).join(' ')}`
}

/**
 * The engine "nano". Cheap to make: weights are loaded when the first stream starts.
 * @example
 * const engine = await nano()
 * const trace = await engine.begin('Make 24 from 4 7 8 8.')
 * for await (const token of engine.stream(trace, { maxTokens: 200, seed: 1, purpose: 'main' })) process.stdout.write(token.text)
 */
export async function nano(options: NanoOptions = {}): Promise<NanoEngine> {
  const dir = weightsDir(options.weights)
  const config = readConfig(dir)
  const tokenizer = readTokenizer(dir)
  const workers = count('REIN_NANO_WORKERS', options.workers, Math.min(2, availableParallelism()))
  const cacheBytes = count('REIN_NANO_CACHE_MB', options.cacheMb, 192) * 2 ** 20
  const pool = createPool(workers, { dir, precision: options.precision ?? 'int8', cacheBytes })

  async function* stream(prefix: Trace, given: StreamOptions): AsyncGenerator<Token> {
    const { signal, maxTokens, stop = [], topLogprobs = 0, attention = false } = given
    if (signal?.aborted) return
    const ids = idsOf(prefix, tokenizer)
    if (ids.length === 0) throw new EngineError('refused', 'nano cannot continue an empty prompt: give it some text')
    if (ids.length >= config.context)
      throw new EngineError('context', `${ids.length} tokens do not fit into nano's context of ${config.context}`)
    if (maxTokens <= 0) {
      yield { text: '', count: 0, finish: 'length' }
      return
    }
    const { temperature, topP, topK, minP, repetitionPenalty, seed } = given
    const sampling = Object.fromEntries(
      Object.entries({ temperature, topP, topK, minP, repetitionPenalty }).filter(([, v]) => v !== undefined),
    )
    const running = pool.open(
      {
        ids,
        sampling,
        seed: seed ?? Math.floor(Math.random() * 2 ** 32),
        maxTokens,
        stop: stop.filter((s) => s !== '').map(latin1),
        top: Math.min(topLogprobs, 20),
        attention: attention === 'heads' ? 'heads' : attention ? 'mean' : false,
      },
      familyOf(given, ids, prefix.promptLength),
    )
    signal?.addEventListener('abort', running.stop, { once: true })
    try {
      for (let records = await running.next(); records; records = await running.next())
        for (const record of records) {
          if (signal?.aborted) return
          yield toToken(record, tokenizer, stop, config.layers)
          if (record.finish) return
        }
    } finally {
      signal?.removeEventListener('abort', running.stop)
      running.stop()
    }
  }

  return {
    name: 'nano',
    model: config.model,
    can: {
      ids: true,
      topLogprobs: 20,
      attentionEntropy: true,
      seed: true,
      fork: 'shared',
      resume: 'token',
      context: config.context,
    },
    markers: markersOf(config.markers),
    tokenizer,
    begin: async (prompt) => Trace.begin(prompt, tokenizer.encode(render(config.markers, prompt)).map(tokenizer.token)),
    encode: async (text) => tokenizer.encode(text).map(tokenizer.token),
    stream,
    stats: pool.stats,
    close: pool.close,
  }
}
