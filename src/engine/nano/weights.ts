import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { InputError } from '../../base/errors.ts'
import { cacheDir } from '../../base/paths.ts'
import type { Shape } from './config.ts'
import { parseSafetensors, readSafetensors, saveSafetensors, type Tensor, toFloat32 } from './safetensors.ts'

/**
 * From the canonical weights to what the kernel reads: matrices that share an input are joined (queries, keys and values;
 * gate and up), and in int8 each row has a scale of its own. Made on demand and kept in the cache folder.
 */
export type Precision = 'int8' | 'f32'

/** The kernel's tensors by name: `embed`, `norm`, `head`, and `0.norm1`, `0.qkv`, `0.o`, `0.norm2`, `0.gateUp`, `0.down` … */
export type Image = ReadonlyMap<string, Tensor>

/** A weight matrix (or vector) by its name in transformers. */
export type Source = (name: string) => Float32Array

export function sourceOf(dir: string): Source {
  const tensors = readSafetensors(dir)
  return (name) => {
    // Tied embeddings: the head is the table itself.
    const found =
      tensors.get(name) ?? (name === 'lm_head.weight' ? tensors.get('model.embed_tokens.weight') : undefined)
    if (!found) throw new InputError(`the weights in ${dir} have no tensor ${name}: a Llama layout needs it`)
    return toFloat32(found)
  }
}

const bytesOf = (a: Float32Array | Int8Array): Uint8Array => new Uint8Array(a.buffer, a.byteOffset, a.byteLength)

/** Rows of several matrices one below the other. */
function stack(parts: readonly Float32Array[]): Float32Array {
  const out = new Float32Array(parts.reduce((n, p) => n + p.length, 0))
  let at = 0
  for (const p of parts) {
    out.set(p, at)
    at += p.length
  }
  return out
}

/** Each row as int8 with a scale of its own: w ≈ scale · q, q in [-127, 127]. */
export function quantiseRows(w: Float32Array, columns: number): { q: Int8Array; scales: Float32Array } {
  const rows = w.length / columns
  const q = new Int8Array(w.length)
  const scales = new Float32Array(rows)
  for (let r = 0; r < rows; r++) {
    const at = r * columns
    let max = 0
    for (let i = at; i < at + columns; i++) max = Math.max(max, Math.abs(w[i]!))
    scales[r] = max / 127
    if (max > 0) for (let i = at; i < at + columns; i++) q[i] = Math.round((w[i]! * 127) / max)
  }
  return { q, scales }
}

/** Eight rows at a time, sixteen columns of each in turn: the order in which the kernel reads. Missing rows are zero. */
export function packRows(q: Int8Array, columns: number): Int8Array {
  const rows = q.length / columns
  const out = new Int8Array(Math.ceil(rows / 8) * 8 * columns)
  let to = 0
  for (let r = 0; r < rows; r += 8)
    for (let k = 0; k < columns; k += 16)
      for (let i = r; i < r + 8; i++) {
        if (i < rows) out.set(q.subarray(i * columns + k, i * columns + k + 16), to)
        to += 16
      }
  return out
}

export function buildImage(shape: Shape, source: Source, precision: Precision): Map<string, Tensor> {
  const image = new Map<string, Tensor>()
  const float = (name: string, data: Float32Array, dims = [data.length]): void => {
    image.set(name, { dtype: 'F32', shape: dims, bytes: bytesOf(data) })
  }
  const matrix = (name: string, data: Float32Array, columns: number): void => {
    if (precision === 'f32') {
      float(name, data, [data.length / columns, columns])
      return
    }
    const { q, scales } = quantiseRows(data, columns)
    const packed = packRows(q, columns)
    image.set(name, { dtype: 'I8', shape: [packed.length / columns, columns], bytes: bytesOf(packed) })
    float(`${name}.scale`, stack([scales, new Float32Array(packed.length / columns - scales.length)]))
  }
  float('embed', source('model.embed_tokens.weight'), [shape.vocab, shape.hidden])
  float('norm', source('model.norm.weight'))
  matrix('head', source('lm_head.weight'), shape.hidden)
  for (let n = 0; n < shape.layers; n++) {
    const at = (name: string): Float32Array => source(`model.layers.${n}.${name}.weight`)
    float(`${n}.norm1`, at('input_layernorm'))
    float(`${n}.norm2`, at('post_attention_layernorm'))
    matrix(`${n}.qkv`, stack([at('self_attn.q_proj'), at('self_attn.k_proj'), at('self_attn.v_proj')]), shape.hidden)
    matrix(`${n}.o`, at('self_attn.o_proj'), shape.heads * shape.headDim)
    matrix(`${n}.gateUp`, stack([at('mlp.gate_proj'), at('mlp.up_proj')]), shape.hidden)
    matrix(`${n}.down`, at('mlp.down_proj'), shape.ffn)
  }
  return image
}

const version = 2

/** The file in the cache folder that holds a folder's weights as int8; its name changes whenever the weights do. */
export function imageFile(dir: string): string {
  const key = createHash('sha256').update(`rein-nano-${version}`)
  for (const f of readdirSync(dir).sort()) {
    if (!f.endsWith('.safetensors') && f !== 'config.json') continue
    const { size, mtimeMs } = statSync(join(dir, f))
    key.update(`${join(dir, f)} ${size} ${mtimeMs}\n`)
  }
  return join(cacheDir(), `nano-${key.digest('hex').slice(0, 16)}.q8.safetensors`)
}

/** The image of a weights folder: from the cache where it is there, else made and, in int8, kept. */
export function loadImage(dir: string, shape: Shape, precision: Precision): Image {
  if (precision === 'f32') return buildImage(shape, sourceOf(dir), precision)
  const file = imageFile(dir)
  if (existsSync(file)) return parseSafetensors(readFileSync(file), file)
  const image = buildImage(shape, sourceOf(dir), precision)
  try {
    mkdirSync(cacheDir(), { recursive: true })
    const part = `${file}.${process.pid}-${Math.trunc(performance.now() * 1000)}`
    saveSafetensors(part, Object.fromEntries(image))
    renameSync(part, file)
  } catch {
    // A cache that cannot be written only costs time.
  }
  return image
}
