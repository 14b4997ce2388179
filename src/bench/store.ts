import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { InputError, UserError } from '../base/errors.ts'
import { hash32 } from '../base/random.ts'
import { diskError, type Journal, openJournal, replaceFile, type Write } from './journal.ts'
import { acquireLock } from './lock.ts'
import type { MethodEntry } from './plan.ts'
import { type Row, rowKey, type Timing } from './row.ts'

/**
 * The output folder of a bench: bench.json says which run it is, results.jsonl and timings.jsonl grow a line a run, logs/
 * holds each run's events. A row counts once its line in results.jsonl is whole; it is written last.
 */
export interface Store {
  readonly dir: string
  readonly rows: readonly Row[]
  has(key: string): boolean
  /** False when the row was already there: nothing is done twice in the results. No timing where none was measured. */
  add(row: Row, timing: Timing | undefined, logs: readonly string[]): boolean
  /** Brings results.jsonl and timings.jsonl into the order of these keys. */
  finish(keys: readonly string[]): void
  close(): void
}

export interface Manifest {
  readonly rein: 'bench'
  readonly version: 1
  readonly fingerprint: string
  readonly model: string
  readonly created: string
  readonly methods: readonly MethodEntry[]
  readonly config: unknown
}

export function openStore(dir: string, manifest: Manifest, put?: Write): Store {
  prepare(dir, manifest)
  const unlock = acquireLock(join(dir, 'bench.lock'))
  try {
    return open(dir, unlock, put)
  } catch (error) {
    unlock()
    throw error
  }
}

function open(dir: string, unlock: () => void, put?: Write): Store {
  const path = (name: string): string => join(dir, name)
  let results = openJournal(path('results.jsonl'), put)
  let timings = openJournal(path('timings.jsonl'), put)
  const rows: Row[] = []
  const lines = new Map<string, string>()
  for (const [i, line] of results.lines.entries()) {
    const row = parseLine<Row>(line, path('results.jsonl'), i)
    const key = rowKey(row)
    if (lines.has(key)) continue
    lines.set(key, line)
    rows.push(row)
  }
  const reorder = (name: string, journal: Journal, keys: readonly string[], byKey: Map<string, string>): Journal => {
    const wanted = keys.flatMap((key) => byKey.get(key) ?? [])
    if (wanted.length === journal.lines.length && wanted.every((line, i) => line === journal.lines[i])) return journal
    journal.close()
    replaceFile(path(name), chunked(wanted), put)
    return openJournal(path(name), put)
  }
  return {
    dir,
    rows,
    has: (key) => lines.has(key),
    add(row, timing, logs) {
      const key = rowKey(row)
      if (lines.has(key)) return false
      for (const [i, text] of logs.entries()) writeLog(dir, row, i, text)
      if (timing) timings.append(JSON.stringify(timing))
      const line = JSON.stringify(row)
      results.append(line)
      lines.set(key, line)
      rows.push(row)
      return true
    },
    finish(keys) {
      results = reorder('results.jsonl', results, keys, lines)
      const last = new Map<string, string>()
      for (const [i, line] of timings.lines.entries())
        last.set(rowKey(parseLine<Timing>(line, path('timings.jsonl'), i)), line)
      timings = reorder('timings.jsonl', timings, keys, last)
    },
    close() {
      results.sync()
      results.close()
      timings.close()
      unlock()
    },
  }
}

/** A new or empty folder becomes this run's; this run's own is gone on with; any other is refused and left as it is. */
function prepare(dir: string, manifest: Manifest): void {
  const file = join(dir, 'bench.json')
  if (existsSync(file)) {
    const old = readManifest(dir)
    if (old.fingerprint === manifest.fingerprint) return
    const why = old.model === manifest.model ? 'other tasks, methods, seeds or settings' : `model ${old.model}`
    throw new InputError(`${dir} holds another run (${why}): choose another --out, or remove the folder to start over`)
  }
  if (existsSync(dir) && strangers(dir).length > 0)
    throw new InputError(`${dir} is not empty and holds no bench run: choose another --out`)
  try {
    mkdirSync(dir, { recursive: true })
    replaceFile(file, [`${JSON.stringify(manifest, null, 2)}\n`])
  } catch (error) {
    throw error instanceof UserError ? error : diskError(file, error)
  }
}

/** What a start that was killed at once may leave behind is ours. */
function strangers(dir: string): string[] {
  return readdirSync(dir).filter((name) => name !== 'bench.json.tmp' && name !== 'bench.lock')
}

export function readManifest(dir: string): Manifest {
  try {
    const manifest = JSON.parse(readFileSync(join(dir, 'bench.json'), 'utf8')) as Manifest
    if (manifest.rein === 'bench' && manifest.version === 1) return manifest
  } catch {}
  throw new InputError(`${dir} is not the output folder of a bench: it has no bench.json that this rein can read`)
}

function parseLine<T>(line: string, file: string, at: number): T {
  try {
    return JSON.parse(line) as T
  } catch {
    throw new UserError(`${file} is damaged at line ${at + 1}: remove that line and start again; its run is made anew`)
  }
}

/** Rows and timings of a finished or unfinished run, read without taking it over. */
export function readResults(dir: string): { manifest: Manifest; rows: Row[]; timings: Timing[] } {
  const manifest = readManifest(dir)
  const read = <T extends Row | Timing>(name: string): T[] => {
    const file = join(dir, name)
    if (!existsSync(file)) return []
    const text = readFileSync(file, 'utf8')
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    const seen = new Map<string, T>()
    for (const [i, line] of whole.split('\n').entries()) {
      if (line === '') continue
      const row = parseLine<T>(line, file, i)
      seen.set(rowKey(row), row)
    }
    return [...seen.values()]
  }
  return { manifest, rows: read<Row>('results.jsonl'), timings: read<Timing>('timings.jsonl') }
}

/** `logs/game24/interwhen-k-10/3-4-5-6-s1-1f00d00d.0.jsonl`, readable and free of clashes: the hash is of the row's key. */
export function logPath(row: Pick<Row, 'task' | 'method' | 'instance' | 'seed'>, run: number): string {
  const safe = (text: string): string => text.replace(/[^A-Za-z0-9.]+/g, '-').slice(0, 60)
  const hash = hash32(rowKey(row)).toString(16).padStart(8, '0')
  return join('logs', safe(row.task), safe(row.method), `${safe(row.instance)}-s${row.seed}-${hash}.${run}.jsonl`)
}

function writeLog(dir: string, row: Row, run: number, text: string): void {
  const file = join(dir, logPath(row, run))
  try {
    mkdirSync(dirname(file), { recursive: true })
    const temporary = `${file}.tmp`
    writeFileSync(temporary, text)
    renameSync(temporary, file)
  } catch (error) {
    rmSync(`${file}.tmp`, { force: true })
    throw diskError(file, error)
  }
}

function* chunked(lines: readonly string[], size = 1000): Generator<string> {
  for (let i = 0; i < lines.length; i += size)
    yield lines
      .slice(i, i + size)
      .map((line) => `${line}\n`)
      .join('')
}
