import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { parquetWriteFile } from 'hyparquet-writer'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseCsv, readRows } from './rows.ts'

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'rein-rows-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const file = (name: string, text: string): string => {
  const path = join(dir, name)
  writeFileSync(path, text)
  return path
}

describe('readRows', () => {
  it('reads JSON lines, a JSON list, CSV and Parquet to the same rows', async () => {
    const rows = [
      { id: 'a', text: 'one, "two"\nthree' },
      { id: 'b', text: 'žluť' },
    ]
    const csv = 'id,text\na,"one, ""two""\nthree"\r\nb,žluť\n'
    const parquet = join(dir, 'rows.parquet')
    const columnData = [
      { name: 'id', data: rows.map((row) => row.id), type: 'STRING' as const },
      { name: 'text', data: rows.map((row) => row.text), type: 'STRING' as const },
    ]
    parquetWriteFile({ filename: parquet, columnData })
    expect(await readRows(file('r.jsonl', rows.map((row) => JSON.stringify(row)).join('\n')))).toEqual(rows)
    expect(await readRows(file('r.json', JSON.stringify(rows)))).toEqual(rows)
    expect(await readRows(file('r.csv', csv))).toEqual(rows)
    expect(await readRows(parquet)).toEqual(rows)
  })

  it('says which line is wrong', async () => {
    await expect(readRows(file('bad.jsonl', '{"a":1}\n{"a":'))).rejects.toThrow(/bad\.jsonl, line 2: not a JSON object/)
    await expect(readRows(file('bad.txt', 'x'))).rejects.toThrow(/\.jsonl, \.json, \.csv or \.parquet/)
    await expect(readRows(file('bad.parquet', 'nonsense'))).rejects.toThrow(/cannot read .*bad\.parquet as Parquet/)
    await expect(readRows(join(dir, 'absent.csv'))).rejects.toThrow(/cannot read/)
  })

  it('CSV: what was quoted is read back', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', ' ', 'é') })
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }), (cells) => {
        const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`
        const text = ['a,b', ...cells.map((row) => row.map(quote).join(','))].join('\n')
        expect(parseCsv(text)).toEqual(cells.map(([a, b]) => ({ a, b })))
      }),
    )
  })
})
