import { readFileSync } from 'node:fs'
import { InputError, messageOf } from '../base/errors.ts'

type Raw = Record<string, unknown>

/** Reads a file of rows by its ending: .jsonl (or .ndjson), .json (a list), .csv, .parquet. */
export async function readRows(file: string): Promise<Raw[]> {
  if (file.endsWith('.parquet')) return readParquet(file)
  let text: string
  try {
    text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    throw new InputError(`cannot read ${file}: ${messageOf(error)}`)
  }
  if (file.endsWith('.csv')) return parseCsv(text)
  if (file.endsWith('.json')) return readJson(text, file)
  if (file.endsWith('.jsonl') || file.endsWith('.ndjson')) return readJsonl(text, file)
  throw new InputError(`${file}: the rows should be in a .jsonl, .json, .csv or .parquet file`)
}

function readJsonl(text: string, file: string): Raw[] {
  const rows: Raw[] = []
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    try {
      rows.push(asRow(JSON.parse(line)))
    } catch {
      throw new InputError(`${file}, line ${i + 1}: not a JSON object`)
    }
  }
  return rows
}

function readJson(text: string, file: string): Raw[] {
  try {
    return (JSON.parse(text) as unknown[]).map(asRow)
  } catch {
    throw new InputError(`${file}: should hold a JSON list of objects`)
  }
}

function asRow(value: unknown): Raw {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new TypeError('not an object')
  return value as Raw
}

/**
 * RFC 4180: quoted fields may hold commas, doubled quotes and line breaks. The first line names the columns.
 * @example parseCsv('a,b\n1,"x, y"') // [{ a: '1', b: 'x, y' }]
 */
export function parseCsv(text: string): Record<string, string>[] {
  const records: string[][] = []
  let record: string[] = []
  let field = ''
  let quoted = false
  const endField = (): void => {
    record.push(field)
    field = ''
  }
  const endRecord = (): void => {
    endField()
    if (record.length > 1 || record[0] !== '') records.push(record)
    record = []
  }
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!
    if (quoted) {
      if (c !== '"') field += c
      else if (text[i + 1] === '"') {
        field += '"'
        i++
      } else quoted = false
    } else if (c === '"' && field === '') quoted = true
    else if (c === ',') endField()
    else if (c === '\n') endRecord()
    else if (c !== '\r' || text[i + 1] !== '\n') field += c
  }
  endRecord()
  const [header, ...rows] = records
  if (!header) return []
  return rows.map((cells) => Object.fromEntries(header.map((name, i) => [name.trim(), cells[i] ?? ''])))
}

async function readParquet(file: string): Promise<Raw[]> {
  const { asyncBufferFromFile, parquetReadObjects } = await import('hyparquet')
  try {
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(file) })
    return rows.map((row) => plain(row) as Raw)
  } catch (error) {
    throw new InputError(`cannot read ${file} as Parquet: ${messageOf(error)}`)
  }
}

/** Parquet gives 64-bit integers as BigInt and bytes as arrays; tasks read JSON. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return new TextDecoder().decode(value)
  if (Array.isArray(value)) return value.map(plain)
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]))
  return value
}
