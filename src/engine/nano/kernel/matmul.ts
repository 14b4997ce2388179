// Weights times activations. Weights lie in groups of eight rows, sixteen columns of each in turn, so that a product reads
// them once and in order, for all streams. int8 sums are exact, so what runs beside a stream cannot change its numbers.
// The tiles are written out: each load costs a bounds check, so a tile makes the most of what it has loaded.
import { dot, laneSums, sum4 } from './math'

// @ts-ignore: decorator
@inline
function put(out: usize, value: v128, accumulate: bool): void {
  v128.store(out, accumulate ? f32x4.add(v128.load(out), value) : value)
}

/** One stream's four results: its own scale times the rows' scales. */
// @ts-ignore: decorator
@inline
function narrow(sum: v128, rowScales: usize, scale: usize): v128 {
  return f32x4.mul(f32x4.convert_i32x4_s(sum), f32x4.mul(v128.load(rowScales), v128.load32_splat(scale)))
}

/** Wide activations are 128 · high + low. */
// @ts-ignore: decorator
@inline
function wide(high: v128, low: v128, rowScales: usize, scale: usize): v128 {
  const sum = f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(high), f32x4.splat(128)), f32x4.convert_i32x4_s(low))
  return f32x4.mul(sum, f32x4.mul(v128.load(rowScales), v128.load32_splat(scale)))
}

/** Eight rows, one row of activations. */
// @ts-ignore: decorator
@inline
function tile1(w: usize, end: usize, rowScales: usize, x: usize, scale: usize, o: usize, accumulate: bool): void {
  let c0 = i32x4.splat(0), c1 = c0, c2 = c0, c3 = c0, c4 = c0, c5 = c0, c6 = c0, c7 = c0
  for (; w < end; w += 256) {
    let y = v128.load(x)
    c0 = dot(v128.load(w), y, c0); c1 = dot(v128.load(w, 16), y, c1)
    c2 = dot(v128.load(w, 32), y, c2); c3 = dot(v128.load(w, 48), y, c3)
    c4 = dot(v128.load(w, 64), y, c4); c5 = dot(v128.load(w, 80), y, c5)
    c6 = dot(v128.load(w, 96), y, c6); c7 = dot(v128.load(w, 112), y, c7)
    y = v128.load(x, 16)
    c0 = dot(v128.load(w, 128), y, c0); c1 = dot(v128.load(w, 144), y, c1)
    c2 = dot(v128.load(w, 160), y, c2); c3 = dot(v128.load(w, 176), y, c3)
    c4 = dot(v128.load(w, 192), y, c4); c5 = dot(v128.load(w, 208), y, c5)
    c6 = dot(v128.load(w, 224), y, c6); c7 = dot(v128.load(w, 240), y, c7)
    x += 32
  }
  put(o, narrow(laneSums(c0, c1, c2, c3), rowScales, scale), accumulate)
  put(o + 16, narrow(laneSums(c4, c5, c6, c7), rowScales + 16, scale), accumulate)
}

/** Eight rows, two rows of activations: two streams, or the two parts of one. */
// @ts-ignore: decorator
@inline
function tile2(
  w: usize, end: usize, rowScales: usize, x: usize, lda: usize, scale: usize, o: usize, step: usize, parts: i32,
  accumulate: bool,
): void {
  let c0 = i32x4.splat(0), c1 = c0, c2 = c0, c3 = c0, c4 = c0, c5 = c0, c6 = c0, c7 = c0
  let d0 = c0, d1 = c0, d2 = c0, d3 = c0, d4 = c0, d5 = c0, d6 = c0, d7 = c0
  let x1 = x + lda
  for (; w < end; w += 128) {
    const y = v128.load(x), z = v128.load(x1)
    let v = v128.load(w)
    c0 = dot(v, y, c0); d0 = dot(v, z, d0)
    v = v128.load(w, 16); c1 = dot(v, y, c1); d1 = dot(v, z, d1)
    v = v128.load(w, 32); c2 = dot(v, y, c2); d2 = dot(v, z, d2)
    v = v128.load(w, 48); c3 = dot(v, y, c3); d3 = dot(v, z, d3)
    v = v128.load(w, 64); c4 = dot(v, y, c4); d4 = dot(v, z, d4)
    v = v128.load(w, 80); c5 = dot(v, y, c5); d5 = dot(v, z, d5)
    v = v128.load(w, 96); c6 = dot(v, y, c6); d6 = dot(v, z, d6)
    v = v128.load(w, 112); c7 = dot(v, y, c7); d7 = dot(v, z, d7)
    x += 16; x1 += 16
  }
  const a = laneSums(c0, c1, c2, c3), b = laneSums(c4, c5, c6, c7)
  const c = laneSums(d0, d1, d2, d3), d = laneSums(d4, d5, d6, d7)
  if (parts == 2) {
    put(o, wide(a, c, rowScales, scale), accumulate)
    put(o + 16, wide(b, d, rowScales + 16, scale), accumulate)
  } else {
    put(o, narrow(a, rowScales, scale), accumulate)
    put(o + 16, narrow(b, rowScales + 16, scale), accumulate)
    put(o + step, narrow(c, rowScales, scale + 4), accumulate)
    put(o + step + 16, narrow(d, rowScales + 16, scale + 4), accumulate)
  }
}

