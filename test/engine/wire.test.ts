import { afterEach, describe, expect, it } from 'vitest'
import type { StreamOptions } from '../../src/engine/engine.ts'
import { openEngine, type RemoteOptions } from '../../src/engine/index.ts'
import type { Token } from '../../src/trace/token.ts'
import type { Trace } from '../../src/trace/trace.ts'
import type { Dialect } from './scripted-dialects.ts'
import { encode } from './scripted-model.ts'
import { paths } from './scripted-requests.ts'
import { type ScriptedOptions, scriptedServer } from './scripted-server.ts'

/** What goes over the wire: each trap of each server, seen in the request that was sent or in the refusal to send one. */
const closing: (() => Promise<void> | undefined)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function served(dialect: Dialect, script: Partial<ScriptedOptions> = {}, options: RemoteOptions = {}) {
  const server = await scriptedServer({ dialect, lasting: 20, ...script })
  closing.push(() => server.close())
  const engine = await openEngine(`${dialect}:${server.url}`, options)
  closing.push(() => engine.close?.())
  const collect = async (trace: Trace, stream: Partial<StreamOptions> = {}): Promise<Token[]> => {
    const out: Token[] = []
    for await (const token of engine.stream(trace, { maxTokens: 30, purpose: 'main', ...stream })) out.push(token)
    return out
  }
  const sent = () => server.requests.findLast(({ path }) => path === paths[dialect])!
  return { server, engine, collect, sent }
}

describe('vllm', () => {
  it('sends ids, every default, and what keeps special tokens, stop texts and equal texts whole', async () => {
    const { engine, collect, sent } = await served('vllm', {}, { cacheSalt: 'tenant' })
    const trace = await engine.begin('how?')
    await collect(trace, { topLogprobs: 5, stop: ['}'], requestId: 'run-1', seed: 3 })
    expect(sent().body).toMatchObject({
      prompt: trace.ids(),
      max_tokens: 30,
      temperature: 0,
      top_p: 1,
      top_k: 0,
      min_p: 0,
      repetition_penalty: 1,
      seed: 3,
      logprobs: 5,
      return_tokens_as_token_ids: true,
      return_token_ids: true,
      add_special_tokens: false,
      skip_special_tokens: false,
      stop: ['}'],
      include_stop_str_in_output: true,
      cache_salt: 'tenant',
      request_id: 'run-1',
    })
    expect(sent().body).not.toHaveProperty('prompt_logprobs')
    expect(sent().headers['x-request-id']).toBe('run-1')
  })

  it('a fork carries the salt of its parent', async () => {
    const { engine, collect, server } = await served('vllm', {}, { cacheSalt: 'tenant' })
    const trace = await engine.begin('how?')
    await collect(trace)
    await collect(trace.appendAll(await engine.encode(' so'), 'forced'), { purpose: 'fork' })
    const salts = server.requests.filter(({ path }) => path === paths.vllm).map(({ body }) => body.cache_salt)
    expect(salts).toEqual(['tenant', 'tenant'])
  })

  it('tells two ids with the same text apart', async () => {
    const { engine, collect } = await served('vllm', { lasting: 1e9 })
    const tokens = await collect(await engine.begin('how?'), { topLogprobs: 8, maxTokens: 60 })
    for (const { top } of tokens.filter((t) => t.top)) expect(new Set(top!.map(({ id }) => id)).size).toBe(top!.length)
    expect(tokens.some(({ top }) => (top?.length ?? 0) >= 8)).toBe(true)
  })

  it('says how much of the prompt was cached', async () => {
    const { engine, collect } = await served('vllm')
    const trace = await engine.begin('how?')
    const usage = (await collect(trace)).at(-1)!.usage!
    expect(usage).toEqual({ prompt: trace.length, cached: Math.floor(trace.length / 16) * 16 })
  })

  it('an end of turn is on the bill and not sent back', async () => {
    const { engine, collect, sent } = await served('vllm', { say: () => encode(' so we') })
    const trace = await engine.begin('how?')
    const tokens = await collect(trace)
    expect(tokens.map(({ text }) => text)).toEqual([' so', ' we', ''])
    const ended = tokens.reduce((t, token) => t.append(token), trace)
    await collect(ended.appendAll(await engine.encode(engine.markers.userTurn('no')), 'feedback'))
    const prompt = sent().body.prompt as number[]
    expect(prompt.filter((id) => id === 258)).toHaveLength(3)
  })
})

