import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { built } from '../../base/paths.ts'
import type { Token } from '../../trace/token.ts'
import type { Trace } from '../../trace/trace.ts'
import type { StreamOptions } from '../engine.ts'
import { type NanoEngine, nano } from './index.ts'
import { nanoShape, writeRandomModel } from './random-model.ts'

const root = mkdtempSync(join(tmpdir(), 'rein-nano-'))
const weights = join(root, 'weights')
let engine: NanoEngine

beforeAll(async () => {
  const { build } = await import('../../../scripts/build.js' as string)
  build()
  process.env.REIN_CACHE = join(root, 'cache')
  writeRandomModel(weights, { ...nanoShape, num_hidden_layers: 2, max_position_embeddings: 512 })
  engine = await nano({ weights, workers: 2 })
})
afterAll(async () => {
  await engine.close?.()
  delete process.env.REIN_CACHE
  rmSync(root, { recursive: true, force: true })
})

const base: StreamOptions = { maxTokens: 60, seed: 3, temperature: 0.9, purpose: 'main' }

async function collect(trace: Trace, options: Partial<StreamOptions> = {}, from = engine): Promise<Token[]> {
  const out: Token[] = []
  for await (const token of from.stream(trace, { ...base, ...options })) out.push(token)
  return out
}
const idsOf = (tokens: readonly Token[]): number[] => tokens.flatMap((t) => (t.id === undefined ? [] : [t.id]))

