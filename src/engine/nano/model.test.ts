import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { random } from '../../base/random.ts'
import { kernelBinaries } from './binaries.ts'
import { shapeOf } from './config.ts'
import type { KernelBinaries } from './kernel.ts'
import { createModel, type Model, newBatch } from './model.ts'
import { nanoShape, writeRandomModel } from './random-model.ts'
import { reference } from './reference.ts'
import { buildImage, type Precision, type Source, sourceOf } from './weights.ts'

// Odd sizes on purpose: five heads on one, a vocabulary that fills no group, heads of 32.
const shapes = {
  nano: { ...nanoShape, num_hidden_layers: 2, max_position_embeddings: 256, vocab_size: 301 },
  odd: {
    ...nanoShape,
    hidden_size: 96,
    intermediate_size: 160,
    num_hidden_layers: 3,
    num_attention_heads: 5,
    num_key_value_heads: 1,
    head_dim: 32,
    max_position_embeddings: 256,
    vocab_size: 267,
  },
}

const root = mkdtempSync(join(tmpdir(), 'rein-nano-'))
let binaries: KernelBinaries
beforeAll(async () => {
  const { build } = await import('../../../scripts/build.js' as string)
  build()
  binaries = kernelBinaries()
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const rng = random(5)
const ids = Array.from({ length: 90 }, () => rng.int(0, 266))

function sourceFor(name: keyof typeof shapes): Source {
  const dir = join(root, name)
  writeRandomModel(dir, shapes[name])
  return sourceOf(dir)
}

/** Runs ids through a model in pieces of the given size; each row's logits and entropies. */
function run(model: Model, piece: number, table = 0): { logits: Float32Array[]; entropies: Float32Array[] } {
  for (let i = 0; i < 8; i++) model.setBlock(table, i, table * 8 + i)
  const batch = newBatch(model.maxRows)
  const logits: Float32Array[] = []
  const entropies: Float32Array[] = []
  for (let at = 0; at < ids.length; at += piece) {
    const rows = Math.min(piece, ids.length - at)
    for (let r = 0; r < rows; r++) {
      batch.ids[r] = ids[at + r]!
      batch.positions[r] = at + r
      batch.tables[r] = table
      batch.logits[r] = r
    }
    Object.assign(batch, { rows, wanted: rows, entropy: true })
    model.forward(batch)
    for (let r = 0; r < rows; r++) {
      logits.push(model.logits(r).slice())
      entropies.push(model.entropies(r).slice())
    }
  }
  return { logits, entropies }
}

const worst = (a: ArrayLike<number>[], b: ArrayLike<number>[]): number =>
  a.reduce((m, row, i) => Array.from(row).reduce((n, v, j) => Math.max(n, Math.abs(v - b[i]![j]!)), m), 0)

/** toEqual on rows of floats is slow, and says the same. */
const bits = ({ logits, entropies }: ReturnType<typeof run>): string =>
  Buffer.concat([...logits, ...entropies].map((f) => new Uint8Array(f.buffer))).toString('base64')

const spread = (rows: ArrayLike<number>[]): number => {
  const all = rows.flatMap((r) => Array.from(r))
  return Math.sqrt(all.reduce((s, v) => s + v * v, 0) / all.length)
}

describe.each(Object.keys(shapes) as (keyof typeof shapes)[])('model of shape %s', (name) => {
  const source = sourceFor(name)
  const shape = shapeOf(shapes[name])
  const exact = reference(shape, source).run(ids)
  const make = (precision: Precision, given: KernelBinaries = binaries): Model =>
    createModel(buildImage(shape, source, precision), shape, given, { precision, cacheBytes: 1 << 22 })

  it('agrees with the float64 reference in f32 mode', () => {
    const { logits, entropies } = run(make('f32'), 7)
    expect(worst(logits, exact.logits)).toBeLessThan(1e-4)
    expect(worst(entropies, exact.entropies)).toBeLessThan(1e-4)
  })

  it('stays close to it in int8', () => {
    const { logits, entropies } = run(make('int8'), 7)
    const error = logits.map((row, i) => row.map((v, j) => v - exact.logits[i]![j]!))
    expect(spread(error)).toBeLessThan(0.04 * spread(exact.logits))
    const mean = (e: ArrayLike<number>): number => Array.from(e).reduce((a, b) => a + b) / e.length
    const off = entropies.map((e, i) => Math.abs(mean(e) - mean(exact.entropies[i]!)))
    expect(Math.max(...off)).toBeLessThan(1e-2)
  })

  it.each(['int8', 'f32'] as const)(
    'gives the same bits by any cut of the prompt, with or without relaxed SIMD (%s)',
    (precision) => {
      const whole = bits(run(make(precision), 64))
      for (const piece of [1, 3, 10]) expect(bits(run(make(precision), piece)) === whole).toBe(true)
      expect(bits(run(make(precision, { plain: binaries.plain }), 5)) === whole).toBe(true)
    },
  )

  it('gives a stream the same bits beside others, and after others used its blocks', () => {
    const alone = run(make('int8'), 1)
    const model = make('int8')
    run(model, 13, 1)
    expect(bits(run(model, 1, 1)) === bits(alone)).toBe(true)
    const batch = newBatch(model.maxRows)
    for (let t = 0; t < 4; t++) for (let i = 0; i < 8; i++) model.setBlock(t, i, t * 8 + i)
    for (let at = 0; at < 40; at++) {
      for (let r = 0; r < 4; r++) {
        batch.ids[r] = r === 2 ? ids[at]! : (ids[at]! + r * 31) % 267
        batch.positions[r] = at
        batch.tables[r] = r
        batch.logits[r] = r
      }
      Object.assign(batch, { rows: 4, wanted: 4, entropy: true })
      model.forward(batch)
      expect(model.logits(2)).toEqual(alone.logits[at])
      expect(model.entropies(2)).toEqual(alone.entropies[at])
    }
  })
})
