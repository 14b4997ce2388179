import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { InputError } from '../../base/errors.ts'
import { byteLength, decodeBlocks, encodeBlocks, type TensorType } from './blocks.ts'

/** GGUF version 3: metadata and tensors in one file, little-endian. Knows the container, not any model. */

export type GgufValue =
  | { readonly type: 'u32' | 'i32' | 'f32' | 'u64'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'strings'; readonly value: readonly string[] }
  | { readonly type: 'i32s'; readonly value: readonly number[] }

export interface GgufTensor {
  readonly name: string
  /** outermost first, as in safetensors and numpy: [rows, columns] */
  readonly shape: readonly number[]
  readonly type: TensorType
  /** row-major; a function is called once, when the tensor is written, so that a large model need not be whole in memory */
  readonly data: Float32Array | (() => Float32Array)
}

export interface Gguf {
  readonly metadata: Readonly<Record<string, GgufValue>>
  readonly tensors: readonly GgufTensor[]
}

const MAGIC = 0x46554747
const ALIGNMENT = 32
const tensorTypes: Record<TensorType, number> = { F32: 0, F16: 1, Q8_0: 8 }
const valueTypes = { u32: 4, i32: 5, f32: 6, bool: 7, string: 8, u64: 10 } as const
const ARRAY = 9

const padding = (length: number): number => (ALIGNMENT - (length % ALIGNMENT)) % ALIGNMENT
const numbers = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1)

/** The file in pieces, in order. */
export function* ggufChunks(gguf: Gguf): Generator<Uint8Array> {
  const header = new Writer()
  header.u32(MAGIC)
  header.u32(3)
  header.u64(gguf.tensors.length)
  const entries = Object.entries(gguf.metadata)
  header.u64(entries.length)
  for (const [key, value] of entries) {
    header.text(key)
    header.value(value)
  }
  let offset = 0
  for (const tensor of gguf.tensors) {
    if (tensor.type === 'Q8_0' && tensor.shape.at(-1)! % 32 !== 0)
      throw new InputError(`tensor ${tensor.name} has rows of ${tensor.shape.at(-1)}; Q8_0 needs a multiple of 32`)
    header.text(tensor.name)
    header.u32(tensor.shape.length)
    // ggml counts dimensions from the innermost
    for (const n of [...tensor.shape].reverse()) header.u64(n)
    header.u32(tensorTypes[tensor.type])
    header.u64(offset)
    const size = byteLength(tensor.type, numbers(tensor.shape))
    offset += size + padding(size)
  }
  yield header.done()
  yield new Uint8Array(padding(header.length))
  for (const tensor of gguf.tensors) {
    const data = typeof tensor.data === 'function' ? tensor.data() : tensor.data
    if (data.length !== numbers(tensor.shape))
      throw new InputError(`tensor ${tensor.name} has ${data.length} numbers, its shape [${tensor.shape}] wants others`)
    const bytes = encodeBlocks(tensor.type, data)
    yield bytes
    yield new Uint8Array(padding(bytes.length))
  }
}