/** Four rows (half of a group), four rows of activations. */
// @ts-ignore: decorator
@inline
function tile4(
  w: usize, end: usize, rowScales: usize, x: usize, lda: usize, scale: usize, o: usize, step: usize, parts: i32,
  accumulate: bool,
): void {
  let c00 = i32x4.splat(0), c01 = c00, c02 = c00, c03 = c00, c10 = c00, c11 = c00, c12 = c00, c13 = c00
  let c20 = c00, c21 = c00, c22 = c00, c23 = c00, c30 = c00, c31 = c00, c32 = c00, c33 = c00
  let x1 = x + lda, x2 = x1 + lda, x3 = x2 + lda
  // Not unrolled: the compiler loads first what a turn needs, and sixteen sums and eight loads are what the registers hold.
  for (; w < end; w += 128) {
    const w0 = v128.load(w), w1 = v128.load(w, 16), w2 = v128.load(w, 32), w3 = v128.load(w, 48)
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
  const d0 = laneSums(c00, c01, c02, c03), d1 = laneSums(c10, c11, c12, c13)
  const d2 = laneSums(c20, c21, c22, c23), d3 = laneSums(c30, c31, c32, c33)
  if (parts == 2) {
    put(o, wide(d0, d1, rowScales, scale), accumulate)
    put(o + step, wide(d2, d3, rowScales, scale + 4), accumulate)
  } else {
    put(o, narrow(d0, rowScales, scale), accumulate)
    put(o + step, narrow(d1, rowScales, scale + 4), accumulate)
    put(o + 2 * step, narrow(d2, rowScales, scale + 8), accumulate)
    put(o + 3 * step, narrow(d3, rowScales, scale + 12), accumulate)
  }
}

/**
 * out[s][r] (+)= scale[s] · rowScale[r] · Σ w[r][k] · a[s][k]. `k` is a multiple of 32, `n` of 8, `ldo` counts floats.
 * With `parts` = 2 each stream has two rows of `a`: the high and the low part of 15-bit activations.
 */
export function matmulInt8(
  w: usize, rowScales: usize, a: usize, scales: usize, out: usize, ldo: i32, streams: i32, n: i32, k: i32,
  parts: i32, accumulate: bool,
): void {
  const lda = <usize>k
  const group = lda << 3
  const step = <usize>ldo << 2
  const rows = streams * parts
  for (let r = 0; r < n; r += 8) {
    const end = w + group
    let o = out, x = a, scale = scales
    let s = 0
    for (; s + 4 <= rows; s += 4) {
      tile4(w, end, rowScales, x, lda, scale, o, step, parts, accumulate)
      tile4(w + 64, end + 64, rowScales + 16, x, lda, scale, o + 16, step, parts, accumulate)
      const done = 4 / parts
      o += <usize>done * step; scale += <usize>done << 2; x += lda << 2
    }
    if (s + 2 <= rows) {
      tile2(w, end, rowScales, x, lda, scale, o, step, parts, accumulate)
      const done = 2 / parts
      o += <usize>done * step; scale += <usize>done << 2; x += lda << 1
      s += 2
    }
    if (s < rows) tile1(w, end, rowScales, x, scale, o, accumulate)
    w = end
    rowScales += 32
    out += 32
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
