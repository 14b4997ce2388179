// What happens to one stream's activations between two products: norm, gate, quantisation. A row never looks at another.
import { bytes, exp4, max4, sum4 } from './math'

/** out = x / rms(x) · w */
export function norm(x: usize, w: usize, out: usize, streams: i32, n: i32, eps: f32): void {
  const size = <usize>n << 2
  for (let s = 0; s < streams; s++) {
    let c0 = f32x4.splat(0), c1 = c0
    for (let i: usize = 0; i < size; i += 32) {
      const a = v128.load(x + i), b = v128.load(x + i, 16)
      c0 = f32x4.add(c0, f32x4.mul(a, a))
      c1 = f32x4.add(c1, f32x4.mul(b, b))
    }
    const scale = f32x4.splat(<f32>1 / sqrt<f32>(sum4(f32x4.add(c0, c1)) / <f32>n + eps))
    for (let i: usize = 0; i < size; i += 16)
      v128.store(out + i, f32x4.mul(f32x4.mul(v128.load(x + i), scale), v128.load(w + i)))
    x += size
    out += size
  }
}

/** SwiGLU: out = silu(gate) · up, where a row of `x` holds the gate's n values and then the up's. */
export function swiglu(x: usize, ldx: i32, out: usize, streams: i32, n: i32): void {
  const size = <usize>n << 2
  const one = f32x4.splat(1)
  for (let s = 0; s < streams; s++) {
    for (let i: usize = 0; i < size; i += 16) {
      const gate = v128.load(x + i)
      const e = exp4(f32x4.min(f32x4.neg(gate), f32x4.splat(80)))
      v128.store(out + i, f32x4.div(f32x4.mul(gate, v128.load(x + i + size)), f32x4.add(one, e)))
    }
    x += <usize>ldx << 2
    out += size
  }
}

// @ts-ignore: decorator
@inline
function largest(x: usize, size: usize): f32 {
  let m = f32x4.splat(0), m1 = m
  for (let i: usize = 0; i < size; i += 32) {
    m = f32x4.max(m, f32x4.abs(v128.load(x + i)))
    m1 = f32x4.max(m1, f32x4.abs(v128.load(x + i, 16)))
  }
  return max4(f32x4.max(m, m1))
}

/** Whole numbers in [-limit, limit] times a scale that is given back. */
// @ts-ignore: decorator
@inline
function whole(x: usize, inverse: v128): v128 {
  return i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(x), inverse)))
}

/** int8 with one scale for the row: x ≈ scale · out. */
// @ts-ignore: decorator
@inline
export function quantiseRow(x: usize, out: usize, n: i32): f32 {
  const size = <usize>n << 2
  const m = largest(x, size)
  const inverse = f32x4.splat(m > 0 ? <f32>127 / m : 0)
  for (let i: usize = 0; i < size; i += 64) {
    v128.store(
      out + (i >> 2),
      bytes(whole(x + i, inverse), whole(x + i + 16, inverse), whole(x + i + 32, inverse), whole(x + i + 48, inverse)),
    )
  }
  return m / 127
}

// @ts-ignore: decorator
@inline
function high(v: v128): v128 {
  return i32x4.shr_s(i32x4.add(v, i32x4.splat(64)), 7)
}

// @ts-ignore: decorator
@inline
function low(v: v128, h: v128): v128 {
  return i32x4.sub(v, i32x4.shl(h, 7))
}

/** 15 bits in two int8 rows: x ≈ scale · (128 · high + low). */
// @ts-ignore: decorator
@inline
function quantiseWide(x: usize, out: usize, n: i32): f32 {
  const size = <usize>n << 2
  const m = largest(x, size)
  const inverse = f32x4.splat(m > 0 ? <f32>16256 / m : 0)
  for (let i: usize = 0; i < size; i += 64) {
    const a = whole(x + i, inverse), b = whole(x + i + 16, inverse)
    const c = whole(x + i + 32, inverse), d = whole(x + i + 48, inverse)
    const ha = high(a), hb = high(b), hc = high(c), hd = high(d)
    v128.store(out + (i >> 2), bytes(ha, hb, hc, hd))
    v128.store(out + (i >> 2) + <usize>n, bytes(low(a, ha), low(b, hb), low(c, hc), low(d, hd)))
  }
  return m / 16256
}

export function quantise(x: usize, out: usize, scales: usize, streams: i32, n: i32, parts: i32): void {
  for (let s = 0; s < streams; s++) {
    store<f32>(scales, parts == 2 ? quantiseWide(x, out, n) : quantiseRow(x, out, n))
    scales += 4
    x += <usize>n << 2
    out += <usize>(n * parts)
  }
}
