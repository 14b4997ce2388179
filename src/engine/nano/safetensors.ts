import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { InputError } from '../../base/errors.ts'

/** Hugging Face's safetensors: a length, a JSON header, raw little-endian tensors. */
export interface Tensor {
  readonly dtype: string
  readonly shape: readonly number[]
  readonly bytes: Uint8Array
}

interface Entry {
  dtype: string
  shape: number[]
  data_offsets: [number, number]
}

export function parseSafetensors(given: Uint8Array, name = 'the file'): Map<string, Tensor> {
  // A Buffer's slice() is a view, a Uint8Array's a copy: this must not depend on who reads the file.
  const file = new Uint8Array(given.buffer, given.byteOffset, given.byteLength)
  const bad = (what: string) => new InputError(`${name} is not a safetensors file: ${what}`)
  if (file.length < 8) throw bad('it is too short')
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const length = Number(view.getBigUint64(0, true))
  if (length > file.length - 8) throw bad('its header runs past its end')
  let header: Record<string, Entry>
  try {
    header = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + length)))
  } catch {
    throw bad('its header is not JSON')
  }
  const out = new Map<string, Tensor>()
  for (const [key, entry] of Object.entries(header)) {
    if (key === '__metadata__') continue
    const [start, end] = entry.data_offsets
    if (!(start >= 0 && end >= start && 8 + length + end <= file.length)) throw bad(`${key} runs past its end`)
    out.set(key, { dtype: entry.dtype, shape: entry.shape, bytes: file.subarray(8 + length + start, 8 + length + end) })
  }
  return out
}

/** All tensors of a folder, whether in one file or in several. */
export function readSafetensors(dir: string): Map<string, Tensor> {
  const files = readdirSync(dir).filter((f) => f.endsWith('.safetensors'))
  if (files.length === 0) throw new InputError(`there is no .safetensors file in ${dir}`)
  return new Map(files.sort().flatMap((f) => [...parseSafetensors(readFileSync(join(dir, f)), f)]))
}

/** @example saveSafetensors('x.safetensors', { w: { dtype: 'F32', shape: [2], bytes } }) */
export function saveSafetensors(
  file: string,
  tensors: Record<string, Tensor>,
  metadata?: Record<string, string>,
): void {
  const header: Record<string, unknown> = metadata ? { __metadata__: metadata } : {}
  let at = 0
  for (const [name, { dtype, shape, bytes }] of Object.entries(tensors)) {
    header[name] = { dtype, shape, data_offsets: [at, at + bytes.length] }
    at += bytes.length
  }
  const text = JSON.stringify(header)
  const json = new TextEncoder().encode(text + ' '.repeat((8 - (text.length % 8)) % 8))
  const out = new Uint8Array(8 + json.length + at)
  new DataView(out.buffer).setBigUint64(0, BigInt(json.length), true)
  out.set(json, 8)
  at = 8 + json.length
  for (const { bytes } of Object.values(tensors)) {
    out.set(bytes, at)
    at += bytes.length
  }
  writeFileSync(file, out)
}

/** A tensor as float32, whatever it is stored as. */
export function toFloat32({ dtype, bytes }: Tensor): Float32Array {
  const copy = bytes.slice().buffer
  if (dtype === 'F32') return new Float32Array(copy)
  if (dtype === 'BF16') {
    const half = new Uint16Array(copy)
    const out = new Uint32Array(half.length)
    for (let i = 0; i < half.length; i++) out[i] = half[i]! << 16
    return new Float32Array(out.buffer)
  }
  if (dtype === 'F16') return Float32Array.from(new Uint16Array(copy), halfToFloat)
  throw new InputError(`tensors of type ${dtype} are not read; F32, F16 and BF16 are`)
}

export function halfToFloat(h: number): number {
  const sign = h & 0x8000 ? -1 : 1
  const exponent = (h >> 10) & 31
  const fraction = h & 1023
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}
