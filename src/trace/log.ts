import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { InputError, messageOf, UserError } from '../base/errors.ts'
import type { Event, Result } from './event.ts'
import { fold } from './fold.ts'

/**
 * The event log: JSON lines, appended one event at a time, so that a process killed at any byte loses at most the event it
 * was writing. docs/log-format.md describes it. This file knows files and lines; what an event means is `fold`'s business.
 */
export const LOG_VERSION = 1

/** Binary fields as tagged objects, so that a log is plain JSON and reads back equal. */
function encode(_key: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') }
  if (value instanceof Float32Array) return { $f32: [...value] }
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0)))
    return { $number: Object.is(value, -0) ? '-0' : String(value) }
  return value
}

function decode(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if ('$bytes' in value) return new Uint8Array(Buffer.from(value.$bytes as string, 'base64'))
  if ('$f32' in value) return Float32Array.from(value.$f32 as number[])
  if ('$number' in value) return Number(value.$number)
  return value
}

export function encodeEvent(event: Event): string {
  return JSON.stringify(event, encode)
}

export function decodeEvent(line: string): Event {
  return JSON.parse(line, decode) as Event
}

export interface LogWriter {
  write(event: Event): void
  close(): void
}

/**
 * Opens a log for one run. Refuses to write over a file that is already there.
 * @example const log = createLog('run.jsonl'); steer(engine, prompt, monitors, {}, { onEvent: log.write })
 */
export function createLog(path: string): LogWriter {
  let fd: number
  try {
    fd = openSync(path, 'wx')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'EEXIST') throw new InputError(`${path} is already there: give another --log file or remove it first`)
    throw new InputError(`cannot write the log ${path}: ${messageOf(error)}`)
  }
  const line = (text: string): void => {
    const bytes = Buffer.from(`${text}\n`)
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done)
    } catch (error) {
      throw new UserError(`cannot go on writing the log ${path}: ${messageOf(error)}`)
    }
  }
  line(JSON.stringify({ rein: 'log', version: LOG_VERSION }))
  return {
    write: (event) => line(encodeEvent(event)),
    close: () => {
      fsyncSync(fd)
      closeSync(fd)
    },
  }
}

export interface StoredRun {
  readonly events: readonly Event[]
  /** the last line was cut off while it was written; it is not among the events */
  readonly torn: boolean
  /** the run came to its end */
  readonly complete: boolean
}

/** Reads a log back. A torn last line is dropped; anything else that is wrong is an error that names the line. */
export function readLog(path: string): StoredRun {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new InputError(`cannot read the log ${path}: ${messageOf(error)}`)
  }
  return parseLog(text, path)
}

export function parseLog(text: string, name = 'log'): StoredRun {
  const lines = text.split('\n')
  const torn = lines.pop() !== ''
  const [header, ...rest] = lines
  if (header === undefined) {
    if ('{"rein":"log"'.startsWith(text.slice(0, 13))) return { events: [], torn, complete: false }
    throw new InputError(`${name} is not a rein log: its first line should be {"rein":"log","version":${LOG_VERSION}}`)
  }
  checkHeader(header, name)
  const events = rest.map((line, i) => {
    try {
      return decodeEvent(line)
    } catch {
      throw new InputError(
        `${name} is damaged at line ${i + 2}: it is not JSON; keep the lines before it to save the rest`,
      )
    }
  })
  return { events, torn, complete: events.at(-1)?.type === 'end' }
}

function checkHeader(line: string, name: string): void {
  let header: { rein?: unknown; version?: unknown } | null = null
  try {
    header = JSON.parse(line)
  } catch {}
  if (header?.rein !== 'log')
    throw new InputError(`${name} is not a rein log: its first line should be {"rein":"log","version":${LOG_VERSION}}`)
  if (header.version !== LOG_VERSION)
    throw new InputError(
      `${name} is a log of version ${String(header.version)}; this rein reads version ${LOG_VERSION}`,
    )
}

/**
 * The result of a stored run, made again from its events with no engine.
 * @example replay(readLog('run.jsonl').events).status
 */
export function replay(events: Iterable<Event>): Result {
  const state = fold()
  try {
    for (const event of events) state.apply(event)
    return state.result()
  } catch (error) {
    throw new InputError(`the log does not add up to a run: ${messageOf(error)}`)
  }
}
