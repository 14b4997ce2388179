import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import type { Engine, StreamOptions } from '../../src/engine/engine.ts'
import { openEngine } from '../../src/engine/index.ts'
import type { Token } from '../../src/trace/token.ts'
import type { Trace } from '../../src/trace/trace.ts'
import type { Dialect } from './scripted-dialects.ts'
import { decode, EOS, encode, expected } from './scripted-model.ts'
import { paths } from './scripted-requests.ts'
import { type Faults, type ScriptedOptions, type ScriptedServer, scriptedServer } from './scripted-server.ts'

const dialects: readonly Dialect[] = ['vllm', 'sglang', 'llamacpp', 'ollama', 'openai']
const open: { server: ScriptedServer; engine: Engine }[] = []

async function served(
  options: ScriptedOptions,
  silenceMs = 5_000,
): Promise<{ server: ScriptedServer; engine: Engine }> {
  const server = await scriptedServer(options)
  const engine = await openEngine(`${options.dialect}:${server.url}`, {
    retries: 2,
    timeouts: { firstMs: 5_000, silenceMs },
  })
  const pair = { server, engine }
  open.push(pair)
  return pair
}

afterEach(async () => {
  for (const { engine, server } of open.splice(0)) {
    await engine.close?.()
    await server.close()
  }
})

async function collect(engine: Engine, trace: Trace, options: Partial<StreamOptions> = {}): Promise<Token[]> {
  const out: Token[] = []
  for await (const token of engine.stream(trace, { maxTokens: 60, purpose: 'main', ...options })) out.push(token)
  return out
}

const textOf = (trace: Trace, tokens: readonly Token[]): string =>
  tokens.reduce((t, token) => t.append(token), trace).slice(trace.textLength)
const counted = (tokens: readonly Token[]): number => tokens.reduce((n, t) => n + (t.count ?? 1), 0)

/** What the model generates after this prompt, end of turn included. */
function truth(server: ScriptedServer, dialect: Dialect, seed: number, lasting: number, max: number): number[] {
  const body = server.requests.findLast(({ path }) => path === paths[dialect])!.body
  const prefix = (body.input_ids ?? body.prompt) as number[] | string
  const chat = '<|im_start|>user\nhow?<|im_end|>\n<|im_start|>assistant\n<think>\n'
  const ids = prefix === undefined ? encode(chat) : typeof prefix === 'string' ? encode(prefix) : prefix
  return expected(ids, seed, lasting, max)
}

