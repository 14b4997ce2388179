import type { Token, TopLogprob } from '../trace/token.ts'
import { Trace } from '../trace/trace.ts'
import type { Message } from '../trace/words.ts'
import type { Abilities, Engine, StreamOptions } from './engine.ts'
import { EngineError } from './errors.ts'
import { type Exchange, exchange, finished, fitting, idsOf, type Json } from './exchange.ts'
import { type Http, httpClient } from './http.ts'
import { type Pieces, pieces, spreadBeforeEnd, tokensOf } from './pieces.ts'
import {
  asIds,
  asList,
  asNumber,
  asObject,
  assertAble,
  asText,
  logprobOf,
  modelCards,
  pickModel,
  type RemoteOptions,
  samplingOf,
  sorted,
} from './remote.ts'
import { familyOf, markersOf, messagesOf, render, turnProbe } from './templates.ts'

/**
 * vLLM through /v1/completions with token ids in and out. A fork shares the running stream's cache (automatic prefix caching).
 * @example const engine = await vllm('http://localhost:8000')
 */
export async function vllm(url: string, options: RemoteOptions = {}): Promise<Engine> {
  const http = httpClient(url, options)
  const cards = await modelCards(http)
  // adapters are listed beside their base model; the base is meant unless one is named
  const bases = cards.filter(({ parent }) => !parent)
  const model = pickModel(
    http.url,
    (options.model ? cards : bases).map(({ id }) => id),
    options.model,
  )
  const card = cards.find(({ id }) => id === model)
  const tokenizer = tokenizerOf(http, model)
  const rendered = await tokenizer.chat(turnProbe).catch(() => undefined)
  const family = familyOf(model)
  const known = pieces((id, signal) => tokenizer.text([id], signal))
  const can: Abilities = {
    ids: rendered !== undefined,
    topLogprobs: 20,
    attentionEntropy: false,
    seed: true,
    fork: 'shared',
    resume: 'token',
    context: card?.context ?? options.context ?? Number.POSITIVE_INFINITY,
  }

  return {
    name: 'vllm',
    model,
    can,
    markers: markersOf(family, rendered?.text),
    async begin(prompt, signal) {
      const messages = messagesOf(prompt)
      if (!can.ids)
        return Trace.begin(prompt, [{ text: messages ? render(family, messages) : (prompt as { raw: string }).raw }])
      if (!messages) return Trace.begin(prompt, await tokenizer.encode((prompt as { raw: string }).raw, signal))
      const { ids, text, entries } = await tokenizer.chat(messages, signal)
      return Trace.begin(prompt, tokensOf(ids, text, entries))
    },
    encode: (text, signal) => (can.ids ? tokenizer.encode(text, signal) : Promise.resolve([{ text }])),
    stream(prefix, stream) {
      assertAble('vllm', can, stream)
      return exchange(http, (attempt) => request(http, model, prefix, stream, can, known, options, attempt), stream)
    },
    close: () => http.close(),
  }
}

function request(
  http: Http,
  model: string,
  prefix: Trace,
  stream: StreamOptions,
  can: Abilities,
  known: Pieces,
  { cacheSalt }: RemoteOptions,
  attempt: number,
): Exchange {
  const ids = idsOf(prefix)
  const maxTokens = fitting(ids?.length ?? 0, stream.maxTokens, can.context)
  const { temperature, topP, topK, minP, repetitionPenalty, seed } = samplingOf(stream)
  const requestId = stream.requestId && (attempt ? `${stream.requestId}-retry${attempt}` : stream.requestId)
  return {
    path: '/v1/completions',
    lines: 'sse',
    serverStops: true,
    ...(requestId && { requestId }),
    ...reader(http, known, stream),
    body: {
      model,
      prompt: ids ?? prefix.text,
      // the default is 16
      max_tokens: maxTokens,
      temperature,
      top_p: topP,
      top_k: topK,
      min_p: minP,
      repetition_penalty: repetitionPenalty,
      ...(seed !== undefined && { seed }),
      stream: true,
      stream_options: { include_usage: true, continuous_usage_stats: false },
      // with decoded strings as keys two ids of equal text collapse into one entry (vLLM #44319)
      logprobs: stream.topLogprobs ?? 0,
      return_tokens_as_token_ids: true,
      return_token_ids: true,
      // a rendered prompt already has its BOS
      add_special_tokens: false,
      // markers such as <think> are special tokens on some models
      skip_special_tokens: false,
      // otherwise text is held back while a stop may be beginning (vLLM #13087)
      ...(stream.stop?.length && { stop: stream.stop }),
      include_stop_str_in_output: true,
      ...(cacheSalt && { cache_salt: cacheSalt }),
      ...(requestId && { request_id: requestId }),
    },
  }
}

