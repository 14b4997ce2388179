import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { readGguf } from '../gguf.ts'
import { shapeOf } from './config.ts'
import { exportModel } from './export.ts'
import { nanoShape, tensorShapes, writeRandomModel } from './random-model.ts'
import { halfToFloat, parseSafetensors, readSafetensors, toFloat32 } from './safetensors.ts'
import { imageFile, loadImage, packRows, quantiseRows } from './weights.ts'

const root = mkdtempSync(join(tmpdir(), 'rein-nano-'))
const dir = join(root, 'weights')
const config = { ...nanoShape, num_hidden_layers: 1, vocab_size: 300, max_position_embeddings: 64 }
writeRandomModel(dir, config)
afterAll(() => {
  delete process.env.REIN_CACHE
  rmSync(root, { recursive: true, force: true })
})

describe('weights', () => {
  it('are within half a step of the row after quantisation', () => {
    fc.assert(
      fc.property(fc.array(fc.float({ min: -8, max: 8, noNaN: true }), { minLength: 16, maxLength: 16 }), (row) => {
        const w = Float32Array.from(row)
        const { q, scales } = quantiseRows(w, 16)
        const step = Math.max(...row.map(Math.abs)) / 127
        w.forEach((v, i) => {
          expect(Math.abs(v - q[i]! * scales[0]!)).toBeLessThanOrEqual(step * 0.5001)
          expect(Math.abs(q[i]!)).toBeLessThanOrEqual(127)
        })
      }),
    )
  })

  it('are packed eight rows at a time, sixteen columns of each in turn', () => {
    const columns = 32
    const q = Int8Array.from({ length: 9 * columns }, (_, i) => (i % 251) - 125)
    const packed = packRows(q, columns)
    expect(packed.length).toBe(16 * columns)
    const at = (row: number, k: number): number =>
      packed[(row >> 3) * 8 * columns + (k >> 4) * 128 + (row & 7) * 16 + (k & 15)]!
    for (let r = 0; r < 9; r++) for (let k = 0; k < columns; k++) expect(at(r, k)).toBe(q[r * columns + k])
    expect(at(10, 3)).toBe(0)
  })

  it('are quantised once and read from the cache after', () => {
    process.env.REIN_CACHE = join(root, 'cache')
    const made = loadImage(dir, shapeOf(config), 'int8')
    expect(existsSync(imageFile(dir))).toBe(true)
    const read = loadImage(dir, shapeOf(config), 'int8')
    expect([...read.keys()]).toEqual([...made.keys()])
    for (const [name, tensor] of made) expect(Buffer.compare(read.get(name)!.bytes, tensor.bytes)).toBe(0)
  })

  it('go out as GGUF, int8 and f32 with all their tensors', async () => {
    for (const format of ['gguf', 'gguf-f32', 'q8', 'f32'] as const) {
      const file = join(root, format)
      await exportModel(dir, format, file)
      if (format.startsWith('gguf')) {
        const { tensors, metadata } = readGguf(readFileSync(file))
        expect(tensors).toHaveLength(tensorShapes(config).length)
        expect(JSON.stringify(metadata)).toContain('smollm')
      } else {
        expect(parseSafetensors(readFileSync(file)).size).toBeGreaterThan(8)
      }
    }
    const [a, b] = [readSafetensors(dir), parseSafetensors(readFileSync(join(root, 'f32')))]
    for (const [name, tensor] of a) {
      const [x, y] = [toFloat32(b.get(name)!), toFloat32(tensor)]
      expect(Buffer.compare(new Uint8Array(x.buffer), new Uint8Array(y.buffer))).toBe(0)
    }
  })

  it('are read from half floats and from bfloat16', () => {
    const half = (...bits: number[]) => new Uint8Array(Uint16Array.from(bits).buffer)
    const read = (dtype: string, bytes: Uint8Array) =>
      Array.from(toFloat32({ dtype, shape: [bytes.length / 2], bytes }))
    expect(read('F16', half(0x3c00, 0xc000, 0x0001, 0x3555, 0x7c00))).toEqual([
      1,
      -2,
      2 ** -24,
      Math.fround(halfToFloat(0x3555)),
      Number.POSITIVE_INFINITY,
    ])
    expect(halfToFloat(0x3555)).toBeCloseTo(1 / 3, 3)
    expect(read('BF16', half(0x3f80, 0xc000, 0x4049))).toEqual([1, -2, 3.140625])
  })

  it('that are no safetensors are refused by name', () => {
    expect(() => parseSafetensors(new Uint8Array(3), 'x')).toThrow(/x is not a safetensors file/)
    expect(() => parseSafetensors(new Uint8Array(16).fill(255), 'x')).toThrow(/runs past its end/)
  })
})
