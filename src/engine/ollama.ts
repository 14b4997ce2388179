import type { Token, TopLogprob } from '../trace/token.ts'
import { Trace } from '../trace/trace.ts'
import type { Abilities, Engine, StreamOptions } from './engine.ts'
import { EngineError } from './errors.ts'
import { type Exchange, exchange, finished, type Json } from './exchange.ts'
import { type Http, httpClient } from './http.ts'
import {
  asBytes,
  asList,
  asNumber,
  asObject,
  assertAble,
  asText,
  logprobOf,
  pickModel,
  type RemoteOptions,
  samplingOf,
} from './remote.ts'
import { familyOf, markersOf, messagesOf, render } from './templates.ts'

/** Taken where nothing is said: Ollama's own default hangs on the graphics memory and may be as little as 4,096. */
const DEFAULT_CONTEXT = 16_384

/**
 * Ollama through /api/generate in raw mode: /v1/completions would put a chat template around every prefix. It takes and gives
 * no ids, so text is sent again and tokenised again, and it runs one request at a time.
 * @example const engine = await ollama('http://localhost:11434', { model: 'qwen3:8b' })
 */
export async function ollama(url: string, options: RemoteOptions = {}): Promise<Engine> {
  const http = httpClient(url, options)
  const listed = asList(asObject(await http.get('/api/tags')).models).map((raw) => asText(asObject(raw).name) ?? '')
  const wanted =
    options.model !== undefined && !listed.includes(options.model) ? `${options.model}:latest` : options.model
  const model = pickModel(http.url, listed, listed.includes(wanted ?? '') ? wanted : options.model)
  const card = asObject(await http.post('/api/show', { model }))
  const trained = Object.entries(asObject(card.model_info)).find(([key]) => key.endsWith('.context_length'))?.[1]
  const context = Math.min(options.context ?? DEFAULT_CONTEXT, asNumber(trained) ?? Number.POSITIVE_INFINITY)
  // Ollama's templates are Go's, which only it can render; the family is told by the name
  const family = familyOf(`${model} ${asText(asObject(card.details).family) ?? ''}`, asText(card.template) ?? '')
  const can: Abilities = {
    ids: false,
    topLogprobs: (await hasLogprobs(http)) ? 20 : 0,
    attentionEntropy: false,
    seed: true,
    fork: 'serial',
    resume: 'token',
    context,
  }

  return {
    name: 'ollama',
    model,
    can,
    markers: markersOf(family),
    async begin(prompt) {
      const messages = messagesOf(prompt)
      // the runner adds the model's BOS by itself
      return Trace.begin(prompt, [
        { text: messages ? render(family, messages, false) : (prompt as { raw: string }).raw },
      ])
    },
    encode: async (text) => (text === '' ? [] : [{ text }]),
    stream(prefix, stream) {
      assertAble('ollama', can, stream)
      return exchange(http, () => request(http, model, prefix, stream, can), stream)
    },
    close: () => http.close(),
  }
}

/** Since v0.12.11. */
async function hasLogprobs(http: Http): Promise<boolean> {
  const reply = asObject(await http.get('/api/version').catch(() => undefined))
  const [major = 0, minor = 0, patch = 0] = (asText(reply.version) ?? '0').split(/[.-]/).map(Number)
  return major > 0 || minor > 12 || (minor === 12 && patch >= 11)
}

function request(http: Http, model: string, prefix: Trace, stream: StreamOptions, can: Abilities): Exchange {
  const { temperature, topP, topK, minP, repetitionPenalty, seed } = samplingOf(stream)
  return {
    path: '/api/generate',
    lines: 'ndjson',
    ...(stream.requestId && { requestId: stream.requestId }),
    ...reader(http, stream),
    body: {
      model,
      prompt: prefix.text,
      raw: true,
      stream: true,
      // a prompt over num_ctx would lose its middle without a word
      truncate: false,
      shift: false,
      ...(can.topLogprobs > 0 && { logprobs: true, top_logprobs: stream.topLogprobs ?? 0 }),
      options: {
        num_ctx: can.context,
        num_predict: stream.maxTokens,
        temperature,
        top_p: topP,
        top_k: topK,
        min_p: minP,
        repeat_penalty: repetitionPenalty,
        ...(seed !== undefined && { seed }),
        // no stop texts: they would be cut off the output
      },
    },
  }
}

function reader(http: Http, stream: StreamOptions): Pick<Exchange, 'read' | 'end' | 'done'> {
  let counted = 0
  let last: Json | undefined
  let held: Token[] = []
  return {
    read(event) {
      const tokens = tokensFrom(event, stream)
      for (const token of tokens) counted += token.count ?? 1
      if (event.done === true) {
        last = event
        held = tokens
        return []
      }
      return tokens
    },
    done: () => last !== undefined,
    end() {
      if (!last) return undefined
      const prompt = asNumber(last.prompt_eval_count)
      // chunks with empty text are dropped on the way, end of turn included; the total at the end puts the bill right
      const missing = Math.max(0, (asNumber(last.eval_count) ?? counted) - counted)
      const extra = prompt === undefined ? {} : { usage: { prompt } }
      if (last.done_reason === 'length') return finished(held, 'length', { ...extra, count: missing + held.length })
      // "stop" is also said when one chunk came 30 times over, Ollama's own brake on loops
      if (last.done_reason === 'stop') return [...held, { text: '', count: missing, finish: 'eos', ...extra }]
      throw new EngineError('broken', `${http.url} ended the stream with the reason "${String(last.done_reason)}"`)
    },
  }
}

/** One token for each logprob entry; without logprobs a chunk counts as one. */
function tokensFrom(event: Json, stream: StreamOptions): Token[] {
  const text = asText(event.response) ?? ''
  const entries = asList(event.logprobs).map(asObject)
  if (entries.length <= 1 || entries.map((e) => asText(e.token) ?? '').join('') !== text) {
    if (text === '') return []
    const count = Math.max(1, entries.length)
    return [{ text, ...(entries.length === 1 ? measure(entries[0]!, stream) : {}), ...(count > 1 && { count }) }]
  }
  return entries.map((entry) => ({ text: asText(entry.token) ?? '', ...measure(entry, stream) }))
}

function measure(entry: Json, stream: StreamOptions): Pick<Token, 'logprob' | 'top'> {
  const logprob = asNumber(entry.logprob)
  const top = stream.topLogprobs ? asList(entry.top_logprobs).map((raw) => alternative(asObject(raw))) : []
  return { ...(logprob !== undefined && { logprob }), ...(top.length > 0 && { top }) }
}

function alternative(entry: Json): TopLogprob {
  const bytes = asBytes(entry.bytes)
  const text = asText(entry.token) ?? (bytes ? new TextDecoder().decode(bytes) : '')
  return { text, logprob: logprobOf(entry.logprob) }
}