describe.each(dialects)('%s', (dialect) => {
  const ids = dialect === 'vllm' || dialect === 'sglang' || dialect === 'llamacpp'

  it('random streams cut into random chunks give the same tokens', async () => {
    const faults: fc.Arbitrary<Faults> = fc.record({
      cut: fc.constantFrom(0, 1, 7, 60, 4000),
      group: fc.integer({ min: 1, max: 6 }),
      cumulative: fc.boolean(),
      comments: fc.boolean(),
      noSpace: fc.boolean(),
      crlf: fc.boolean(),
      multiline: fc.boolean(),
      noDone: fc.boolean(),
    })
    let current: Faults = {}
    const lasting = 40
    const { server, engine } = await served({ dialect, faults: () => current, lasting })
    await fc.assert(
      fc.asyncProperty(faults, fc.nat(10_000), fc.integer({ min: 1, max: 50 }), async (next, seed, maxTokens) => {
        current = next
        const trace = await engine.begin('how?')
        const tokens = await collect(engine, trace, { seed, maxTokens, topLogprobs: 3 })
        const want = truth(server, dialect, seed, lasting, maxTokens)
        const ended = want.at(-1) === EOS
        // a length limit inside a character leaves bytes that text dialects never send
        const text = decode(ended ? want.slice(0, -1) : want).replace(/\ufffd$/, '')
        expect(textOf(trace, tokens).replace(/\ufffd$/, '')).toBe(text)
        expect(counted(tokens)).toBe(want.length)
        expect(tokens.filter((t) => t.finish).map((t) => t.finish)).toEqual([ended ? 'eos' : 'length'])
        expect(tokens.at(-1)!.finish).toBeDefined()
        const half = decode(want).endsWith('\ufffd')
        if (ids && !(half && dialect === 'llamacpp'))
          expect(tokens.filter((t) => t.id !== undefined).map((t) => t.id)).toEqual(want)
      }),
      { numRuns: 30 },
    )
  })

  it('goes on from where it was cut, token by token', async () => {
    const { engine } = await served({ dialect, lasting: 1e9 })
    // without ids the text is tokenised again, and nothing can be promised
    if (!engine.can.ids) return
    const trace = await engine.begin('how?')
    const whole = await collect(engine, trace, { seed: 0, maxTokens: 40 })
    const head = whole.slice(0, 11).reduce((t, token) => t.append(token), trace)
    const rest = await collect(engine, head, { seed: 0, maxTokens: 40 - 11 })
    expect(textOf(trace, whole)).toBe(textOf(trace, whole.slice(0, 11)) + textOf(head, rest))
  })

  it('ends after a stop text, which it keeps', async () => {
    const say = () => encode('So 4*6 = 24} and more of it')
    const { engine, server } = await served({ dialect, say, faults: { group: 3 } })
    const trace = await engine.begin('how?')
    const tokens = await collect(engine, trace, { stop: ['24}', '###'] })
    expect(textOf(trace, tokens)).toMatch(/^So 4\*6 = 24\}/)
    expect(textOf(trace, tokens).length).toBeLessThan('So 4*6 = 24} and more'.length)
    expect(tokens.at(-1)).toMatchObject({ finish: 'stop', stop: '24}' })
    expect(await server.idle()).toBe(true)
  })

  it('a stream that breaks off is an error that says so, never an answer', async () => {
    const broken: [Faults, RegExp, string][] = [
      [{ errorAfter: 3 }, /error: out of memory/, 'broken'],
      [{ errorAfter: 0, errorMessage: 'the prompt exceeds the context size' }, /context/, 'context'],
      [{ endAfter: 3 }, /without a finish reason/, 'broken'],
      [{ resetAfter: 3 }, /broke the stream off/, 'broken'],
      [{ stallAfter: 3 }, /fell silent/, 'timeout'],
      [{ garbage: true }, /not JSON/, 'broken'],
      [{ html: true }, /a web page/, 'refused'],
      [{ status: 400, errorMessage: 'nope' }, /400 \(nope\)/, 'refused'],
      [{ status: 400, errorMessage: "This model's maximum context length is 10 tokens" }, /too long/, 'context'],
      [{ status: 500, body: 'boom' }, /500 \(boom\)/, 'refused'],
      [{ status: 401 }, /REIN_API_KEY/, 'refused'],
    ]
    let current: Faults = {}
    const { engine } = await served({ dialect, lasting: 1e9, faults: () => current }, 150)
    const trace = await engine.begin('how?')
    for (const [faults, message, kind] of broken) {
      current = faults
      await expect(collect(engine, trace), JSON.stringify(faults)).rejects.toMatchObject({
        name: 'EngineError',
        kind,
        message: expect.stringMatching(message),
      })
    }
  })

  it('asks again only while nothing has come', async () => {
    const script: Faults[] = [{ status: 503 }, { endAfter: 0 }, {}, { resetAfter: 2 }]
    const { engine, server } = await served({ dialect, lasting: 20, faults: (n) => script[n] ?? {} })
    const trace = await engine.begin('how?')
    expect((await collect(engine, trace)).at(-1)!.finish).toBe('eos')
    expect(server.begun).toBe(3)
    await expect(collect(engine, trace, { seed: 5 })).rejects.toThrow(/broke the stream off/)
    expect(server.begun).toBe(4)
  })

  it('abort arrives, from the signal and from leaving the loop', async () => {
    const { engine, server } = await served({ dialect, lasting: 1e9, faults: { tokenMs: 2, abortMs: 30 } })
    const trace = await engine.begin('how?')
    const stop = new AbortController()
    const got: Token[] = []
    for await (const token of engine.stream(trace, {
      maxTokens: 1e5,
      purpose: 'main',
      signal: stop.signal,
      requestId: 'r-1',
    })) {
      got.push(token)
      if (got.length === 5) stop.abort()
    }
    expect(got.length).toBe(5)
    expect(got.some((t) => t.finish)).toBe(false)
    expect(await server.idle()).toBe(true)
    for await (const _ of engine.stream(trace, { maxTokens: 1e5, purpose: 'main', requestId: 'r-2' })) break
    expect(await server.idle()).toBe(true)
    expect(server).toMatchObject({ begun: 2, aborted: 2, finished: 0, leaked: 0 })
    const gone = AbortSignal.abort()
    for await (const _ of engine.stream(trace, { maxTokens: 9, purpose: 'main', signal: gone })) expect.fail('streamed')
    expect(server.begun).toBe(2)
  })

  it('cuts off a server that ignores the limit', async () => {
    const { engine, server } = await served({ dialect, lasting: 1e9, faults: { ignoreLimit: true } })
    const tokens = await collect(engine, await engine.begin('how?'), { maxTokens: 12 })
    expect(counted(tokens)).toBe(12)
    expect(tokens.at(-1)!.finish).toBe('length')
    expect(await server.idle()).toBe(true)
  })

  it('refuses what it cannot do before it asks', async () => {
    const { engine, server } = await served({ dialect })
    const trace = await engine.begin('how?')
    expect(() => engine.stream(trace, { maxTokens: 5, purpose: 'main', attention: true })).toThrow(/attention entropy/)
    expect(() => engine.stream(trace, { maxTokens: 5, purpose: 'main', topLogprobs: 1e6 })).toThrow(/at most/)
    expect(server.begun).toBe(0)
  })

  it('is found behind its bare URL', async () => {
    const { server } = await served({ dialect })
    const engine = await openEngine(server.url)
    expect(engine.name).toBe(dialect)
    await engine.close?.()
  })
})