/** Writes beside the target and renames, so that a half-written model is never found under its name. */
export function writeGguf(path: string, gguf: Gguf): void {
  mkdirSync(dirname(path), { recursive: true })
  const part = `${path}.${process.pid}.part`
  const file = openSync(part, 'w')
  try {
    for (const chunk of ggufChunks(gguf)) for (let at = 0; at < chunk.length; ) at += writeSync(file, chunk, at)
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
  renameSync(part, path)
}

export interface GgufFile {
  readonly metadata: Readonly<Record<string, unknown>>
  readonly tensors: ReadonlyMap<
    string,
    { readonly shape: readonly number[]; readonly type: TensorType; data(): Float32Array }
  >
}

/** Reads what `ggufChunks` writes (and other version 3 files whose tensors are F32, F16 or Q8_0). */
export function readGguf(bytes: Uint8Array): GgufFile {
  const r = new Reader(bytes)
  if (r.u32() !== MAGIC) throw new InputError('not a GGUF file: it does not begin with "GGUF"')
  const version = r.u32()
  if (version !== 3) throw new InputError(`GGUF version ${version} is not read, only 3: convert the model again`)
  const count = r.u64()
  const entries = r.u64()
  const metadata: Record<string, unknown> = {}
  for (let i = 0; i < entries; i++) {
    const key = r.text()
    metadata[key] = r.value(r.u32())
  }
  const infos = Array.from({ length: count }, () => {
    const name = r.text()
    const shape = Array.from({ length: r.u32() }, () => r.u64()).reverse()
    const code = r.u32()
    const type = (Object.keys(tensorTypes) as TensorType[]).find((t) => tensorTypes[t] === code)
    if (!type) throw new InputError(`tensor ${name} has ggml type ${code}; only F32, F16 and Q8_0 are read`)
    return { name, shape, type, offset: r.u64() }
  })
  const start = r.at + padding(r.at)
  const tensors = infos.map(({ name, shape, type, offset }) => {
    const n = numbers(shape)
    const data = () => decodeBlocks(type, bytes.subarray(start + offset, start + offset + byteLength(type, n)), n)
    return [name, { shape, type, data }] as const
  })
  return { metadata, tensors: new Map(tensors) }
}

/** Appends to a buffer that doubles when full. */
class Writer {
  length = 0
  #bytes = new Uint8Array(1 << 16)
  #view = new DataView(this.#bytes.buffer)

  done(): Uint8Array {
    return this.#bytes.subarray(0, this.length)
  }

  #room(n: number): number {
    if (this.length + n > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.length + n))
      grown.set(this.#bytes)
      this.#bytes = grown
      this.#view = new DataView(grown.buffer)
    }
    const at = this.length
    this.length += n
    return at
  }

  u32(n: number): void {
    const at = this.#room(4)
    this.#view.setUint32(at, n, true)
  }

  i32(n: number): void {
    const at = this.#room(4)
    this.#view.setInt32(at, n, true)
  }

  f32(n: number): void {
    const at = this.#room(4)
    this.#view.setFloat32(at, n, true)
  }

  u64(n: number): void {
    const at = this.#room(8)
    this.#view.setBigUint64(at, BigInt(n), true)
  }

  text(text: string): void {
    const bytes = new TextEncoder().encode(text)
    this.u64(bytes.length)
    const at = this.#room(bytes.length)
    this.#bytes.set(bytes, at)
  }

  value(v: GgufValue): void {
    switch (v.type) {
      case 'strings':
        this.#array(valueTypes.string, v.value.length)
        for (const s of v.value) this.text(s)
        break
      case 'i32s':
        this.#array(valueTypes.i32, v.value.length)
        for (const n of v.value) this.i32(n)
        break
      case 'string':
        this.u32(valueTypes.string)
        this.text(v.value)
        break
      case 'bool': {
        this.u32(valueTypes.bool)
        const at = this.#room(1)
        this.#bytes[at] = v.value ? 1 : 0
        break
      }
      default:
        this.u32(valueTypes[v.type])
        this[v.type](v.value)
    }
  }

  #array(item: number, length: number): void {
    this.u32(ARRAY)
    this.u32(item)
    this.u64(length)
  }
}

class Reader {
  at = 0
  readonly #bytes: Uint8Array
  readonly #view: DataView

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  #take(n: number): number {
    const at = this.at
    if (at + n > this.#bytes.length) throw new InputError('the GGUF file is cut off: copy or make it again')
    this.at += n
    return at
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), true)
  }

  u64(): number {
    return Number(this.#view.getBigUint64(this.#take(8), true))
  }

  text(): string {
    const n = this.u64()
    const at = this.#take(n)
    return new TextDecoder().decode(this.#bytes.subarray(at, at + n))
  }

  value(type: number): unknown {
    switch (type) {
      case 0:
        return this.#view.getUint8(this.#take(1))
      case 1:
        return this.#view.getInt8(this.#take(1))
      case 2:
        return this.#view.getUint16(this.#take(2), true)
      case 3:
        return this.#view.getInt16(this.#take(2), true)
      case 4:
        return this.u32()
      case 5:
        return this.#view.getInt32(this.#take(4), true)
      case 6:
        return this.#view.getFloat32(this.#take(4), true)
      case 7:
        return this.#view.getUint8(this.#take(1)) !== 0
      case 8:
        return this.text()
      case ARRAY: {
        const item = this.u32()
        return Array.from({ length: this.u64() }, () => this.value(item))
      }
      case 10:
        return this.u64()
      case 11:
        return Number(this.#view.getBigInt64(this.#take(8), true))
      case 12:
        return this.#view.getFloat64(this.#take(8), true)
      default:
        throw new InputError(`GGUF value type ${type} is not known`)
    }
  }
}
