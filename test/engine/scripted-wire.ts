import type { ServerResponse } from 'node:http'
import type { Random } from '../../src/base/random.ts'
import type { Dialect } from './scripted-dialects.ts'
import type { Faults } from './scripted-server.ts'

/** Puts events on the wire, cut as the faults say. */
export function writer(dialect: Dialect, response: ServerResponse, faults: Faults, rng: Random) {
  const eol = faults.crlf ? '\r\n' : '\n'
  const frame = (data: string): string => {
    if (dialect === 'ollama') return `${data}\n`
    const lines = faults.multiline ? data.split('\n') : [data]
    const ping = faults.comments && rng.chance(0.3) ? `: ping${eol}${eol}` : ''
    return `${ping}${lines.map((line) => `data:${faults.noSpace ? '' : ' '}${line}`).join(eol)}${eol}${eol}`
  }
  const write = (chunk: string): Promise<void> | undefined => {
    if (!faults.cut) {
      if (!response.write(chunk)) return drained(response)
      return undefined
    }
    return cutWrite(response, Buffer.from(chunk), faults.cut, rng)
  }
  return {
    open() {
      response.writeHead(200, {
        'content-type': dialect === 'ollama' ? 'application/x-ndjson' : 'text/event-stream',
      })
      response.flushHeaders()
    },
    raw: (chunk: string): void => void response.write(frame(chunk)),
    events(events: unknown[], last: boolean): Promise<void> | undefined {
      const indent = faults.multiline && dialect !== 'ollama' ? 1 : undefined
      const done = last && dialect !== 'ollama' && dialect !== 'llamacpp' ? frame('[DONE]') : ''
      const chunk = events.map((event) => frame(JSON.stringify(event, undefined, indent))).join('') + done
      return chunk === '' ? undefined : write(chunk)
    },
    end: (): void => void response.end(),
  }
}

const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    if (response.destroyed || response.closed) return resolve()
    const done = (): void => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
  })

async function cutWrite(response: ServerResponse, bytes: Buffer, cut: number, rng: Random): Promise<void> {
  for (let at = 0; at < bytes.length && !response.destroyed; ) {
    const size = rng.int(1, cut)
    response.write(bytes.subarray(at, at + size))
    at += size
    // a turn of the event loop now and then, so that pieces do not melt into one packet
    if (rng.chance(0.05)) await new Promise(setImmediate)
  }
}
