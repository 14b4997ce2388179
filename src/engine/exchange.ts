import { setTimeout as sleep } from 'node:timers/promises'
import type { Finish, Token } from '../trace/token.ts'
import type { Trace } from '../trace/trace.ts'
import type { StreamOptions } from './engine.ts'
import { EngineError } from './errors.ts'
import { type Http, refusal, serverMessage } from './http.ts'
import { ndjson, sse } from './sse.ts'
import { stopMatcher } from './stops.ts'

/**
 * One streamed request from first byte to last token, the same for every dialect: retries, errors inside a 200, streams
 * that end without a reason, stop texts, length limits, aborts. What the bytes mean is the dialect's business.
 */
export interface Exchange {
  readonly path: string
  readonly body: unknown
  readonly lines: 'sse' | 'ndjson'
  readonly requestId?: string
  /** the server looks for the stop texts and keeps them in the output; else they are looked for here */
  readonly serverStops?: boolean
  /** The tokens of one event, without `finish`. */
  read(event: Json): readonly Token[] | Promise<readonly Token[]>
  /** What is left when the stream has ended well: its last token carries `finish`. Undefined: the server never said why it ended. */
  end(): readonly Token[] | undefined
  /** the reason is known, nothing more is worth waiting for */
  done(): boolean
  /** Stops generation at the server; the connection is closed after its last event, or after a while. */
  abort?(): Promise<void>
}

export type Json = Readonly<Record<string, unknown>>

/** how long a server may take to confirm an abort before its connection is closed anyway */
const ABORT_GRACE_MS = 2_000

/** Runs an exchange; it is opened again only while it has brought nothing, so a retry can lose nothing. */
export async function* exchange(
  http: Http,
  open: (attempt: number) => Exchange,
  options: StreamOptions,
): AsyncGenerator<Token> {
  for (let attempt = 0; ; attempt++) {
    let got = false
    try {
      for await (const token of once(http, open(attempt), options)) {
        got = true
        yield token
      }
      return
    } catch (error) {
      if (options.signal?.aborted) return
      if (got || attempt >= http.retries || !transient(error)) throw error
      await sleep((error as { retryAfterMs?: number }).retryAfterMs ?? 200 * 2 ** attempt, undefined, {
        ...(options.signal && { signal: options.signal }),
      }).catch(() => {})
      if (options.signal?.aborted) return
    }
  }
}

/** A server that is busy, restarting or gone for a moment; not one that answered and said no. */
function transient(error: unknown): boolean {
  if (!(error instanceof EngineError)) return false
  if (error.kind === 'unreachable' || error.kind === 'broken') return !(error instanceof StatedError)
  return [408, 429, 502, 503, 504].includes(error.status ?? 0)
}

/** The server said in the stream what is wrong: asking again would bring the same. */
class StatedError extends EngineError {}

async function* once(http: Http, ex: Exchange, options: StreamOptions): AsyncGenerator<Token> {
  if (options.signal?.aborted) return
  const line = connection(ex, options.signal)
  const bytes = http.stream(ex.path, ex.body, {
    signal: line.signal,
    ...(ex.requestId !== undefined && { requestId: ex.requestId }),
  })
  const events = ex.lines === 'sse' ? sse(bytes) : ndjson(bytes)
  const stops = ex.serverStops || !options.stop?.length ? undefined : stopMatcher(options.stop)
  let count = 0
  try {
    for await (const data of events) {
      http.onEvent?.(data)
      if (data === '[DONE]') break
      const tokens = await ex.read(parse(http.url, ex.path, data))
      for (const token of tokens) {
        // an abort that waits for the server's last event delivers nothing on the way
        if (options.signal?.aborted) break
        count += token.count ?? 1
        const stop = stops?.(token)
        if (stop !== undefined) return yield { ...token, finish: 'stop', stop }
        // a server that ignores the limit is cut off rather than believed
        if (count > options.maxTokens) return yield { text: '', count: 0, finish: 'length' }
        yield token
      }
      if (options.signal?.aborted && ex.done()) return
    }
    line.ended()
    if (options.signal?.aborted) return
    yield* closing(http.url, ex, stops)
  } finally {
    await line.close(events, ex)
  }
}

