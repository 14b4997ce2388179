import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { messageOf, UserError } from '../base/errors.ts'

/**
 * A file of JSON lines that only grows. A process killed at any byte leaves at most one torn line at its end, which is cut
 * off when the file is opened again; a write that fails (a full disk) is undone to the last whole line.
 */
export interface Journal {
  /** whole lines, in file order, without their line breaks */
  readonly lines: readonly string[]
  append(line: string): void
  sync(): void
  close(): void
}

/** Where bytes go; tests put a failing one here. */
export type Write = (fd: number, bytes: Uint8Array, offset: number) => number

const write: Write = (fd, bytes, offset) => writeSync(fd, bytes, offset)

export function openJournal(path: string, put: Write = write): Journal {
  const fd = attempt(path, () => openSync(path, 'a+'))
  const bytes = attempt(path, () => readFileSync(fd))
  const whole = bytes.lastIndexOf(0x0a) + 1
  if (whole < bytes.length) attempt(path, () => ftruncateSync(fd, whole))
  const text = bytes.toString('utf8', 0, whole)
  const lines = text === '' ? [] : text.slice(0, -1).split('\n')
  let length = whole
  return {
    lines,
    append(line) {
      const out = Buffer.from(`${line}\n`)
      try {
        for (let done = 0; done < out.length; ) done += put(fd, out, done)
      } catch (error) {
        ftruncateSync(fd, length)
        throw diskError(path, error)
      }
      length += out.length
      lines.push(line)
    },
    sync: () => attempt(path, () => fsyncSync(fd)),
    close: () => closeSync(fd),
  }
}

/** Replaces a file in one step: a reader, or a kill in the middle, sees the old one or the new one, whole. */
export function replaceFile(path: string, chunks: Iterable<string>, put: Write = write): void {
  const temporary = `${path}.tmp`
  try {
    const fd = openSync(temporary, 'w')
    try {
      for (const chunk of chunks) {
        const out = Buffer.from(chunk)
        for (let done = 0; done < out.length; ) done += put(fd, out, done)
      }
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw diskError(path, error)
  }
}

function attempt<T>(path: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw diskError(path, error)
  }
}

export function diskError(path: string, error: unknown): UserError {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new UserError(
      `the disk of ${dirname(path)} is full: all finished runs are kept; make room and start the same command again to go on`,
    )
  return new UserError(`cannot write ${path}: ${messageOf(error)}`)
}
