import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { diagnose } from '../../src/engine/doctor/index.ts'
import type { Engine, StreamOptions } from '../../src/engine/engine.ts'
import { predictiveEntropy } from '../../src/engine/entropy.ts'
import { writeGguf } from '../../src/engine/gguf.ts'
import { openEngine } from '../../src/engine/index.ts'
import type { Token } from '../../src/trace/token.ts'
import type { Trace } from '../../src/trace/trace.ts'
import { type LlamaServer, obtainLlamaServer, startLlamaServer } from './llama-server.ts'
import { config, LEAD, nextLogprobs, TAIL, tinyLlama, weights } from './tiny-llama.ts'

/** The promises of an engine, seen on llama.cpp's own server with a random model. */
/** llama.cpp keeps keys and values in half precision unless told otherwise */
const exact = ['-ctk', 'f32', '-ctv', 'f32', '-fa', 'off']
let server: LlamaServer | undefined
let engine: Engine
let missing = ''
const dir = mkdtempSync(join(tmpdir(), 'rein-llama-'))
const model = weights()

beforeAll(async () => {
  const home = await obtainLlamaServer()
  if ('missing' in home) {
    missing = home.missing
    console.warn(`SKIPPED: the tests on a real llama.cpp server, because ${missing}`)
    return
  }
  writeGguf(join(dir, 'tiny.gguf'), tinyLlama(model))
  server = await startLlamaServer(home, { model: join(dir, 'tiny.gguf'), slots: 3, context: 1024, extra: exact })
  engine = await openEngine(server.url)
}, 600_000)

afterAll(async () => {
  await engine?.close?.()
  await server?.close()
  rmSync(dir, { recursive: true, force: true })
})

/** A test that needs the server. */
const real = (name: string, run: () => Promise<void>): void => {
  it(name, (context: TestContext) => (server ? run() : context.skip(missing)))
}

const collect = async (trace: Trace, options: Partial<StreamOptions> = {}): Promise<Token[]> => {
  const out: Token[] = []
  for await (const token of engine.stream(trace, { maxTokens: 48, purpose: 'main', ...options })) out.push(token)
  return out
}
const ids = (tokens: readonly Token[]): number[] => tokens.flatMap(({ id }) => (id === undefined ? [] : [id]))
const extend = (trace: Trace, tokens: readonly Token[]): Trace => tokens.reduce((t, token) => t.append(token), trace)