/** Reads chunks of /v1/completions. Counts ids, never chunks. */
function reader(http: Http, known: Pieces, stream: StreamOptions): Pick<Exchange, 'read' | 'end' | 'done'> {
  let held: Token[] | undefined
  let reason: string | undefined
  let stop: unknown
  let counted = 0
  let usage: Json = {}
  return {
    async read(event) {
      if (event.usage) usage = asObject(event.usage)
      // the usage chunk has no choices
      const choice = asObject(asList(event.choices)[0])
      const finish = asText(choice.finish_reason)
      if (finish !== undefined) {
        reason = finish
        stop = choice.stop_reason
      }
      const tokens = await chunkTokens(choice, known, finish === 'stop' && typeof stop !== 'string', stream)
      counted += tokens.length
      if (finish === undefined) return tokens
      held = tokens
      return []
    },
    done: () => reason !== undefined,
    end() {
      if (reason === undefined) return undefined
      const prompt = asNumber(usage.prompt_tokens)
      const cached = asNumber(asObject(usage.prompt_tokens_details).cached_tokens)
      const missing = Math.max(0, (asNumber(usage.completion_tokens) ?? counted) - counted)
      const extra = {
        ...(prompt !== undefined && { usage: { prompt, ...(cached !== undefined && { cached }) } }),
        // tokens that a stream interval swallowed are still on the bill (vLLM #41691)
        ...(missing > 0 && { count: missing + (held?.length ? 1 : 0) }),
      }
      if (reason === 'length') return finished(held ?? [], 'length', extra)
      if (reason === 'stop' && typeof stop === 'string') return finished(held ?? [], 'stop', { ...extra, stop })
      if (reason === 'stop') return finished(held ?? [], 'eos', extra)
      throw new EngineError('broken', `${http.url} ended the stream with the reason "${reason}"`)
    },
  }
}

async function chunkTokens(choice: Json, known: Pieces, eos: boolean, stream: StreamOptions): Promise<Token[]> {
  const { signal, topLogprobs = 0 } = stream
  const text = asText(choice.text) ?? ''
  const logprobs = asObject(choice.logprobs)
  const named = asList(logprobs.tokens).map((key) => idOf(String(key)))
  // before v0.10.2 there is no token_ids; the logprobs name the ids too
  const ids = Array.isArray(choice.token_ids) ? asIds(choice.token_ids) : named.filter((id) => id !== undefined)
  if (ids.length === 0) return text === '' ? [] : [{ text }]
  const texts = eos ? await spreadBeforeEnd(known, ids, text, signal) : await known.spread(ids, text, signal)
  return ids.map((id, i) => {
    const logprob = asNumber(asList(logprobs.token_logprobs)[i])
    const top = topLogprobs > 0 ? topOf(asObject(asList(logprobs.top_logprobs)[i]), known) : []
    return { id, text: texts[i]!, ...(logprob !== undefined && { logprob }), ...(top.length > 0 && { top }) }
  })
}

/** "token_id:123" → 123 */
const idOf = (key: string): number | undefined =>
  key.startsWith('token_id:') ? Number(key.slice('token_id:'.length)) : undefined

function topOf(entries: Json, known: Pieces): TopLogprob[] {
  return sorted(
    Object.entries(entries).map(([key, value]) => {
      const id = idOf(key)
      const text = id === undefined ? key : (known.textOf(id) ?? '')
      return { ...(id !== undefined && { id }), text, logprob: logprobOf(value) }
    }),
  )
}

interface Rendered {
  readonly ids: readonly number[]
  readonly text: string
  readonly entries?: readonly string[]
}

function tokenizerOf(http: Http, model: string) {
  const text = async (tokens: readonly number[], signal?: AbortSignal): Promise<string> =>
    asText(asObject(await http.post('/detokenize', { model, tokens }, signal)).prompt) ?? ''
  const tokenize = async (body: object, signal?: AbortSignal): Promise<Rendered> => {
    const reply = asObject(await http.post('/tokenize', { model, ...body, return_token_strs: true }, signal))
    const ids = asIds(reply.tokens)
    const entries = asList(reply.token_strs).map(String)
    return { ids, text: await text(ids, signal), ...(entries.length > 0 && { entries }) }
  }
  return {
    text,
    /** the model's own chat template, rendered by the server */
    chat: (messages: readonly Message[], signal?: AbortSignal): Promise<Rendered> =>
      tokenize({ messages, add_generation_prompt: true, add_special_tokens: false }, signal).catch(async (error) => {
        // some front ends have no /tokenize but can render
        const reply = await http.post('/v1/chat/completions/render', { model, messages }, signal).catch(() => {
          throw error
        })
        const ids = findIds(reply)
        if (!ids) throw error
        return { ids, text: await text(ids, signal) }
      }),
    async encode(what: string, signal?: AbortSignal): Promise<Token[]> {
      if (what === '') return []
      const { ids, entries } = await tokenize({ prompt: what, add_special_tokens: false }, signal)
      return tokensOf(ids, what, entries)
    },
  }
}

/** The ids of a rendered prompt, wherever in the reply they are. */
function findIds(reply: unknown): number[] | undefined {
  if (Array.isArray(reply)) return reply.map(findIds).find((ids) => ids !== undefined)
  for (const [key, value] of Object.entries(asObject(reply))) {
    if ((key === 'prompt_token_ids' || key === 'token_ids') && asIds(value).length > 0) return asIds(value)
    const inner = findIds(value)
    if (inner) return inner
  }
  return undefined
}
