import { UserError } from '../base/errors.ts'
import type { Token, TopLogprob } from '../trace/token.ts'
import { Trace } from '../trace/trace.ts'
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
import { familyOf, markersOf, messagesOf, render } from './templates.ts'

/**
 * SGLang through its native /generate, which names ids where /v1/completions collapses equal strings (SGLang #32290).
 * A fork cannot share what the parent has written until the parent ends, so it prefills again.
 * @example const engine = await sglang('http://localhost:30000')
 */
export async function sglang(url: string, options: RemoteOptions = {}): Promise<Engine> {
  const http = httpClient(url, options)
  const cards = await modelCards(http)
  const model = pickModel(
    http.url,
    cards.map(({ id }) => id),
    options.model,
  )
  const info = await serverInfo(http)
  if (info.strip_thinking_cache === true)
    throw new UserError(
      `${http.url} runs with --strip-thinking-cache, which throws away the cache that forks need: start it without`,
    )
  const encode = async (text: string, signal?: AbortSignal): Promise<Token[]> => {
    if (text === '') return []
    const body = { model, prompt: text, add_special_tokens: false }
    return tokensOf(asIds(asObject(await http.post('/tokenize', body, signal)).tokens), text)
  }
  const ids = await encode('rein').then(
    (tokens) => tokens.length > 0,
    () => false,
  )
  const family = familyOf(model, asText(info.chat_template) ?? '')
  const known = pieces()
  const can: Abilities = {
    ids,
    // no cap in the source; the buffers of disaggregated serving hold 128
    topLogprobs: 128,
    attentionEntropy: false,
    // a seed is honoured only by the deterministic kernels
    seed: info.enable_deterministic_inference === true,
    fork: 'reprefill',
    resume: 'token',
    context: contextOf(cards, model, info) ?? options.context ?? Number.POSITIVE_INFINITY,
  }

  return {
    name: 'sglang',
    model,
    can,
    markers: markersOf(family),
    async begin(prompt, signal) {
      const messages = messagesOf(prompt)
      // a text prompt gets the tokenizer's own BOS, so the template's is left out
      const text = messages ? render(family, messages, can.ids) : (prompt as { raw: string }).raw
      return Trace.begin(prompt, can.ids ? await encode(text, signal) : [{ text }])
    },
    encode: (text, signal) => (can.ids ? encode(text, signal) : Promise.resolve([{ text }])),
    stream(prefix, stream) {
      assertAble('sglang', can, stream)
      return exchange(http, (attempt) => request(http, prefix, stream, can, known, options, attempt), stream)
    },
    close: () => http.close(),
  }
}

/** /server_info, or /get_server_info before v0.5.6; empty where neither is there. */
async function serverInfo(http: Http): Promise<Json> {
  for (const path of ['/server_info', '/get_server_info']) {
    const info = await http.get(path).catch(() => undefined)
    if (info) return asObject(info)
  }
  return {}
}

function contextOf(cards: Awaited<ReturnType<typeof modelCards>>, model: string, info: Json): number | undefined {
  return cards.find(({ id }) => id === model)?.context ?? asNumber(info.context_length)
}

function request(
  http: Http,
  prefix: Trace,
  stream: StreamOptions,
  can: Abilities,
  known: Pieces,
  { cacheSalt }: RemoteOptions,
  attempt: number,
): Exchange {
  const ids = can.ids ? idsOf(prefix) : undefined
  const { temperature, topP, topK, minP, repetitionPenalty, seed } = samplingOf(stream)
  // the scheduler aborts by prefix: "run-1" would take "run-12" with it, so each id ends in a mark of its own
  const rid = `${stream.requestId ?? `rein-${crypto.randomUUID()}`}.${attempt}.`
  return {
    path: '/generate',
    lines: 'sse',
    serverStops: true,
    requestId: rid,
    ...reader(http, known, stream),
    body: {
      rid,
      ...(ids ? { input_ids: ids } : { text: prefix.text }),
      sampling_params: {
        // the default is 128
        max_new_tokens: fitting(ids?.length ?? 0, stream.maxTokens, can.context),
        temperature,
        top_p: topP,
        // -1 is "all" here
        top_k: topK > 0 ? topK : -1,
        min_p: minP,
        repetition_penalty: repetitionPenalty,
        ...(can.seed && seed !== undefined && { sampling_seed: seed }),
        ...(stream.stop?.length && { stop: stream.stop }),
        no_stop_trim: true,
        skip_special_tokens: false,
        spaces_between_special_tokens: false,
      },
      stream: true,
      return_logprob: true,
      top_logprobs_num: stream.topLogprobs ?? 0,
      // 0 would ask for the prompt's logprobs, switch the radix cache off and may exhaust memory (strands-sglang #32)
      logprob_start_len: -1,
      return_text_in_logprobs: true,
      ...(cacheSalt && { extra_key: cacheSalt }),
    },
    async abort() {
      // a disconnect may never reach the scheduler, and an abort after it is ignored (SGLang #36333, #37833)
      await http.post('/abort_request', { rid })
    },
  }
}

