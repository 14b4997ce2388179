import { EngineError } from './errors.ts'

/**
 * Bytes from a server, cut anywhere, to lines and to server-sent events. Knows nothing of what the data means.
 * Own code rather than a library, because a cut-off last event must be handed on (a server that dies after its finish
 * reason has still finished) and because one reader serves SSE and NDJSON alike.
 */

/** A line longer than this is not a token stream; reading on would only fill the memory. */
export const MAX_LINE = 8 << 20

/** Whole lines without their ends (\n, \r\n or \r), the last one also without an end. */
export async function* lines(chunks: AsyncIterable<Uint8Array>, maxLine = MAX_LINE): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  // a \r at the end of a chunk may be half of \r\n
  let swallow = false
  const take = function* (text: string): Generator<string> {
    let from = 0
    if (swallow && text !== '') {
      swallow = false
      if (text[0] === '\n') from = 1
    }
    for (let at = from; at < text.length; at++) {
      const c = text.charCodeAt(at)
      if (c !== 10 && c !== 13) continue
      const line = rest + text.slice(from, at)
      rest = ''
      if (c === 13) {
        if (at + 1 === text.length) swallow = true
        else if (text.charCodeAt(at + 1) === 10) at++
      }
      from = at + 1
      yield line
    }
    rest += text.slice(from)
    if (rest.length > maxLine)
      throw new EngineError(
        'broken',
        `the server sent a line of more than ${maxLine} characters: is it a token stream?`,
      )
  }
  for await (const chunk of chunks) yield* take(decoder.decode(chunk, { stream: true }))
  yield* take(decoder.decode())
  if (rest !== '') yield rest
}

/**
 * The data of each server-sent event. Comments (": ping") are skipped, `data:` is taken with and without its space, several
 * data lines are one event, other fields are ignored.
 */
export async function* sse(chunks: AsyncIterable<Uint8Array>, maxLine = MAX_LINE): AsyncGenerator<string> {
  let data: string | undefined
  for await (const line of lines(chunks, maxLine)) {
    if (line === '') {
      if (data !== undefined) yield data
      data = undefined
    } else if (line.startsWith('data:')) {
      const value = line.startsWith('data: ') ? line.slice(6) : line.slice(5)
      data = data === undefined ? value : `${data}\n${value}`
      if (data.length > maxLine)
        throw new EngineError('broken', `the server sent an event of more than ${maxLine} characters`)
    } else if (line.startsWith('{"error"')) {
      // some servers write a bare JSON error into a stream that has begun
      yield line
    }
  }
  if (data !== undefined) yield data
}

/** One JSON text a line; empty lines are skipped. */
export async function* ndjson(chunks: AsyncIterable<Uint8Array>, maxLine = MAX_LINE): AsyncGenerator<string> {
  for await (const line of lines(chunks, maxLine)) if (line.trim() !== '') yield line
}