describe('llama.cpp', () => {
  real('is found behind its URL and says what it can do', async () => {
    expect(engine).toMatchObject({ name: 'llamacpp', model: 'tiny' })
    expect(engine.can).toMatchObject({ ids: true, fork: 'reprefill', resume: 'token', context: 1024 })
    expect(engine.can.topLogprobs).toBe(config.vocab_size)
    expect(engine.markers).toMatchObject({ thinkOpen: '<think>', thinkClose: '</think>', thinkOpened: true })
    expect(engine.markers.userTurn('no')).toBe(
      '<|im_end|>\n<|im_start|>user\nno<|im_end|>\n<|im_start|>assistant\n<think>\n',
    )
  })

  real('renders the prompt with its own template, special tokens as one id each', async () => {
    const trace = await engine.begin('the inner')
    expect(trace.text).toBe('<|im_start|>user\nthe inner<|im_end|>\n<|im_start|>assistant\n<think>\n')
    expect(trace.ids()).toHaveLength(trace.length)
    expect(trace.tokens().map((t) => t.text)).toEqual(
      expect.arrayContaining(['<|im_start|>', 'the', 'in', 'er', '<think>']),
    )
    expect(trace.ids()!.filter((id) => id === 1)).toHaveLength(2)
  })

  real('computes what the weights say: the GGUF file is right, rotary halves included', async () => {
    const trace = await engine.begin('a small sum')
    const [first] = await collect(trace, { maxTokens: 1, topLogprobs: config.vocab_size })
    const want = nextLogprobs(model, trace.ids()!)
    expect(first!.top).toHaveLength(config.vocab_size)
    for (const { id, logprob } of first!.top!) expect(Math.abs(logprob - want[id!]!)).toBeLessThan(1e-4)
  })

  real('gives ids, logprobs and alternatives with every token', async () => {
    const trace = await engine.begin('one')
    const tokens = await collect(trace, { topLogprobs: 5 })
    const named = tokens.filter((t) => t.id !== undefined)
    expect(named.length).toBeGreaterThan(10)
    for (const token of named.filter((t) => t.top)) {
      expect(token.top).toHaveLength(5)
      // greedy: the token is the first alternative
      expect(token.top![0]!.id).toBe(token.id)
      expect(token.top![0]!.logprob).toBeCloseTo(token.logprob!, 4)
    }
    const usage = tokens.find((t) => t.usage)?.usage
    expect(usage?.prompt).toBe(trace.length)
  })

  real('the bounds of the entropy hold the truth', async () => {
    const trace = await engine.begin('two')
    const whole = await collect(trace, { maxTokens: 8, topLogprobs: config.vocab_size })
    const part = await collect(trace, { maxTokens: 8, topLogprobs: 6 })
    for (const [i, token] of whole.filter((t) => t.top).entries()) {
      const exact = predictiveEntropy(token.top!, config.vocab_size)
      const bounds = predictiveEntropy(part[i]!.top!, config.vocab_size)
      expect(exact.tail).toBeLessThan(1e-4)
      expect(bounds.lower).toBeLessThanOrEqual(exact.seen + 1e-3)
      expect(bounds.upper).toBeGreaterThanOrEqual(exact.seen - 1e-3)
    }
  })

  real('a character cut across two tokens keeps both ids', async () => {
    const trace = await engine.begin('three')
    const runs = await Promise.all([1, 2, 3].map((seed) => collect(trace, { maxTokens: 100, temperature: 1, seed })))
    const seen = runs.flatMap((tokens) => {
      const all = ids(tokens)
      for (const [i, id] of all.entries()) if (id === LEAD && i + 1 < all.length) expect(all[i + 1]).toBe(TAIL)
      expect(extend(trace, tokens).written).not.toContain('\ufffd')
      return all.filter((id) => id === TAIL)
    })
    expect(seen.length).toBeGreaterThan(0)
    for (const tokens of runs)
      expect(extend(trace, tokens).ids() === undefined).toBe(tokens.some((t) => t.id === undefined))
  })

  real('greedy: cut anywhere and continued from its ids, a stream is the same', async () => {
    const trace = await engine.begin('four')
    const whole = await collect(trace, { maxTokens: 40 })
    const all = ids(whole)
    expect(all.length).toBeGreaterThan(34)
    for (const cut of [1, 7, 20, 33]) {
      const upTo = extend(trace, whole.filter((t) => t.id !== undefined).slice(0, cut))
      const rest = await collect(upTo, { maxTokens: 40 - cut })
      expect([...all.slice(0, cut), ...ids(rest)]).toEqual(all)
    }
  })

  real('the same seed says the same, another something else', async () => {
    const trace = await engine.begin('five')
    const [a, b, c] = await Promise.all([11, 11, 12].map((seed) => collect(trace, { temperature: 1, seed })))
    expect(ids(a!)).toEqual(ids(b!))
    expect(ids(a!)).not.toEqual(ids(c!))
  })

  real('ends with the end of turn, whose id is kept and whose text is not', async () => {
    const trace = await engine.begin('six')
    const ends = await Promise.all(
      Array.from({ length: 9 }, (_, seed) => collect(trace, { maxTokens: 150, temperature: 2, seed })),
    )
    const ended = ends.filter((tokens) => tokens.at(-1)!.finish === 'eos')
    expect(ended.length).toBeGreaterThan(0)
    for (const tokens of ended) {
      // <|im_end|>, or <|endoftext|>, which llama.cpp takes for an end of generation too
      expect([0, 2]).toContain(tokens.at(-1)!.id)
      expect(tokens.at(-1)!.text).toBe('')
    }
    for (const tokens of ends) expect(tokens.filter((t) => t.finish)).toHaveLength(1)
  })

  real('a fork runs beside the main stream and leaves it as it was', async () => {
    const trace = await engine.begin('seven')
    const alone = ids(await collect(trace, { maxTokens: 60 }))
    const main: Token[] = []
    let at: Trace | undefined
    let fork: Promise<Token[]> | undefined
    for await (const token of engine.stream(trace, { maxTokens: 60, purpose: 'main' })) {
      main.push(token)
      if (main.length === 20 && !fork) {
        const suffix = await engine.encode('\n</think>\n\nSo: ')
        at = extend(trace, main).appendAll(suffix, 'forced')
        fork = collect(at, { maxTokens: 10, purpose: 'fork' })
      }
    }
    expect(ids(main)).toEqual(alone)
    const forked = ids(await fork!)
    expect(forked.length).toBeGreaterThan(0)
    expect(forked).toEqual(ids(await collect(at!, { maxTokens: 10, purpose: 'fork' })))
  })

  real('rolled back and given feedback, it goes on from exactly those ids', async () => {
    const trace = await engine.begin('eight')
    const tokens = await collect(trace, { maxTokens: 30 })
    const feedback = await engine.encode('Wait, the sum is wrong.\n')
    expect(feedback.map((t) => t.text).join('')).toBe('Wait, the sum is wrong.\n')
    const back = extend(trace, tokens)
      .rollback(trace.length + 10)
      .appendAll(feedback, 'feedback')
    const [next] = await collect(back, { maxTokens: 1, topLogprobs: config.vocab_size })
    const want = nextLogprobs(model, back.ids()!)
    for (const { id, logprob } of next!.top!.slice(0, 5)) expect(Math.abs(logprob - want[id!]!)).toBeLessThan(1e-4)
  })

  real('stops after a stop text and keeps it', async () => {
    const trace = await engine.begin('nine')
    const text = extend(trace, await collect(trace, { maxTokens: 60 })).written
    const stop = text.slice(20, 23)
    const tokens = await collect(trace, { maxTokens: 60, stop: [stop] })
    const cut = extend(trace, tokens).written
    expect(text.startsWith(cut)).toBe(true)
    expect(cut).toContain(stop)
    expect(tokens.at(-1)).toMatchObject({ finish: 'stop', stop })
  })

  real('abort arrives: the slot is free at once', async () => {
    const trace = await engine.begin('ten')
    const stop = new AbortController()
    let n = 0
    for await (const _ of engine.stream(trace, {
      maxTokens: 900,
      temperature: 1,
      seed: 3,
      purpose: 'main',
      signal: stop.signal,
    }))
      if (++n === 4) stop.abort()
    for await (const _ of engine.stream(trace, { maxTokens: 900, temperature: 1, seed: 4, purpose: 'main' })) break
    const busy = async (): Promise<number> => {
      const slots = (await (await fetch(`${server!.url}/slots`)).json()) as { is_processing: boolean }[]
      return slots.filter((slot) => slot.is_processing).length
    }
    const until = Date.now() + 2_000
    while ((await busy()) > 0 && Date.now() < until) await sleep(20)
    expect(await busy()).toBe(0)
  })

  real('the doctor finds it usable, and sees its aborts arrive', async () => {
    const diagnosis = await diagnose(server!.url)
    const state = (probe: string) => diagnosis.findings.find((finding) => finding.probe === probe)?.state
    expect(diagnosis.findings.filter((finding) => finding.state === 'fail')).toEqual([])
    expect(diagnosis.usable).toBe(true)
    for (const probe of [
      'abort',
      'one BOS',
      'prefix replay',
      'stop text',
      'top-k entries',
      'logprob mode',
      'drafts',
      'seed',
    ])
      expect([probe, state(probe)]).toEqual([probe, 'ok'])
  })

  real('a prompt longer than the context is refused before it is sent', async () => {
    const trace = await engine.begin('x '.repeat(1200))
    await expect(collect(trace)).rejects.toMatchObject({ name: 'EngineError', kind: 'context' })
  })
})
