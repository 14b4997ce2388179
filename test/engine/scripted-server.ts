import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Random, random } from '../../src/base/random.ts'
import { type Asked, type Dialect, type End, type Quirks, stopIn, voice } from './scripted-dialects.ts'
import { continuation, EOS, pieces, type Sampled, VOCABULARY } from './scripted-model.ts'
import { answer, paths, readRequest } from './scripted-requests.ts'
import { writer } from './scripted-wire.ts'

/**
 * One server that speaks five dialects byte by byte, with every fault that real ones have shown. It generates a deterministic
 * function of prefix and seed, records what it was asked and who hung up, and counts its live streams, so it serves as a load
 * target too.
 */
export interface Faults extends Quirks {
  /** the response is written in pieces of 1 to this many bytes, so that every event and character is cut somewhere */
  readonly cut?: number
  /** 1 to this many tokens an event */
  readonly group?: number
  readonly comments?: boolean
  /** `data:` without a space, \r\n for line ends, each JSON over several data lines */
  readonly noSpace?: boolean
  readonly crlf?: boolean
  readonly multiline?: boolean
  /** after so many tokens: an error line in the 200, the end without a reason, silence, a reset */
  readonly errorAfter?: number
  readonly endAfter?: number
  readonly stallAfter?: number
  readonly resetAfter?: number
  readonly noDone?: boolean
  readonly errorMessage?: string
  /** instead of a stream: this status, a web page, or text that is no JSON */
  readonly status?: number
  readonly body?: string
  readonly html?: boolean
  readonly garbage?: boolean
  readonly ignoreLimit?: boolean
  /** a limit of the server's own, whatever was asked for */
  readonly limit?: number
  /** goes on generating when the client has gone */
  readonly deaf?: boolean
  /** SGLang: how long an abort takes to be confirmed */
  readonly abortMs?: number
  readonly firstMs?: number
  /** the first token waits for this */
  readonly hold?: Promise<unknown>
  readonly tokenMs?: number
}

export interface ScriptedOptions {
  readonly dialect: Dialect
  /** for each stream, by its number; a constant for all */
  readonly faults?: Faults | ((stream: number, asked: Asked) => Faults)
  /** the model ends its turn after about so many tokens */
  readonly lasting?: number
  /** what the model says instead of its own tokens, as ids; an end of turn is added */
  readonly say?: (asked: Asked) => readonly number[] | undefined
  /** seeds the cuts */
  readonly seed?: number
}

export interface Recorded {
  readonly path: string
  readonly body: Record<string, unknown>
  readonly headers: Readonly<Record<string, unknown>>
}

export interface ScriptedServer {
  readonly url: string
  readonly requests: Recorded[]
  /** streams begun, ended well, and left by the client before their end */
  readonly begun: number
  readonly finished: number
  readonly aborted: number
  /** SGLang: streams whose client hung up without an abort request, which go on generating */
  readonly leaked: number
  readonly live: number
  readonly peak: number
  readonly generated: number
  /** resolves when no stream is live */
  idle(ms?: number): Promise<boolean>
  close(): Promise<void>
}