describe('nano', () => {
  it('renders a prompt with the marks of the model and ends with a finish', async () => {
    const trace = await engine.begin({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi 42' },
      ],
    })
    expect(trace.text).toBe('<|user|>Be brief.\n\nHi 42<|assistant|><think>\n')
    expect(trace.token(0)).toEqual({ id: 0, text: '<|user|>' })
    const tokens = await collect(trace, { maxTokens: 5 })
    expect(tokens.at(-1)?.finish).toBe('length')
    expect(tokens[0]?.usage).toEqual({ prompt: trace.length, cached: 0 })
    expect((await engine.encode('</think>\n')).map((t) => t.text)).toEqual(['</think>', '\n'])
  })

  it('gives the same text for a seed: alone, beside 31 others, on the other thread, without threads', async () => {
    const trace = await engine.begin('a prompt to be continued')
    const alone = idsOf(await collect(trace))
    const others = Array.from({ length: 31 }, async (_, i) =>
      collect(await engine.begin(`another ${i}`.repeat(1 + (i % 5))), { seed: i, requestId: `other${i}-1` }),
    )
    const [beside] = await Promise.all([collect(trace, { requestId: 'x-1' }), ...others])
    expect(idsOf(beside!)).toEqual(alone)
    const single = await nano({ weights, workers: 1 })
    expect(idsOf(await collect(trace, {}, single))).toEqual(alone)
    await single.close?.()
    expect(idsOf(await collect(trace, { seed: 4 }))).not.toEqual(alone)
  })

  it('goes on after a cut, a fork and a roll-back as if nothing had been', async () => {
    const trace = await engine.begin('one two three')
    const whole = await collect(trace)
    for (const at of [1, 17, 40]) {
      let resumed = trace
      for (const token of whole.slice(0, at)) resumed = resumed.append(token)
      const fork = resumed.appendAll(await engine.encode('\n</think>\n\nSo:'), 'forced')
      const [rest, side] = await Promise.all([
        collect(resumed, { maxTokens: 60 - at }),
        collect(fork, { maxTokens: 12, purpose: 'fork' }),
      ])
      expect(idsOf(rest)).toEqual(idsOf(whole.slice(at)))
      expect(idsOf(await collect(fork, { maxTokens: 12, purpose: 'fork' }))).toEqual(idsOf(side))
    }
  })

  it('shares the cache with a fork: nothing but the new tokens is computed, at most one block is copied', async () => {
    const solo = await nano({ weights, workers: 1 })
    const prompt = await solo.begin('long '.repeat(60))
    let trace = prompt
    for (const token of await collect(prompt, { maxTokens: 40 }, solo)) trace = trace.append(token)
    const before = (await solo.stats())[0]!
    const fork = trace.appendAll(await solo.encode('\nSo'), 'forced')
    const [first] = await collect(fork, { maxTokens: 1 }, solo)
    expect(first?.usage?.prompt).toBe(fork.length)
    // the last generated token was never fed, so it and the fork's own are new
    expect(first?.usage?.cached).toBe(trace.length - 1)
    const after = (await solo.stats())[0]!
    expect(after.copied - before.copied).toBeLessThanOrEqual(1)
    expect(after.held).toBe(0)
    await solo.close?.()
  })

  it('carries logprobs, alternatives and entropies, and they do not change the text', async () => {
    const trace = await engine.begin('what')
    const plain = await collect(trace)
    const rich = await collect(trace, { topLogprobs: 20, attention: 'heads' })
    expect(idsOf(rich)).toEqual(idsOf(plain))
    rich.forEach((token, i) => {
      expect(token.logprob).toBe(plain[i]!.logprob)
      expect(token.top).toHaveLength(20)
      expect(token.top!.map((t) => t.logprob)).toEqual(token.top!.map((t) => t.logprob).toSorted((a, b) => b - a))
      const own = token.top!.find((t) => t.id === token.id)
      if (own) expect(own.logprob).toBe(token.logprob)
      const { mean, heads } = token.attention!
      expect(heads).toHaveLength(8)
      expect(mean).toBeCloseTo(heads!.reduce((a, b) => a + b) / 8, 5)
      expect(mean > 0 && mean <= Math.log(trace.length + i)).toBe(true)
      expect(plain[i]!.attention).toBeUndefined()
    })
  })

  it('stops after a stop text, which may span tokens, and says which', async () => {
    const trace = await engine.begin('stop')
    const whole = await collect(trace)
    // random weights also write bytes that are no text: take two neighbours that are
    const at = whole.findIndex((t, i) => i > 9 && t.text !== '' && whole[i - 1]!.text !== '')
    const stop = whole[at - 1]!.text.slice(-1) + whole[at]!.text.slice(0, 1)
    const tokens = await collect(trace, { stop: ['never there', stop] })
    expect(tokens.at(-1)).toMatchObject({ finish: 'stop', stop })
    expect(idsOf(tokens)).toEqual(idsOf(whole.slice(0, tokens.length)))
    expect(tokens.length).toBeLessThanOrEqual(at + 1)
    expect(
      tokens
        .slice(-2)
        .map((t) => t.text)
        .join(''),
    ).toContain(stop)
  })

  it('stops computing when it is aborted or left, and leaves no block held', async () => {
    const solo = await nano({ weights, workers: 1 })
    const trace = await solo.begin('abort')
    const abort = new AbortController()
    let n = 0
    let last: Token | undefined
    for await (const token of solo.stream(trace, { ...base, maxTokens: 400, signal: abort.signal })) {
      last = token
      if (++n === 5) abort.abort()
    }
    expect(n).toBe(5)
    expect(last?.finish).toBeUndefined()
    for await (const _ of solo.stream(trace, { ...base, maxTokens: 400 })) break
    expect((await solo.stats())[0]!.held).toBe(0)
    for await (const _ of solo.stream(trace, { ...base, signal: AbortSignal.abort() })) expect.unreachable()
    await solo.close?.()
  })

  it('never blocks the event loop while it computes', async () => {
    const trace = await engine.begin('tick')
    let ticks = 0
    const timer = setInterval(() => ticks++, 2)
    await Promise.all(Array.from({ length: 16 }, (_, i) => collect(trace, { seed: i, maxTokens: 200 })))
    clearInterval(timer)
    // counted, not timed: on a busy machine everything is late, but a blocked loop would not tick at all
    expect(ticks).toBeGreaterThan(20)
  })

  it('gives up its turn when the cache is full, and the text is still the same', async () => {
    const small = await nano({ weights, workers: 1, cacheMb: 1 })
    const make = (e: NanoEngine) =>
      Promise.all(
        Array.from({ length: 12 }, async (_, i) =>
          idsOf(await collect(await e.begin(`number ${i} `.repeat(8)), { seed: i, maxTokens: 200 }, e)),
        ),
      )
    const [tight, roomy] = await Promise.all([make(small), make(engine)])
    expect(tight).toEqual(roomy)
    await small.close?.()
  })

  it('refuses what cannot be done in one sentence', async () => {
    const long = await engine.begin('x y z '.repeat(300))
    await expect(collect(long)).rejects.toThrow(/do not fit into nano's context of 512/)
    await expect(nano({ weights: root })).rejects.toThrow(/there is no config.json/)
    const gone = await nano({ weights, workers: 1 })
    await gone.close?.()
    await expect(collect(await gone.begin('x'), {}, gone)).rejects.toThrow(/closed/)
    const end = await collect(await engine.begin('x'), { maxTokens: 0 })
    expect(end).toEqual([{ text: '', count: 0, finish: 'length' }])
  })

  it('lets the process end by itself', async () => {
    const url = pathToFileURL(built('engine/nano/index.js')).href
    const code = `const { nano } = await import(${JSON.stringify(url)})
      const e = await nano({ weights: ${JSON.stringify(weights)} })
      const t = await e.begin('hello')
      let n = 0
      for await (const token of e.stream(t, { maxTokens: 20, seed: 1, purpose: 'main' })) n++
      console.log(n)`
    const run = promisify(execFile)
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code], { timeout: 30_000 })
    expect(stdout).toBe('20\n')
  })
})
