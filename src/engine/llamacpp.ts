import type { Token, TopLogprob } from '../trace/token.ts'
import { Trace } from '../trace/trace.ts'
import type { Message } from '../trace/words.ts'
import type { Abilities, Engine, StreamOptions } from './engine.ts'
import { EngineError } from './errors.ts'
import { type Exchange, exchange, finished, fitting, type Json } from './exchange.ts'
import { type Http, httpClient } from './http.ts'
import {
  asBytes,
  asIds,
  asList,
  asNumber,
  asObject,
  assertAble,
  asText,
  logprobOf,
  modelCards,
  type RemoteOptions,
  samplingOf,
  textAndBytes,
} from './remote.ts'
import { familyOf, markersOf, messagesOf, turnProbe } from './templates.ts'

/**
 * llama.cpp's server through its own /completion: ids in, ids and bytes out. A fork takes an idle slot and prefills again.
 * @example const engine = await llamacpp('http://localhost:8080')
 */
export async function llamacpp(url: string, options: RemoteOptions = {}): Promise<Engine> {
  const http = httpClient(url, options)
  const props = asObject(await http.get('/props'))
  const defaults = asObject(props.default_generation_settings)
  const [card] = await modelCards(http).catch(() => [])
  const model = options.model ?? asText(asObject(card).id) ?? asText(props.model_path) ?? 'model'
  const words = vocabulary(http, asText(props.eos_token))
  const template = asText(props.chat_template) ?? ''
  const family = familyOf(model, template)
  const rendered = await words.template(turnProbe).catch(() => undefined)
  const drafts = speculates(defaults)
  const can: Abilities = {
    ids: true,
    // after the first token of a draft every logprob is 0.0 (llama.cpp #27972)
    topLogprobs: drafts ? 0 : (asNumber(asObject(card?.meta).n_vocab) ?? 1000),
    attentionEntropy: false,
    seed: true,
    // a busy slot is never shared
    fork: (asNumber(props.total_slots) ?? 1) > 1 ? 'reprefill' : 'serial',
    resume: 'token',
    context: asNumber(defaults.n_ctx) ?? options.context ?? Number.POSITIVE_INFINITY,
  }
  const why = drafts ? ', because it decodes with drafts, which spoil its logprobs: serve the model without' : ''

  return {
    name: 'llamacpp',
    model: model.replace(/^.*\//, '').replace(/\.gguf$/, ''),
    can,
    markers: markersOf(family, rendered),
    async begin(prompt, signal) {
      const messages = messagesOf(prompt)
      const text = messages ? await words.template(messages, signal) : (prompt as { raw: string }).raw
      return Trace.begin(prompt, await words.encode(text, signal))
    },
    encode: words.encode,
    stream(prefix, stream) {
      assertAble('llamacpp', can, stream, why)
      return exchange(http, () => request(http, prefix, stream, can, words), stream)
    },
    close: () => http.close(),
  }
}

/** Said in the default settings by newer builds, by older ones only in /slots. */
function speculates(defaults: Json): boolean {
  const types = asText(asObject(defaults.params)['speculative.types'])
  return defaults.speculative === true || (types !== undefined && types !== 'none')
}

type Vocabulary = ReturnType<typeof vocabulary>

/** The server's tokenizer, both ways. */
function vocabulary(http: Http, endOfTurn: string | undefined) {
  const special = new Map<number, string>()
  return {
    endOfTurn,
    async template(messages: readonly Message[], signal?: AbortSignal): Promise<string> {
      const reply = asObject(await http.post('/apply-template', { messages }, signal))
      const text = asText(reply.prompt)
      if (text === undefined) throw new EngineError('refused', `${http.url}/apply-template gave no prompt`)
      return text
    },
    async encode(text: string, signal?: AbortSignal): Promise<Token[]> {
      if (text === '') return []
      // a rendered prompt already has its BOS
      const body = { content: text, add_special: false, parse_special: true, with_pieces: true }
      const reply = asObject(await http.post('/tokenize', body, signal))
      return asList(reply.tokens).map((raw) => {
        const { id, piece } = asObject(raw)
        const bytes = asBytes(piece)
        return { id: asNumber(id) ?? -1, ...(bytes ? textAndBytes(bytes) : { text: asText(piece) ?? '' }) }
      })
    },
    /** Special tokens come with empty text unless the server runs with --special. */
    async special(id: number, signal?: AbortSignal): Promise<string> {
      let text = special.get(id)
      if (text === undefined) {
        text = asText(asObject(await http.post('/detokenize', { tokens: [id] }, signal)).content) ?? ''
        special.set(id, text)
      }
      return text
    },
  }
}

function request(http: Http, prefix: Trace, stream: StreamOptions, can: Abilities, words: Vocabulary): Exchange {
  const prompt = promptOf(prefix)
  const { temperature, topP, topK, minP, repetitionPenalty, seed } = samplingOf(stream)
  return {
    path: '/completion',
    lines: 'sse',
    ...(stream.requestId && { requestId: stream.requestId }),
    ...reader(http, words, stream),
    body: {
      prompt,
      // the default is -1: without end
      n_predict: fitting(prefix.length, stream.maxTokens, can.context),
      temperature,
      top_p: topP,
      top_k: topK,
      min_p: minP,
      repeat_penalty: repetitionPenalty,
      typical_p: 1,
      ...(seed !== undefined && { seed }),
      // at least one, because a token's bytes come only with its logprob
      n_probs: Math.max(1, stream.topLogprobs ?? 0),
      post_sampling_probs: false,
      return_tokens: true,
      cache_prompt: true,
      stream: true,
      // no stop texts: the server would hold text back, cut the stop off, and lose what it held at the length limit
    },
  }
}

/** Ids, and text between them where ids are missing: the server takes a mix. */
function promptOf(trace: Trace): (number | string)[] {
  const out: (number | string)[] = []
  for (const token of trace.tokens()) {
    if (token.finish === 'eos') continue
    if (token.id !== undefined) out.push(token.id)
    else if (token.text !== '') {
      const last = out.at(-1)
      if (typeof last === 'string') out[out.length - 1] = last + token.text
      else out.push(token.text)
    }
  }
  return out
}

function reader(http: Http, words: Vocabulary, stream: StreamOptions): Pick<Exchange, 'read' | 'end' | 'done'> {
  let seen = 0
  let last: Json | undefined
  let held: Token[] = []
  return {
    async read(event) {
      if (event.stop === true) last = event
      const ids = asIds(event.tokens)
      const total = asNumber(event.tokens_predicted) ?? seen + ids.length
      // progress reports carry a token 0 that was never generated
      if (event.prompt_progress !== undefined && total === seen) return []
      const lost = Math.max(0, total - seen - ids.length)
      seen = Math.max(seen + ids.length, total)
      let tokens = await tokensFrom(event, ids, words, stream)
      if (lost > 0) tokens = await recovered(tokens, asText(event.content) ?? '', lost, words, stream.signal)
      const out = [...held, ...tokens]
      held = []
      if (last) held = out
      // what may be the end of turn is kept back: only the next event, which brings no token, says that it was the last
      else if (out.at(-1)?.text === words.endOfTurn || isSpecial(event)) held = out.splice(-1)
      return last ? [] : out
    },
    done: () => last !== undefined,
    end() {
      if (!last) return undefined
      const timings = asObject(last.timings)
      const prompt = asNumber(last.tokens_evaluated)
      const cached = asNumber(timings.cache_n)
      const extra = prompt === undefined ? {} : { usage: { prompt, ...(cached !== undefined && { cached }) } }
      const type = last.stop_type
      if (type === 'eos') return finished(held, 'eos', extra)
      if (type === 'limit') return finished(held, 'length', extra)
      if (type === 'word') return finished(held, 'stop', { ...extra, stop: asText(last.stopping_word) ?? '' })
      throw new EngineError('broken', `${http.url} ended the stream with the reason "${String(type)}"`)
    },
  }
}

/** a token without bytes of its own */
const isSpecial = (event: Json): boolean => event.content === '' && asIds(event.tokens).length > 0

async function tokensFrom(
  event: Json,
  ids: readonly number[],
  words: Vocabulary,
  stream: StreamOptions,
): Promise<Token[]> {
  const probabilities = asList(event.completion_probabilities).map(asObject)
  return Promise.all(
    ids.map(async (id, i) => {
      const entry = probabilities[i] ?? {}
      const bytes = asBytes(entry.bytes)
      const said = bytes ? textAndBytes(bytes) : { text: ids.length === 1 ? (asText(event.content) ?? '') : '' }
      const shown = said.text === '' && !bytes ? { text: await words.special(id, stream.signal) } : said
      const logprob = asNumber(entry.logprob)
      const top = stream.topLogprobs ? asList(entry.top_logprobs).map((raw) => alternative(asObject(raw))) : []
      return { id, ...shown, ...(logprob !== undefined && { logprob }), ...(top.length > 0 && { top }) }
    }),
  )
}

function alternative(entry: Json): TopLogprob {
  return { id: asNumber(entry.id) ?? -1, text: asText(entry.token) ?? '', logprob: logprobOf(entry.logprob) }
}

/**
 * A token that ends inside a character is never streamed: its id is missing and its bytes come with the token that completes
 * the character (seen on build 11669). The server's tokenizer gives the ids back where it finds as many and the same last one;
 * otherwise one token without an id stands for them all and is sent on as text.
 */
async function recovered(
  tokens: Token[],
  text: string,
  lost: number,
  words: Vocabulary,
  signal?: AbortSignal,
): Promise<Token[]> {
  const [token, ...rest] = tokens
  if (!token) return [{ text: '', count: lost }]
  const again = await words.encode(text, signal).catch(() => [])
  const { id, bytes, ...measured } = token
  if (again.length === lost + 1 && again.at(-1)?.id === id)
    return [...again.slice(0, -1), { ...measured, ...again.at(-1)! }, ...rest]
  return [{ ...measured, text, count: lost + 1 }, ...rest]
}
