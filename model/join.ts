/** Makes one model.safetensors of the parts that a training gave. Run: npx tsx model/join.ts OUT.safetensors PART... */
import { readFileSync, writeFileSync } from 'node:fs'

interface Entry {
  readonly dtype: string
  readonly shape: readonly number[]
  readonly data_offsets: readonly [number, number]
}

/** Joins safetensors files: one header, the tensors one after another in the order of their names. */
export function join(files: readonly Uint8Array[]): Buffer {
  const tensors = new Map<string, { entry: Entry; bytes: Uint8Array }>()
  for (const file of files) {
    const length = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true))
    const header = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + length))) as Record<string, Entry>
    for (const [name, entry] of Object.entries(header)) {
      if (name === '__metadata__') continue
      const [from, to] = entry.data_offsets
      tensors.set(name, { entry, bytes: file.subarray(8 + length + from, 8 + length + to) })
    }
  }
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } }
  const parts: Uint8Array[] = []
  let at = 0
  for (const [name, { entry, bytes }] of [...tensors].sort(([a], [b]) => (a < b ? -1 : 1))) {
    header[name] = { dtype: entry.dtype, shape: entry.shape, data_offsets: [at, at + bytes.length] }
    parts.push(bytes)
    at += bytes.length
  }
  const text = JSON.stringify(header)
  // the format wants the data to begin at a multiple of eight
  const head = Buffer.from(text.padEnd(Math.ceil(text.length / 8) * 8))
  const size = Buffer.alloc(8)
  size.writeBigUInt64LE(BigInt(head.length))
  return Buffer.concat([size, head, ...parts])
}

if (process.argv[1]?.endsWith('join.ts')) {
  const [out, ...parts] = process.argv.slice(2)
  writeFileSync(out!, join(parts.map((p) => readFileSync(p))))
}
