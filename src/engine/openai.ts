import type { Token } from '../trace/token.ts'
import { Trace } from '../trace/trace.ts'
import type { Message } from '../trace/words.ts'
import type { Abilities, Engine, StreamOptions } from './engine.ts'
import { EngineError } from './errors.ts'
import { type Exchange, exchange, finished, type Json } from './exchange.ts'
import { type Http, httpClient } from './http.ts'
import {
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
} from './remote.ts'
import { messagesOf } from './templates.ts'

type Limit = 'max_tokens' | 'max_completion_tokens'

const OPEN = '<think>\n'
const CLOSE = '\n</think>\n\n'

/**
 * Any OpenAI-compatible chat server. It cannot continue a half-written message, so a run can be steered only between turns,
 * which `can.resume` says. Thinking that comes in a field of its own is put between tags, so that a trace reads alike everywhere.
 * @example const engine = await openai('https://host/v1', { model: 'some-model', apiKey })
 */
export async function openai(url: string, options: RemoteOptions = {}): Promise<Engine> {
  const http = httpClient(url, options)
  const cards = await modelCards(http).catch((error: unknown) => {
    // a proxy may offer the chat alone
    if (options.model !== undefined && (error as EngineError).kind === 'refused') return []
    throw error
  })
  const model = pickModel(
    http.url,
    cards.map(({ id }) => id),
    options.model,
  )
  const can: Abilities = {
    ids: false,
    topLogprobs: 20,
    attentionEntropy: false,
    seed: true,
    fork: 'reprefill',
    resume: 'turn',
    context: options.context ?? cards.find(({ id }) => id === model)?.context ?? Number.POSITIVE_INFINITY,
  }
  let limitField: Limit = 'max_tokens'
  /** OpenAI's own reasoning models know only max_completion_tokens, many others only max_tokens. */
  async function* asked(ask: (limit: Limit) => AsyncIterable<Token>): AsyncGenerator<Token> {
    try {
      yield* ask(limitField)
    } catch (error) {
      if (limitField !== 'max_tokens' || !/max_completion_tokens/.test((error as Error).message)) throw error
      limitField = 'max_completion_tokens'
      yield* ask(limitField)
    }
  }
  return {
    name: 'openai',
    model,
    can,
    markers: {
      thinkOpen: '<think>',
      thinkClose: '</think>',
      thinkOpened: false,
      userTurn: (text) => `\n\nuser: ${text}\n\nassistant: `,
    },
    async begin(prompt) {
      const messages = messagesOf(prompt)
      if (!messages)
        throw new EngineError('unsupported', 'a chat server takes messages, not raw text: give the prompt as messages')
      const text = messages.map(({ role, content }) => `${role}: ${content}\n\n`).join('')
      return Trace.begin(prompt, [{ text: `${text}assistant: ` }])
    },
    encode: async (text) => (text === '' ? [] : [{ text }]),
    stream(prefix, stream) {
      assertAble('openai', can, stream)
      const messages = conversation(prefix)
      return asked((limit) => exchange(http, () => request(http, model, messages, stream, limit), stream))
    },
    close: () => http.close(),
  }
}

/** The chat so far: the prompt's messages, then what the model said and what it was told, turn by turn. Thinking is not sent back. */
export function conversation(trace: Trace): Message[] {
  const out: Message[] = [...(messagesOf(trace.prompt) ?? [])]
  let said = ''
  for (const segment of trace.segments) {
    if (segment.origin === 'prompt') continue
    if (!segment.turn) {
      said += trace.slice(segment.textStart, segment.textEnd)
      continue
    }
    out.push({ role: 'assistant', content: withoutThinking(said) }, { role: 'user', content: segment.turn.content })
    said = ''
  }
  if (said !== '')
    throw new EngineError(
      'unsupported',
      'a chat server cannot continue a half-written message: steer it between turns, or serve the model with vLLM, SGLang, llama.cpp or Ollama',
    )
  return out
}

function withoutThinking(text: string): string {
  const close = text.lastIndexOf('</think>')
  return close >= 0 ? text.slice(close + '</think>'.length).trimStart() : text
}

function request(
  http: Http,
  model: string,
  messages: readonly Message[],
  stream: StreamOptions,
  limit: Limit,
): Exchange {
  const { temperature, topP, seed } = samplingOf(stream)
  const k = stream.topLogprobs ?? 0
  return {
    path: '/v1/chat/completions',
    lines: 'sse',
    ...(stream.requestId && { requestId: stream.requestId }),
    ...reader(http, stream),
    body: {
      model,
      messages,
      [limit]: stream.maxTokens,
      temperature,
      top_p: topP,
      ...(seed !== undefined && { seed }),
      stream: true,
      stream_options: { include_usage: true },
      ...(k > 0 && { logprobs: true, top_logprobs: k }),
      // no stop texts: they would be cut off the output
    },
  }
}

function reader(http: Http, stream: StreamOptions): Pick<Exchange, 'read' | 'end' | 'done'> {
  let reason: string | undefined
  let thinking = false
  let thought = false
  let counted = 0
  let usage: Json = {}
  const tagged = (tag: string): Token => ({ text: tag, count: 0 })
  return {
    read(event) {
      if (event.usage) usage = asObject(event.usage)
      const choice = asObject(asList(event.choices)[0])
      reason = asText(choice.finish_reason) ?? reason
      const delta = asObject(choice.delta)
      // vLLM renamed reasoning_content to reasoning in v0.11.1 and sent both for a while: one of them, never both
      const thoughts = asText(delta.reasoning_content) || asText(delta.reasoning) || ''
      const said = asText(delta.content) ?? ''
      const out: Token[] = []
      if (thoughts !== '') {
        if (!thought) out.push(tagged(OPEN))
        thought = thinking = true
        out.push({ text: thoughts })
      }
      if (said !== '') {
        if (thinking) out.push(tagged(CLOSE))
        thinking = false
        out.push(...chunkTokens(said, asObject(choice.logprobs), stream))
      }
      for (const token of out) counted += token.count ?? 1
      return out
    },
    done: () => reason !== undefined,
    end() {
      if (reason === undefined) return undefined
      const prompt = asNumber(usage.prompt_tokens)
      const cached = asNumber(asObject(usage.prompt_tokens_details).cached_tokens)
      const missing = Math.max(0, (asNumber(usage.completion_tokens) ?? counted) - counted)
      const extra = {
        ...(prompt !== undefined && { usage: { prompt, ...(cached !== undefined && { cached }) } }),
        // a chunk is not a token; the server's total puts the bill right
        count: missing,
      }
      if (reason === 'length') return finished([], 'length', extra)
      if (reason === 'stop') return finished([], 'eos', extra)
      throw new EngineError('broken', `${http.url} ended the stream with the reason "${reason}"`)
    },
  }
}

function chunkTokens(text: string, logprobs: Json, stream: StreamOptions): Token[] {
  const entries = asList(logprobs.content).map(asObject)
  if (entries.length === 0 || entries.map((e) => asText(e.token) ?? '').join('') !== text)
    return [{ text, ...(entries.length > 1 && { count: entries.length }) }]
  return entries.map((entry) => {
    const logprob = asNumber(entry.logprob)
    const top = stream.topLogprobs
      ? asList(entry.top_logprobs).map((raw) => {
          const alternative = asObject(raw)
          return { text: asText(alternative.token) ?? '', logprob: logprobOf(alternative.logprob) }
        })
      : []
    return {
      text: asText(entry.token) ?? '',
      ...(logprob !== undefined && { logprob }),
      ...(top.length > 0 && { top }),
    }
  })
}