function reader(http: Http, known: Pieces, stream: StreamOptions): Pick<Exchange, 'read' | 'end' | 'done'> {
  let held: Token[] = []
  let reason: Json | undefined
  let meta: Json = {}
  let seen = 0
  let text = ''
  return {
    async read(event) {
      meta = asObject(event.meta_info)
      const fresh = freshPart(event, meta, seen, text)
      seen += fresh.ids.length
      text += fresh.text
      if (meta.finish_reason) reason = asObject(meta.finish_reason)
      const eos = reason?.type === 'stop' && typeof reason.matched !== 'string'
      const tokens = await tokensFrom(fresh, known, stream, eos)
      if (!reason) return tokens
      held = tokens
      return []
    },
    done: () => reason !== undefined,
    end() {
      if (!reason) return undefined
      const prompt = asNumber(meta.prompt_tokens)
      const cached = asNumber(meta.cached_tokens)
      const extra = prompt === undefined ? {} : { usage: { prompt, ...(cached !== undefined && { cached }) } }
      if (reason.type === 'length') return finished(held, 'length', extra)
      if (reason.type === 'stop' && typeof reason.matched === 'string')
        return finished(held, 'stop', { ...extra, stop: reason.matched })
      if (reason.type === 'stop') return finished(held, 'eos', extra)
      throw new EngineError(
        'broken',
        `${http.url} ended the stream with "${reason.type}": ${asText(reason.message) ?? 'no reason given'}`,
      )
    },
  }
}

interface Fresh {
  readonly ids: readonly number[]
  readonly text: string
  readonly logprobs: readonly unknown[]
  readonly tops: readonly unknown[]
}

/**
 * What this event adds. Streams are cumulative unless the server runs with --incremental-streaming-output; the count of
 * completion tokens, which is always the total, tells the two apart.
 */
function freshPart(event: Json, meta: Json, seen: number, before: string): Fresh {
  const logprobs = asList(meta.output_token_logprobs)
  // without output_ids (older versions) the logprob entries name the ids
  const given = Array.isArray(event.output_ids)
    ? asIds(event.output_ids)
    : logprobs.map((e) => asNumber(asList(e)[1]) ?? -1)
  const total = asNumber(meta.completion_tokens) ?? given.length
  const cumulative = given.length === total && seen > 0
  const count = cumulative ? given.length - seen : given.length
  const all = asText(event.text) ?? ''
  const last = (list: readonly unknown[]): readonly unknown[] => (count > 0 ? list.slice(-count) : [])
  return {
    ids: count > 0 ? given.slice(-count) : [],
    text: cumulative ? all.slice(before.length) : all,
    logprobs: last(logprobs),
    tops: last(asList(meta.output_top_logprobs)),
  }
}

/** Entries are [logprob, id, text or null]. */
async function tokensFrom(fresh: Fresh, known: Pieces, stream: StreamOptions, eos: boolean): Promise<Token[]> {
  const { ids, logprobs, tops } = fresh
  if (ids.length === 0) return fresh.text === '' ? [] : [{ text: fresh.text, count: 0 }]
  logprobs.forEach((entry, i) => {
    const said = asText(asList(entry)[2])
    if (said !== undefined && ids.length > 1) known.learn(ids[i]!, said)
  })
  const texts = eos ? await spreadBeforeEnd(known, ids, fresh.text) : await known.spread(ids, fresh.text)
  return ids.map((id, i) => {
    const logprob = asNumber(asList(logprobs[i])[0])
    const top = stream.topLogprobs ? asList(tops[i]).map((entry) => alternative(asList(entry), known)) : []
    return {
      id,
      text: texts[i]!,
      ...(logprob !== undefined && { logprob }),
      ...(top.length > 0 && { top: sorted(top) }),
    }
  })
}

function alternative(entry: readonly unknown[], known: Pieces): TopLogprob {
  const id = asNumber(entry[1]) ?? -1
  return { id, text: asText(entry[2]) ?? known.textOf(id) ?? '', logprob: logprobOf(entry[0]) }
}
