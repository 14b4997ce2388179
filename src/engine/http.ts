import { Agent, type Dispatcher, request } from 'undici'
import { InputError, messageOf } from '../base/errors.ts'
import { EngineError } from './errors.ts'

/**
 * One server over HTTP: JSON calls and byte streams, with timeouts of our own. Knows no dialect. Every failure is an
 * EngineError whose sentence names the server.
 */
export interface HttpOptions {
  /** sent as `Authorization: Bearer …` */
  readonly apiKey?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly timeouts?: Partial<Timeouts>
  /** how often a request that brought nothing is sent again; 2 unless given */
  readonly retries?: number
  /** sees each event of each stream as it came, for diagnosis */
  onEvent?(data: string): void
}

export interface Timeouts {
  readonly connectMs: number
  /** until the first byte of an answer: prompt processing and model loading happen here */
  readonly firstMs: number
  /** between two pieces of a stream */
  readonly silenceMs: number
}

export const defaultTimeouts: Timeouts = { connectMs: 10_000, firstMs: 300_000, silenceMs: 60_000 }

export interface Http {
  readonly url: string
  readonly timeouts: Timeouts
  readonly retries: number
  readonly onEvent: HttpOptions['onEvent']
  get(path: string, signal?: AbortSignal): Promise<unknown>
  post(path: string, body: unknown, signal?: AbortSignal): Promise<unknown>
  /** GET as text, whatever the status; undefined where the server cannot be read */
  probe(path: string, signal?: AbortSignal): Promise<{ status: number; text: string } | undefined>
  stream(path: string, body: unknown, options: StreamCall): AsyncGenerator<Uint8Array>
  close(): Promise<void>
}

export interface StreamCall {
  readonly signal: AbortSignal
  readonly requestId?: string
}

/** @example const http = httpClient('http://localhost:8000'); await http.get('/v1/models') */
export function httpClient(url: string, options: HttpOptions = {}): Http {
  const base = baseUrl(url)
  const timeouts = { ...defaultTimeouts, ...options.timeouts }
  // undici's own timers would end a long think (headersTimeout, bodyTimeout: 300 s); stalls are timed below instead
  const agent = new Agent({
    connect: { timeout: timeouts.connectMs },
    headersTimeout: 0,
    bodyTimeout: 0,
    connections: null,
    pipelining: 1,
  })
  const headers = requestHeaders(options)

  const send = async (
    method: 'GET' | 'POST',
    path: string,
    body: unknown,
    signal: AbortSignal | undefined,
    extra: Record<string, string> = {},
  ): Promise<Dispatcher.ResponseData> => {
    try {
      return await request(base + path, {
        dispatcher: agent,
        method,
        headers: { ...headers, ...extra, ...(body !== undefined && { 'content-type': 'application/json' }) },
        body: body === undefined ? null : JSON.stringify(body),
        signal: signal ?? null,
      })
    } catch (error) {
      throw unreachable(base, error, signal)
    }
  }

  const call = async (method: 'GET' | 'POST', path: string, body: unknown, signal?: AbortSignal): Promise<unknown> => {
    const patience = AbortSignal.timeout(timeouts.firstMs)
    const both = signal ? AbortSignal.any([signal, patience]) : patience
    const response = await send(method, path, body, both)
    const text = await readText(base, response, both)
    if (response.statusCode >= 400) throw refusal(base, path, response.statusCode, text)
    return parseJson(base, path, text)
  }

  return {
    url: base,
    timeouts,
    retries: options.retries ?? 2,
    onEvent: options.onEvent,
    get: (path, signal) => call('GET', path, undefined, signal),
    post: (path, body, signal) => call('POST', path, body, signal),
    async probe(path, signal) {
      const patience = AbortSignal.timeout(Math.min(timeouts.firstMs, 10_000))
      const both = signal ? AbortSignal.any([signal, patience]) : patience
      const response = await send('GET', path, undefined, both)
      return { status: response.statusCode, text: await readText(base, response, both) }
    },
    async *stream(path, body, { signal, requestId }) {
      const clock = stallClock(base, timeouts, signal)
      try {
        const named = requestId ? { 'x-request-id': requestId } : {}
        const response = await clock.wait(send('POST', path, body, clock.signal, named))
        if (response.statusCode >= 400)
          throw refusal(base, path, response.statusCode, await readText(base, response, clock.signal), response.headers)
        if (String(response.headers['content-type'] ?? '').includes('text/html'))
          throw notAnEngine(base, path, await readText(base, response, clock.signal))
        try {
          const chunks = response.body[Symbol.asyncIterator]()
          for (let next = await clock.wait(chunks.next()); !next.done; next = await clock.wait(chunks.next()))
            yield next.value as Uint8Array
        } finally {
          // leaving early must reach the server: a destroyed body closes the connection
          response.body.destroy()
        }
      } catch (error) {
        throw clock.verdict(error)
      } finally {
        clock.stop()
      }
    },
    close: () => agent.destroy(),
  }
}

function baseUrl(url: string): string {
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch {
    throw new InputError(`"${url}" is not a URL: write it as http://HOST:PORT`)
  }
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')
    throw new InputError(`"${url}" is not an http URL: write it as http://HOST:PORT`)
  return `${parsed.origin}${parsed.pathname}`.replace(/\/+$/, '').replace(/\/v1$/, '')
}