describe('sglang', () => {
  it('asks for output logprobs only, keeps special tokens and stop texts', async () => {
    const { engine, collect, sent } = await served('sglang')
    const trace = await engine.begin('how?')
    await collect(trace, { topLogprobs: 4, stop: ['}'] })
    expect(sent().body).toMatchObject({
      input_ids: trace.ids(),
      logprob_start_len: -1,
      return_logprob: true,
      top_logprobs_num: 4,
      sampling_params: { max_new_tokens: 30, no_stop_trim: true, skip_special_tokens: false, stop: ['}'] },
    })
  })

  it('asks the server to abort before it hangs up, and takes no other run with it', async () => {
    const { engine, server } = await served('sglang', { lasting: 1e9, faults: { tokenMs: 3 } })
    const trace = await engine.begin('how?')
    const long = new AbortController()
    const counts = [0, 0]
    const read = async (i: number, id: string, signal: AbortSignal): Promise<void> => {
      for await (const _ of engine.stream(trace, { maxTokens: 60, purpose: 'main', requestId: id, signal }))
        counts[i]!++
    }
    const other = read(1, 'run-12', new AbortController().signal)
    const first = read(0, 'run-1', long.signal)
    setTimeout(() => long.abort(), 40)
    await Promise.all([first, other])
    expect(counts[0]).toBeLessThan(60)
    // "run-1" is a prefix of "run-12", by which the scheduler would have taken both
    expect(counts[1]).toBe(60)
    expect(server).toMatchObject({ aborted: 1, finished: 1, leaked: 0 })
    const aborts = server.requests.filter(({ path }) => path === '/abort_request')
    expect(aborts.map(({ body }) => body.rid)).toEqual(['run-1.0.'])
  })

  it('refuses a server that strips the thinking from its cache', async () => {
    const { createServer } = await import('node:http')
    const server = createServer((request, response) => {
      response.setHeader('content-type', 'application/json')
      const models = { data: [{ id: 'm', owned_by: 'sglang' }] }
      response.end(JSON.stringify(request.url === '/v1/models' ? models : { strip_thinking_cache: true }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(async () => void server.close())
    const { port } = server.address() as { port: number }
    await expect(openEngine(`sglang:http://127.0.0.1:${port}`)).rejects.toThrow(/--strip-thinking-cache/)
  })
})

describe('llamacpp', () => {
  it('sends ids and a length, and looks for stop texts itself', async () => {
    const { engine, collect, sent } = await served('llamacpp')
    const trace = await engine.begin('how?')
    await collect(trace, { stop: ['}'] })
    expect(sent().body).toMatchObject({ prompt: trace.ids(), n_predict: 30, cache_prompt: true, return_tokens: true })
    expect(sent().body).not.toHaveProperty('stop')
  })

  it('never passes on the header that makes a disconnect go unnoticed', async () => {
    const headers = { 'X-Conversation-Id': 'c1', 'x-own': 'yes' }
    const { engine, collect, sent } = await served('llamacpp', {}, { headers })
    await collect(await engine.begin('how?'))
    expect(sent().headers).not.toHaveProperty('x-conversation-id')
    expect(sent().headers['x-own']).toBe('yes')
  })

  it('reads special tokens, which come without text', async () => {
    const { engine, collect } = await served('llamacpp', { say: () => [257, ...encode(' so')] })
    const tokens = await collect(await engine.begin('how?'))
    expect(tokens.map(({ text }) => text)).toEqual(['<|im_start|>', ' so', ''])
  })
})

describe('ollama', () => {
  it('sends raw text with a context of its own and no silent truncation', async () => {
    const { engine, collect, sent } = await served('ollama', {}, { context: 8000 })
    const trace = await engine.begin('how?')
    await collect(trace, { stop: ['}'] })
    expect(sent().body).toMatchObject({
      raw: true,
      truncate: false,
      prompt: trace.text,
      options: { num_ctx: 8000, num_predict: 30, temperature: 0 },
    })
    expect(sent().body.options).not.toHaveProperty('stop')
    expect(engine.can).toMatchObject({ ids: false, fork: 'serial', context: 8000 })
  })
})

describe('openai', () => {
  it.each(['reasoning', 'reasoning_content', 'both'] as const)('reads thinking from "%s", once', async (reasoning) => {
    const { engine, collect } = await served('openai', { faults: { reasoning }, say: () => encode(' so we\n\n four') })
    const trace = await engine.begin('how?')
    const tokens = await collect(trace)
    const text = tokens.reduce((t, token) => t.append(token), trace).written
    expect(text).toBe('<think>\n so we\n\n\n</think>\n\n four')
    // tags are rein's, not the model's
    expect(tokens.reduce((n, t) => n + (t.count ?? 1), 0)).toBe(5)
    expect(engine.can).toMatchObject({ resume: 'turn', ids: false })
  })

  it('sends the conversation turn by turn, without the thinking', async () => {
    const { engine, collect, sent } = await served('openai', {
      faults: { reasoning: 'reasoning' },
      say: () => encode(' so\n\n four'),
    })
    const begun = await engine.begin({
      messages: [
        { role: 'system', content: 'S' },
        { role: 'user', content: 'how?' },
      ],
    })
    const said = (await collect(begun)).reduce((t, token) => t.append(token), begun)
    const turn = { role: 'user', content: 'That is wrong.' } as const
    const told = said.appendAll(await engine.encode(engine.markers.userTurn(turn.content)), 'feedback', turn)
    await collect(told)
    expect(sent().body.messages).toEqual([
      { role: 'system', content: 'S' },
      { role: 'user', content: 'how?' },
      { role: 'assistant', content: 'four' },
      { role: 'user', content: 'That is wrong.' },
    ])
    const half = begun.append({ text: 'half a mess' })
    expect(() => engine.stream(half, { maxTokens: 5, purpose: 'main' })).toThrow(/half-written message/)
    await expect(engine.begin({ raw: 'x' })).rejects.toThrow(/messages/)
  })

  it('asks with the other name of the limit where the first is refused', async () => {
    const refuse = { status: 400, errorMessage: "Unsupported parameter: 'max_tokens', use 'max_completion_tokens'" }
    const { engine, collect, sent, server } = await served('openai', { faults: (n) => (n === 0 ? refuse : {}) })
    const trace = await engine.begin('how?')
    expect((await collect(trace)).at(-1)!.finish).toBe('length')
    expect(sent().body).toMatchObject({ max_completion_tokens: 30 })
    await collect(trace)
    expect(server.begun).toBe(3)
  })
})

describe('every engine with ids', () => {
  it.each<Dialect>(['vllm', 'sglang', 'llamacpp'])(
    '%s refuses a prompt over the context before it is sent',
    async (dialect) => {
      const { engine, collect, server } = await served(dialect)
      const trace = await engine.begin(' so'.repeat(100_001))
      await expect(collect(trace)).rejects.toMatchObject({
        kind: 'context',
        message: expect.stringContaining('100000'),
      })
      expect(server.begun).toBe(0)
    },
  )
})
