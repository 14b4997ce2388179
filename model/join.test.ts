import { readFileSync, statSync } from 'node:fs'
import { join as path } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../src/base/paths.ts'
import { wilson } from './grade.ts'
import { join } from './join.ts'
import { describe as figures, slips } from './real.ts'

test('parts become one file with every tensor where its header says', () => {
  const file = (tensors: Record<string, number[]>): Uint8Array => {
    let at = 0
    const header = Object.entries(tensors).map(([name, bytes]) => {
      const entry = [name, { dtype: 'U8', shape: [bytes.length], data_offsets: [at, at + bytes.length] }] as const
      at += bytes.length
      return entry
    })
    const head = Buffer.from(JSON.stringify(Object.fromEntries(header)))
    const size = Buffer.alloc(8)
    size.writeBigUInt64LE(BigInt(head.length))
    return Buffer.concat([size, head, Buffer.from(Object.values(tensors).flat())])
  }
  const whole = join([file({ b: [1, 2, 3], c: [4] }), file({ a: [5, 6] })])
  const length = Number(whole.readBigUInt64LE(0))
  const header = JSON.parse(whole.subarray(8, 8 + length).toString()) as Record<
    string,
    { data_offsets: [number, number] }
  >
  const read = (name: string) => [...whole.subarray(8 + length).subarray(...header[name]!.data_offsets)]
  expect([read('a'), read('b'), read('c')]).toEqual([[5, 6], [1, 2, 3], [4]])
  expect(length % 8).toBe(0)
})

test('the shipped files are at most 20 MB in all', () => {
  const folder = path(packageRoot, 'model', 'weights')
  const bytes = ['model.safetensors', 'config.json', 'tokenizer.json'].map((f) => statSync(path(folder, f)).size)
  expect(bytes.reduce((a, b) => a + b)).toBeLessThan(20_000_000)
  const config = JSON.parse(readFileSync(path(folder, 'config.json'), 'utf8')) as { max_position_embeddings: number }
  expect(config.max_position_embeddings).toBeGreaterThanOrEqual(2048)
})

test('Wilson’s interval and the figures on real traces', () => {
  const [lo, hi] = wilson(79, 100)
  expect(lo).toBeCloseTo(70.02, 1)
  expect(hi).toBeCloseTo(85.83, 1)
  expect(slips('3 + 4 = 7, 8 * 7 = 54. 2 + 6 * 4 = 26')).toEqual([2, 1])
  expect(figures(['Wait, that is wrong. So the answer is 4. Let me check it again.'])['doubt %']).toBeGreaterThan(0)
})