/** llama.cpp goes on generating after a disconnect when X-Conversation-Id is set, so it is never sent on. */
function requestHeaders({ apiKey, headers = {} }: HttpOptions): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'x-conversation-id')
  return { ...(apiKey && { authorization: `Bearer ${apiKey}` }), ...Object.fromEntries(kept) }
}

/**
 * Two timers in one: the first byte, then each silence. They run only while the server is waited for, so that a slow reader is
 * never taken for a slow server. The caller's abort goes through here too.
 */
function stallClock(url: string, timeouts: Timeouts, signal: AbortSignal) {
  const controller = new AbortController()
  const abort = (): void => controller.abort(signal.reason)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  let stalled: EngineError | undefined
  let waits = 0
  let waiting = false
  let streaming = false
  const expired = (): void => {
    const wait = waits
    // on a busy event loop the timer may come before bytes that have long arrived: they get one more turn
    setImmediate(() => {
      if (!waiting || wait !== waits) return
      const [ms, what] = streaming
        ? [timeouts.silenceMs, 'fell silent in the middle of a stream']
        : [timeouts.firstMs, 'sent nothing']
      stalled = new EngineError('timeout', `${url} ${what} for ${ms / 1000} s: is the server overloaded or stuck?`)
      controller.abort(stalled)
    })
  }
  let timer = setTimeout(expired, timeouts.firstMs)
  return {
    signal: controller.signal,
    async wait<T>(promise: Promise<T>): Promise<T> {
      waits++
      waiting = true
      timer.refresh()
      try {
        return await promise
      } finally {
        waiting = false
        if (waits === 2) {
          // the headers and the first bytes are here
          streaming = true
          clearTimeout(timer)
          timer = setTimeout(expired, timeouts.silenceMs)
        }
      }
    },
    stop() {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    },
    /** what was really wrong when something threw */
    verdict(error: unknown): unknown {
      if (stalled) return stalled
      if (error instanceof EngineError || signal.aborted) return error
      return new EngineError('broken', `${url} broke the stream off: ${messageOf(error)}`, { cause: error })
    },
  }
}

async function readText(url: string, response: Dispatcher.ResponseData, signal?: AbortSignal): Promise<string> {
  try {
    return await response.body.text()
  } catch (error) {
    throw unreachable(url, error, signal)
  }
}

function parseJson(url: string, path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw notAnEngine(url, path, text)
  }
}

function notAnEngine(url: string, path: string, text: string): EngineError {
  const what = /^\s*</.test(text) ? 'a web page' : 'something that is not JSON'
  return new EngineError('refused', `${url}${path} answers with ${what}: is this the address of a model server?`)
}

function unreachable(url: string, error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted && (signal.reason as { name?: string } | undefined)?.name === 'TimeoutError')
    return new EngineError('timeout', `${url} did not answer in time: is the server overloaded or stuck?`)
  if (signal?.aborted) return error
  const code = (error as { code?: string }).code ?? messageOf(error)
  const why: Record<string, string> = {
    ECONNREFUSED: 'nothing listens there',
    ENOTFOUND: 'there is no such host',
    EAI_AGAIN: 'the host name cannot be looked up',
    UND_ERR_CONNECT_TIMEOUT: 'it did not answer the connection in time',
    UND_ERR_SOCKET: 'the connection was closed',
    ECONNRESET: 'the connection was reset',
  }
  return new EngineError('unreachable', `${url} cannot be reached (${why[code] ?? code}): is the server running?`, {
    cause: error,
  })
}

const tooLong =
  /context (length|size|window)|maximum (context|model) length|max_model_len|exceeds? .*context|input is too long|longer than the model|truncat/i

/** A refusal in the server's own words, with its kind where they tell it. */
export function refusal(
  url: string,
  path: string,
  status: number,
  text: string,
  headers: Readonly<Record<string, unknown>> = {},
): EngineError {
  const said = serverMessage(text)
  if (status < 500 && tooLong.test(said))
    return new EngineError('context', `the prompt is too long for ${url} (${said}): shorten it or raise the context`, {
      status,
    })
  const mend =
    status === 401 || status === 403
      ? 'give a key with REIN_API_KEY'
      : status === 404
        ? 'is this the address of a model server?'
        : status === 429 || status === 503
          ? 'the server is busy, try later'
          : "the server's log may say more"
  const error = new EngineError('refused', `${url}${path} answered ${status} (${said}): ${mend}`, { status })
  const after = Number(headers['retry-after'])
  return Number.isFinite(after) ? Object.assign(error, { retryAfterMs: Math.min(after, 30) * 1000 }) : error
}

/** The first sentence of an error body, whatever its shape: {error:{message}}, {error:"…"}, {message}, {detail}, text, HTML. */
export function serverMessage(text: string): string {
  let said: unknown = text
  try {
    const body = JSON.parse(text) as Record<string, unknown>
    const error = body.error as { message?: unknown } | string | undefined
    said = (typeof error === 'object' ? error?.message : error) ?? body.message ?? body.detail ?? text
  } catch {
    if (/^\s*</.test(text)) return 'a web page'
  }
  const line = (typeof said === 'string' ? said : JSON.stringify(said)).split('\n')[0]!.trim()
  return line === '' ? 'no reason given' : line.length > 300 ? `${line.slice(0, 300)} …` : line
}
