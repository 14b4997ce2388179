// Weights times activations. Weights lie in groups of four rows, sixteen columns of each in turn, so that a product reads
// them once and in order, for all streams. int8 sums are exact, so what runs beside a stream cannot change its numbers.
import { dot, laneSums, sum4 } from './math'

// @ts-ignore: decorator
@inline
function put(out: usize, value: v128, accumulate: bool): void {
  v128.store(out, accumulate ? f32x4.add(v128.load(out), value) : value)
}

/** One stream's four results: its own scale times the rows' scales. Wide activations are 128 · high + low. */
// @ts-ignore: decorator
@inline
function narrow(sum: v128, rowScale: v128, scale: usize): v128 {
  return f32x4.mul(f32x4.convert_i32x4_s(sum), f32x4.mul(rowScale, v128.load32_splat(scale)))
}

// @ts-ignore: decorator
@inline
function wide(high: v128, low: v128, rowScale: v128, scale: usize): v128 {
  const sum = f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(high), f32x4.splat(128)), f32x4.convert_i32x4_s(low))
  return f32x4.mul(sum, f32x4.mul(rowScale, v128.load32_splat(scale)))
}

/**
 * out[s][r] (+)= scale[s] · rowScale[r] · Σ w[r][k] · a[s][k]. `k` is a multiple of 16, `n` of 4, `ldo` counts floats.
 * With `parts` = 2 each stream has two rows of `a`: the high and the low part of 15-bit activations.
 */
export function matmulInt8(
  w: usize, rowScales: usize, a: usize, scales: usize, out: usize, ldo: i32, streams: i32, n: i32, k: i32,
  parts: i32, accumulate: bool,
): void {
  const lda = <usize>k
  const group = lda << 2
  const step = <usize>ldo << 2
  const rows = streams * parts
  for (let r = 0; r < n; r += 4) {
    const rowScale = v128.load(rowScales + (<usize>r << 2))
    const end = w + group
    let o = out + (<usize>r << 2)
    let x = a
    let scale = scales
    let s = 0
    for (; s + 4 <= rows; s += 4) {
      let c00 = i32x4.splat(0), c01 = c00, c02 = c00, c03 = c00, c10 = c00, c11 = c00, c12 = c00, c13 = c00
      let c20 = c00, c21 = c00, c22 = c00, c23 = c00, c30 = c00, c31 = c00, c32 = c00, c33 = c00
      let x1 = x + lda, x2 = x1 + lda, x3 = x2 + lda
      for (let p = w; p < end; p += 64) {
        const w0 = v128.load(p), w1 = v128.load(p, 16), w2 = v128.load(p, 32), w3 = v128.load(p, 48)
        let y = v128.load(x)
        c00 = dot(w0, y, c00); c01 = dot(w1, y, c01); c02 = dot(w2, y, c02); c03 = dot(w3, y, c03)
        y = v128.load(x1)
        c10 = dot(w0, y, c10); c11 = dot(w1, y, c11); c12 = dot(w2, y, c12); c13 = dot(w3, y, c13)
        y = v128.load(x2)
        c20 = dot(w0, y, c20); c21 = dot(w1, y, c21); c22 = dot(w2, y, c22); c23 = dot(w3, y, c23)
        y = v128.load(x3)
        c30 = dot(w0, y, c30); c31 = dot(w1, y, c31); c32 = dot(w2, y, c32); c33 = dot(w3, y, c33)
        x += 16; x1 += 16; x2 += 16; x3 += 16
      }
      x = x3
      const d0 = laneSums(c00, c01, c02, c03), d1 = laneSums(c10, c11, c12, c13)
      const d2 = laneSums(c20, c21, c22, c23), d3 = laneSums(c30, c31, c32, c33)
      if (parts == 2) {
        put(o, wide(d0, d1, rowScale, scale), accumulate)
        put(o + step, wide(d2, d3, rowScale, scale + 4), accumulate)
        o += 2 * step; scale += 8
      } else {
        put(o, narrow(d0, rowScale, scale), accumulate)
        put(o + step, narrow(d1, rowScale, scale + 4), accumulate)
        put(o + 2 * step, narrow(d2, rowScale, scale + 8), accumulate)
        put(o + 3 * step, narrow(d3, rowScale, scale + 12), accumulate)
        o += 4 * step; scale += 16
      }
    }
    for (; s + 2 <= rows; s += 2) {
      let c00 = i32x4.splat(0), c01 = c00, c02 = c00, c03 = c00, c10 = c00, c11 = c00, c12 = c00, c13 = c00
      let x1 = x + lda
      for (let p = w; p < end; p += 64) {
        const w0 = v128.load(p), w1 = v128.load(p, 16), w2 = v128.load(p, 32), w3 = v128.load(p, 48)
        let y = v128.load(x)
        c00 = dot(w0, y, c00); c01 = dot(w1, y, c01); c02 = dot(w2, y, c02); c03 = dot(w3, y, c03)
        y = v128.load(x1)
        c10 = dot(w0, y, c10); c11 = dot(w1, y, c11); c12 = dot(w2, y, c12); c13 = dot(w3, y, c13)
        x += 16; x1 += 16
      }
      x = x1
      const d0 = laneSums(c00, c01, c02, c03), d1 = laneSums(c10, c11, c12, c13)
      if (parts == 2) {
        put(o, wide(d0, d1, rowScale, scale), accumulate)
        o += step; scale += 4
      } else {
        put(o, narrow(d0, rowScale, scale), accumulate)
        put(o + step, narrow(d1, rowScale, scale + 4), accumulate)
        o += 2 * step; scale += 8
      }
    }
    if (s < rows) {
      let c00 = i32x4.splat(0), c01 = c00, c02 = c00, c03 = c00
      for (let p = w; p < end; p += 64) {
        const y = v128.load(x)
        c00 = dot(v128.load(p), y, c00); c01 = dot(v128.load(p, 16), y, c01)
        c02 = dot(v128.load(p, 32), y, c02); c03 = dot(v128.load(p, 48), y, c03)
        x += 16
      }
      put(o, narrow(laneSums(c00, c01, c02, c03), rowScale, scale), accumulate)
    }
    w = end
  }
}

/** The same with float weights, row after row: for checks, not for speed. Each sum has one order, whatever runs beside it. */
export function matmulFloat(
  w: usize, a: usize, out: usize, ldo: i32, streams: i32, n: i32, k: i32, accumulate: bool,
): void {
  const bytes = <usize>k << 2
  for (let r = 0; r < n; r++) {
    for (let s = 0; s < streams; s++) {
      let x = a + <usize>s * bytes
      let c0 = f32x4.splat(0), c1 = c0, c2 = c0, c3 = c0
      for (let p = w, end = w + bytes; p < end; p += 64) {
        c0 = f32x4.add(c0, f32x4.mul(v128.load(p), v128.load(x)))
        c1 = f32x4.add(c1, f32x4.mul(v128.load(p, 16), v128.load(x, 16)))
        c2 = f32x4.add(c2, f32x4.mul(v128.load(p, 32), v128.load(x, 32)))
        c3 = f32x4.add(c3, f32x4.mul(v128.load(p, 48), v128.load(x, 48)))
        x += 64
      }
      const sum = sum4(f32x4.add(f32x4.add(c0, c1), f32x4.add(c2, c3)))
      const o = out + (<usize>(s * ldo + r) << 2)
      store<f32>(o, accumulate ? load<f32>(o) + sum : sum)
    }
    w += bytes
  }
}
