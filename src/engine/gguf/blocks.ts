/** Number formats of GGUF tensors, to and from Float32. Knows bytes only; what a tensor is for is not its business. */

export type TensorType = 'F32' | 'F16' | 'Q8_0'

/** Numbers in one block of Q8_0: a half-precision scale and 32 signed bytes. */
const Q8_BLOCK = 32

export function byteLength(type: TensorType, count: number): number {
  if (type === 'F32') return count * 4
  if (type === 'F16') return count * 2
  return (count / Q8_BLOCK) * (2 + Q8_BLOCK)
}

const cast = new DataView(new ArrayBuffer(4))

/** IEEE half precision, round to nearest even. */
export function toHalf(value: number): number {
  cast.setFloat32(0, value)
  const bits = cast.getUint32(0)
  const sign = (bits >>> 16) & 0x8000
  const exponent = (bits >>> 23) & 0xff
  const mantissa = bits & 0x7fffff
  if (exponent === 0xff) return sign | 0x7c00 | (mantissa ? 0x200 : 0)
  const e = exponent - 112
  if (e >= 31) return sign | 0x7c00
  if (e >= 1) return sign + roundShift((e << 23) | mantissa, 13)
  if (e < -10) return sign
  return sign + roundShift(mantissa | 0x800000, 14 - e)
}

function roundShift(bits: number, shift: number): number {
  const kept = bits >>> shift
  const rest = bits & ((1 << shift) - 1)
  const half = 1 << (shift - 1)
  return rest > half || (rest === half && (kept & 1) === 1) ? kept + 1 : kept
}

export function fromHalf(half: number): number {
  const sign = half & 0x8000 ? -1 : 1
  const exponent = (half >>> 10) & 0x1f
  const mantissa = half & 0x3ff
  if (exponent === 0) return sign * mantissa * 2 ** -24
  if (exponent === 31) return mantissa ? Number.NaN : sign * Number.POSITIVE_INFINITY
  return sign * (1 + mantissa / 1024) * 2 ** (exponent - 15)
}

export function encodeBlocks(type: TensorType, data: Float32Array): Uint8Array {
  const out = new Uint8Array(byteLength(type, data.length))
  const view = new DataView(out.buffer)
  if (type === 'F32') for (let i = 0; i < data.length; i++) view.setFloat32(i * 4, data[i]!, true)
  else if (type === 'F16') for (let i = 0; i < data.length; i++) view.setUint16(i * 2, toHalf(data[i]!), true)
  else encodeQ8(view, data)
  return out
}

/** ggml's quantize_row_q8_0: scale = max|x| / 127, halves rounded away from zero. */
function encodeQ8(view: DataView, data: Float32Array): void {
  for (let block = 0, at = 0; block < data.length; block += Q8_BLOCK, at += 2 + Q8_BLOCK) {
    let peak = 0
    for (let i = 0; i < Q8_BLOCK; i++) peak = Math.max(peak, Math.abs(data[block + i]!))
    const scale = Math.fround(peak / 127)
    view.setUint16(at, toHalf(scale), true)
    for (let i = 0; i < Q8_BLOCK; i++) {
      const x = scale === 0 ? 0 : data[block + i]! / scale
      view.setInt8(at + 2 + i, Math.sign(x) * Math.round(Math.abs(x)))
    }
  }
}

export function decodeBlocks(type: TensorType, bytes: Uint8Array, count: number): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const out = new Float32Array(count)
  for (let i = 0; i < count; i++) {
    if (type === 'F32') out[i] = view.getFloat32(i * 4, true)
    else if (type === 'F16') out[i] = fromHalf(view.getUint16(i * 2, true))
    else {
      const at = Math.floor(i / Q8_BLOCK) * (2 + Q8_BLOCK)
      out[i] = fromHalf(view.getUint16(at, true)) * view.getInt8(at + 2 + (i % Q8_BLOCK))
    }
  }
  return out
}
