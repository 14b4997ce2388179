import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Token } from '../trace/token.ts'
import type { Engine, StreamOptions } from './engine.ts'
import { type NanoEngine, nano } from './nano/index.ts'
import { nanoShape, writeRandomModel } from './nano/random-model.ts'
import { recalling } from './recall.ts'

const root = mkdtempSync(join(tmpdir(), 'rein-recall-'))
let engine: NanoEngine

beforeAll(async () => {
  const { build } = await import('../../scripts/build.js' as string)
  build()
  process.env.REIN_CACHE = join(root, 'cache')
  const weights = join(root, 'weights')
  writeRandomModel(weights, { ...nanoShape, num_hidden_layers: 2, max_position_embeddings: 160 })
  engine = await nano({ weights, workers: 2 })
})
afterAll(async () => {
  await engine.close?.()
  delete process.env.REIN_CACHE
  rmSync(root, { recursive: true, force: true })
})

const base: StreamOptions = { maxTokens: 40, seed: 3, temperature: 0.9, purpose: 'main' }

async function collect(from: Engine, prompt: string, options: Partial<StreamOptions> = {}, leaveAfter = 1e9) {
  const out: Token[] = []
  for await (const { usage: _, ...token } of from.stream(await from.begin(prompt), { ...base, ...options })) {
    out.push(token)
    if (out.length >= leaveAfter) break
  }
  return out
}

const settled = async (): Promise<number> => {
  for (let i = 0; i < 200; i++) {
    const held = (await engine.stats()).reduce((sum, thread) => sum + thread.held, 0)
    if (held === 0) return 0
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return -1
}

describe('an engine that says nothing twice', () => {
  it('gives the same stream to all who ask for it at once, and generates it once', async () => {
    const alone = await collect(engine, 'a question')
    const shared = recalling(engine)
    const all = await Promise.all(Array.from({ length: 10 }, () => collect(shared, 'a question')))
    for (const one of all) expect(one).toEqual(alone)
    expect(shared.counts).toEqual({ generated: 40, read: 400 })
    expect(await collect(shared, 'a question')).toEqual(alone)
    expect(shared.counts.generated).toBe(40)
  })

  it('goes on where a shorter stream ended, and into a prefix that a reader made of it', async () => {
    const alone = await collect(engine, 'on and on', { maxTokens: 60 })
    const shared = recalling(engine)
    expect((await collect(shared, 'on and on', { maxTokens: 20 })).at(-1)!.finish).toBe('length')
    expect(await collect(shared, 'on and on', { maxTokens: 60 })).toEqual(alone)
    expect(shared.counts.generated).toBe(60)
    const resumed = (await shared.begin('on and on')).appendAll(alone.slice(0, 30), 'model')
    const rest: Token[] = []
    for await (const { usage: _, ...token } of shared.stream(resumed, { ...base, maxTokens: 30 })) rest.push(token)
    expect(rest).toEqual(alone.slice(30))
    expect(shared.counts.generated).toBe(60)
  })

  it('equals the engine alone for any readers, in any company, also with a memory of a few tokens', async () => {
    const text = (await collect(engine, 'q1', { maxTokens: 30 })).map((t) => t.text).join('')
    const reader = fc.record({
      prompt: fc.constantFrom('q1', 'q2'),
      seed: fc.constantFrom(3, 4),
      maxTokens: fc.integer({ min: 1, max: 200 }),
      stop: fc.constantFrom([], [text.slice(8, 11)], [text.slice(20, 22), 'zzz'], ['']),
      topLogprobs: fc.constantFrom(0, 0, 3, 20),
      attention: fc.constantFrom(false, false, true, 'heads' as const),
      leaveAfter: fc.constantFrom(1e9, 1e9, 5, 17),
      delay: fc.integer({ min: 0, max: 12 }),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(reader, { minLength: 1, maxLength: 8 }),
        fc.constantFrom(10, 100_000),
        async (readers, tokens) => {
          const shared = recalling(engine, { tokens })
          const got = await Promise.all(
            readers.map(async ({ delay, leaveAfter, prompt, ...options }) => {
              await new Promise((resolve) => setTimeout(resolve, delay))
              return collect(shared, prompt, options, leaveAfter)
            }),
          )
          for (const [i, { leaveAfter, prompt, delay: _, ...options }] of readers.entries())
            expect(got[i]).toEqual(await collect(engine, prompt, options, leaveAfter))
          expect(await settled()).toBe(0)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('lets a stream go when its last reader has gone, by leaving or by abort', async () => {
    const shared = recalling(engine)
    await collect(shared, 'a long story', { maxTokens: 100 }, 3)
    const stop = new AbortController()
    const reading = collect(shared, 'another', { maxTokens: 100, signal: stop.signal })
    setTimeout(() => stop.abort(), 5)
    await reading
    expect(await settled()).toBe(0)
    expect(shared.counts.generated).toBeLessThan(200)
  })

  it('tells every reader when the engine fails, and tries again for the next one', async () => {
    let failing = true
    const broken: Engine = {
      ...engine,
      async *stream(prefix, options) {
        let n = 0
        for await (const token of engine.stream(prefix, options)) {
          if (failing && ++n > 5) throw new Error('the engine is gone')
          yield token
        }
      },
    }
    const shared = recalling(broken)
    const both = await Promise.allSettled([collect(shared, 'q'), collect(shared, 'q')])
    expect(both.map((r) => r.status === 'rejected' && String(r.reason))).toEqual(
      Array(2).fill('Error: the engine is gone'),
    )
    failing = false
    expect(await collect(shared, 'q')).toEqual(await collect(engine, 'q'))
  })

  it('leaves streams without a seed to chance', async () => {
    const shared = recalling(engine)
    const { seed: _, ...unseeded } = base
    const draw = async () => {
      const out: Token[] = []
      for await (const token of shared.stream(await shared.begin('q'), unseeded)) out.push(token)
      return out.map((t) => t.text).join('')
    }
    expect(await draw()).not.toBe(await draw())
    expect(shared.counts).toEqual({ generated: 0, read: 0 })
  })
})
