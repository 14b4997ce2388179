/**
 * Speaks to one `lean --worker` (Lean's own language server for one document) over its pipes. The document is replaced for
 * each check; Lean keeps what its imports loaded, so only the first check pays for them.
 * Knows nothing of tasks, verdicts or where Lean comes from.
 */
import type { ChildProcess } from 'node:child_process'

export interface LeanMessage {
  readonly severity: 'error' | 'warning' | 'info'
  /** counted from 1, as Lean prints it */
  readonly line: number
  readonly column: number
  readonly text: string
}

export interface LeanWorker {
  /** Every message of the whole file. Rejects when the process ends or the signal is aborted; then `close` it. */
  check(text: string, signal?: AbortSignal): Promise<LeanMessage[]>
  readonly alive: boolean
  close(): void
}

interface Incoming {
  readonly id?: number | string
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: unknown
  readonly error?: { readonly message?: string }
}

interface LspDiagnostic {
  readonly severity?: number
  readonly message: string
  readonly range: { readonly start: { readonly line: number; readonly character: number } }
  readonly fullRange?: { readonly start: { readonly line: number; readonly character: number } }
}

const uri = 'file:///rein/check.lean'
const severities = { 1: 'error', 2: 'warning' } as const

/** ASCII only: some builds of Lean cut their input in the middle of a character. */
export function frame(message: object): string {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message }).replace(
    /[\u0080-\uffff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `Content-Length: ${body.length}\r\n\r\n${body}`
}

/**
 * Cuts a byte stream into messages. Lines that are not part of one (debug output on the same pipe) are dropped.
 * @example const read = unframe((m) => console.log(m)); child.stdout.on('data', read)
 */
export function unframe(each: (message: Incoming) => void): (chunk: Buffer) => void {
  let held = Buffer.alloc(0)
  return (chunk) => {
    held = Buffer.concat([held, chunk])
    for (;;) {
      const text = held.toString('latin1')
      const head = /Content-Length: (\d+)\r?\n(?:[\w-]+: [^\n]*\n)*\r?\n/.exec(text)
      if (head === null) return
      const start = head.index + head[0].length
      const end = start + Number(head[1])
      if (held.length < end) return
      const body = held.subarray(start, end).toString('utf8')
      held = held.subarray(end)
      let message: Incoming
      try {
        message = JSON.parse(body) as Incoming
      } catch {
        continue
      }
      each(message)
    }
  }
}

/** @example const worker = leanWorker(spawn('lean', ['--worker'])); await worker.check('#eval 1') */
export function leanWorker(child: ChildProcess): LeanWorker {
  let version = 0
  let alive = true
  let queue: Promise<unknown> = Promise.resolve()
  let ended: (error: Error) => void = () => {}
  const waiting = new Map<number, (answer: Incoming) => void>()
  const found = new Map<number, Map<string, LspDiagnostic>>()
  const gone = new Promise<never>((_, reject) => {
    ended = reject
  })
  gone.catch(() => {})
  const end = (why: string) => {
    alive = false
    ended(new Error(why))
  }
  child.on('error', (e) => end(`Lean could not be started: ${e.message}`))
  child.on('exit', (code, sig) => {
    const last = said.split('\n').findLast((l) => l.trim() !== '' && !l.startsWith('['))
    end(`Lean ended (${sig ?? code})${last ? `: ${last.trim().slice(0, 200)}` : ''}`)
  })
  child.stdin?.on('error', () => end('Lean closed its input'))
  const receive = (m: Incoming) => {
    if (m.method === 'textDocument/publishDiagnostics') collect(found, m.params)
    else if (m.method === undefined && typeof m.id === 'number') waiting.get(m.id)?.(m)
  }
  child.stdout?.on('data', unframe(receive))
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString('utf8')).slice(-2000)
  })
  const send = (message: object) => alive && child.stdin?.write(frame(message))

  async function once(text: string, signal?: AbortSignal): Promise<LeanMessage[]> {
    if (!alive) throw new Error('Lean is not running')
    signal?.throwIfAborted()
    const v = ++version
    found.clear()
    found.set(v, new Map())
    if (v === 1) begin(send, text)
    else
      send({
        method: 'textDocument/didChange',
        params: { textDocument: { uri, version: v }, contentChanges: [{ text }] },
      })
    const answered = new Promise<Incoming>((resolve) => waiting.set(v, resolve))
    send({ id: v, method: 'textDocument/waitForDiagnostics', params: { uri, version: v } })
    let stop = () => {}
    const aborted = new Promise<never>((_, reject) => {
      stop = () => reject(signal?.reason ?? new Error('aborted'))
      signal?.addEventListener('abort', stop, { once: true })
    })
    try {
      const answer = await Promise.race([answered, gone, aborted])
      if (answer.error) throw new Error(answer.error.message ?? 'Lean refused the check')
      return [...found.get(v)!.values()].map(toMessage).sort((a, b) => a.line - b.line || a.column - b.column)
    } finally {
      waiting.delete(v)
      signal?.removeEventListener('abort', stop)
    }
  }
  return {
    check(text, signal) {
      const done = queue.then(() => once(text, signal))
      queue = done.catch(() => {})
      return done
    },
    get alive() {
      return alive
    },
    close: () => end('Lean was closed'),
  }
}

function begin(send: (message: object) => unknown, text: string): void {
  const params = { processId: null, rootUri: null, capabilities: {}, initializationOptions: { hasWidgets: false } }
  send({ id: 0, method: 'initialize', params })
  const textDocument = { uri, languageId: 'lean4', version: 1, text }
  send({ method: 'textDocument/didOpen', params: { textDocument, dependencyBuildMode: 'never' } })
}

/** Lean publishes a file's messages again and again while it works; the union over one version is the whole. */
function collect(found: Map<number, Map<string, LspDiagnostic>>, params?: Record<string, unknown>): void {
  const messages = found.get(Number(params?.version))
  if (messages === undefined || !Array.isArray(params?.diagnostics)) return
  for (const d of params.diagnostics as LspDiagnostic[]) {
    const { line, character } = (d.fullRange ?? d.range).start
    messages.set(`${line}:${character}:${d.severity}:${d.message}`, d)
  }
}

function toMessage(d: LspDiagnostic): LeanMessage {
  const { line, character } = (d.fullRange ?? d.range).start
  const severity = severities[d.severity as 1 | 2] ?? 'info'
  return { severity, line: line + 1, column: character, text: d.message }
}