export async function scriptedServer(options: ScriptedOptions): Promise<ScriptedServer> {
  const { dialect, lasting = 40 } = options
  const rng = random(options.seed ?? 1)
  const constant = typeof options.faults === 'object' ? options.faults : {}
  const requests: Recorded[] = []
  const count = { begun: 0, finished: 0, aborted: 0, leaked: 0, live: 0, peak: 0, generated: 0 }
  const cancels = new Map<string, (() => void)[]>()
  const sockets = new Set<Socket>()

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '/').split('?')[0]!
    const body = await readBody(request)
    requests.push({ path, body, headers: request.headers })
    if (path === '/abort_request') {
      // by prefix, as SGLang's scheduler does
      for (const [id, stops] of cancels) if (id.startsWith(String(body.rid))) for (const stop of stops) stop()
      return json(response, 200, {})
    }
    if (path !== paths[dialect]) {
      const reply = gauges(dialect, path, count.live) ?? answer(dialect, path, body, constant)
      if (typeof reply === 'string') return text(response, 200, reply, 'text/plain')
      return json(response, reply === undefined ? 404 : 200, reply ?? { error: 'not found' })
    }
    const wrong = nonsense(dialect, body)
    if (wrong) return json(response, 400, { error: { message: wrong } })
    const asked = readRequest(dialect, body)
    const faults = typeof options.faults === 'function' ? options.faults(count.begun, asked) : (options.faults ?? {})
    count.begun++
    if (faults.status !== undefined)
      return text(
        response,
        faults.status,
        faults.body ?? JSON.stringify({ error: { message: faults.errorMessage ?? 'no' } }),
      )
    if (faults.html) return text(response, 200, '<!doctype html><title>hello</title>', 'text/html')
    count.live++
    count.peak = Math.max(count.peak, count.live)
    const state = { cancelled: false, gone: false }
    response.on('close', () => {
      state.gone = !response.writableFinished
    })
    cancels.set(asked.id, [...(cancels.get(asked.id) ?? []), () => (state.cancelled = true)])
    try {
      await speak(response, asked, faults, state)
      if (state.cancelled || state.gone) count.aborted++
      else count.finished++
      if (state.gone && dialect === 'sglang' && !state.cancelled) count.leaked++
    } finally {
      cancels.delete(asked.id)
      count.live--
      if (!response.writableEnded) response.end()
    }
  }

  const speak = async (
    response: ServerResponse,
    asked: Asked,
    faults: Faults,
    state: { cancelled: boolean; gone: boolean },
  ): Promise<void> => {
    const out = writer(dialect, response, faults, rng.split(count.begun))
    const say = voice(dialect, asked, faults).say
    if (faults.firstMs) await sleep(faults.firstMs)
    await faults.hold
    out.open()
    if (faults.garbage) return out.raw('this is no JSON')
    let sent = 0
    for (const { tokens, end } of groups(asked, options, faults, lasting, rng.split(-count.begun))) {
      if (state.gone && !faults.deaf) return
      if (state.gone) await sleep(5)
      if (state.cancelled) {
        await sleep(faults.abortMs ?? 0)
        return out.events([cancelledEvent(asked, sent)], true)
      }
      if (faults.tokenMs) await sleep(faults.tokenMs)
      if (sent >= (faults.errorAfter ?? Infinity))
        return out.events([{ error: { message: faults.errorMessage ?? 'out of memory', code: 500 } }], true)
      if (sent >= (faults.endAfter ?? Infinity)) return out.end()
      if (sent >= (faults.resetAfter ?? Infinity)) {
        // what was written has to arrive first: a reset throws away what is still on its way
        if (sent > 0) await sleep(30)
        return void response.socket?.resetAndDestroy()
      }
      if (sent >= (faults.stallAfter ?? Infinity)) {
        while (!state.gone && !state.cancelled) await sleep(5)
        return
      }
      sent += tokens.length
      count.generated += tokens.length
      const wait = out.events(say(tokens, end), end !== undefined && !faults.noDone)
      if (wait) await wait
      if (sent % 64 === 0) await new Promise(setImmediate)
    }
    out.end()
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get begun() {
      return count.begun
    },
    get finished() {
      return count.finished
    },
    get aborted() {
      return count.aborted
    },
    get leaked() {
      return count.leaked
    },
    get live() {
      return count.live
    },
    get peak() {
      return count.peak
    },
    get generated() {
      return count.generated
    },
    async idle(ms = 5_000) {
      for (const until = Date.now() + ms; count.live > 0 && Date.now() < until; ) await sleep(2)
      return count.live === 0
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const cancelledEvent = (asked: Asked, sent: number): unknown => ({
  text: '',
  output_ids: [],
  meta_info: { id: asked.id, finish_reason: { type: 'abort', message: 'Aborted' }, completion_tokens: sent },
})

/** The tokens of one reply, in the groups in which they are sent, the last with its reason. */
function* groups(
  asked: Asked,
  options: ScriptedOptions,
  faults: Faults,
  lasting: number,
  rng: Random,
): Generator<{ tokens: Sampled[]; end?: End }> {
  const said = options.say?.(asked)
  const script = said && [...said, EOS]
  const stream = continuation(asked.prefix, asked.seed, lasting)
  const next = (i: number): Sampled =>
    script ? { id: script[i] ?? EOS, logprob: -0.5, top: [] } : heated(stream.next(asked.k), asked, faults)
  // these two look for stop texts themselves and keep them
  const watching = (options.dialect === 'vllm' || options.dialect === 'sglang') && asked.stop.length > 0
  const decoder = new TextDecoder()
  let text = ''
  let group: Sampled[] = []
  for (let i = 0; ; i++) {
    const token = next(i)
    group.push(token)
    if (token.id === EOS) return yield { tokens: group, end: { reason: 'eos' } }
    if (watching) {
      text += decoder.decode(pieces[token.id], { stream: true })
      const found = stopIn(text, asked.stop)
      if (found) return yield { tokens: group, end: { reason: 'stop', text: found.stop } }
    }
    if (i + 1 >= Math.min(asked.maxTokens, faults.limit ?? Infinity) && !faults.ignoreLimit)
      return yield { tokens: group, end: { reason: 'length' } }
    if (group.length < rng.int(1, faults.group ?? 1)) continue
    yield { tokens: group }
    group = []
  }
}

/** What every server refuses. */
function nonsense(dialect: Dialect, body: Record<string, unknown>): string | undefined {
  if (typeof body.model === 'string' && !body.model.startsWith('scripted')) return `no model ${body.model}`
  const params = (body.sampling_params ?? {}) as { temperature?: number }
  if ((params.temperature ?? 0) < 0) return 'temperature must not be negative'
  const ids = dialect === 'llamacpp' && Array.isArray(body.prompt) ? body.prompt : []
  return ids.some((id) => id >= VOCABULARY) ? 'Prompt contains invalid tokens' : undefined
}

/** Logprobs as a server in processed mode gives them. */
function heated(token: Sampled, { temperature }: Asked, { processed }: Faults): Sampled {
  if (!processed || temperature === 0) return token
  return { ...token, top: token.top.map(({ id, logprob }) => ({ id, logprob: logprob / temperature })) }
}

/** What the servers tell of themselves, each in its own way. */
function gauges(dialect: Dialect, path: string, live: number): unknown {
  if (dialect === 'vllm' && path === '/metrics') return `vllm:num_requests_running{model_name="scripted"} ${live}\n`
  if (dialect === 'sglang' && path === '/metrics') return `sglang:num_running_reqs{model_name="scripted"} ${live}\n`
  if (dialect === 'llamacpp' && path === '/slots')
    return Array.from({ length: 4 }, (_, id) => ({ id, is_processing: id < live }))
  return undefined
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks).toString('utf8')
  return body === '' ? {} : (JSON.parse(body) as Record<string, unknown>)
}

const json = (response: ServerResponse, status: number, body: unknown): void =>
  text(response, status, JSON.stringify(body))

function text(response: ServerResponse, status: number, body: string, type = 'application/json'): void {
  response.writeHead(status, { 'content-type': type })
  response.end(body)
}