/** The held-back last tokens; a stop text may end in them. */
function* closing(url: string, ex: Exchange, stops: ReturnType<typeof stopMatcher> | undefined): Generator<Token> {
  const last = ex.end()
  // vLLM #52852, Ollama #17118: HTTP 200, no finish reason, no [DONE]
  if (!last)
    throw new EngineError('broken', `${url} ended the stream without a finish reason: the server's log may say why`)
  for (const token of last) {
    const stop = stops?.(token)
    if (stop !== undefined) return yield { ...token, finish: 'stop', stop }
    yield token
  }
}

/** The connection's own abort: at once where closing is how a server is told, after its confirmation where it must be asked. */
function connection(ex: Exchange, signal: AbortSignal | undefined) {
  const controller = new AbortController()
  let over = false
  let asked: Promise<void> | undefined
  let grace: NodeJS.Timeout | undefined
  const ask = (): void => {
    if (over || asked) return
    if (!ex.abort) {
      controller.abort(signal?.reason)
      return
    }
    asked = ex.abort().catch(() => {})
    grace = setTimeout(() => controller.abort(), ABORT_GRACE_MS)
  }
  signal?.addEventListener('abort', ask, { once: true })
  return {
    signal: controller.signal,
    ended() {
      over = true
    },
    async close(events: AsyncGenerator<string>, { done }: Exchange) {
      signal?.removeEventListener('abort', ask)
      if (!over && ex.abort && !controller.signal.aborted && !done()) {
        ask()
        await asked
        await drain(events, ex)
      }
      clearTimeout(grace)
      controller.abort()
      await events.return(undefined).catch(() => {})
    },
  }
}

async function drain(events: AsyncGenerator<string>, ex: Exchange): Promise<void> {
  try {
    for (let next = await events.next(); !next.done && !ex.done(); next = await events.next())
      if (next.value !== '[DONE]') await ex.read(JSON.parse(next.value) as Json)
  } catch {
    // the stream is being thrown away; how it ends does not matter
  }
}

function parse(url: string, path: string, data: string): Json {
  let event: Json
  try {
    event = JSON.parse(data) as Json
  } catch {
    throw new EngineError('broken', `${url}${path} sent something that is not JSON in its stream: ${data.slice(0, 80)}`)
  }
  if (event.error !== undefined && event.error !== null) {
    // a failure after HTTP 200 comes as a data line (vLLM, SGLang, llama.cpp, Ollama)
    const { kind } = refusal(url, path, 400, data)
    throw new StatedError(
      kind === 'context' ? 'context' : 'broken',
      `${url} broke the stream off with an error: ${serverMessage(data)}`,
    )
  }
  return event
}

/** The last tokens with the reason why they are the last. An end-of-turn token keeps its id but adds no text. */
export function finished(held: readonly Token[], finish: Finish, extra: Partial<Token> = {}): Token[] {
  const last = held.at(-1)
  if (!last) return [{ text: '', count: 0, finish, ...extra }]
  const { bytes, text, ...rest } = last
  const shown = finish === 'eos' ? { text: '' } : { text, ...(bytes && { bytes }) }
  return [...held.slice(0, -1), { ...rest, ...shown, finish, ...extra }]
}

/** The ids to send for a trace; undefined when one is missing. An end-of-turn token is not sent: what follows it brings its own. */
export function idsOf(trace: Trace): number[] | undefined {
  const ids: number[] = []
  for (const token of trace.tokens()) {
    if (token.finish === 'eos') continue
    if (token.id !== undefined) ids.push(token.id)
    else if (token.text !== '' || token.bytes) return undefined
  }
  return ids
}

/** Refuses a prompt that cannot fit, before it is sent; and asks for no more than what fits. */
export function fitting(prompt: number, maxTokens: number, context: number): number {
  if (prompt >= context)
    throw new EngineError(
      'context',
      `the prompt is ${prompt} tokens and the model's context is ${context}: shorten it or serve the model with a longer context`,
    )
  return Math.max(1, Math.min(maxTokens, context - prompt))
}
