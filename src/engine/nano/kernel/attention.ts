// Attention over a cache of int8 keys and values in blocks, with the entropy of each head's weights on the side.
// A block holds, a layer and key/value head at a time: keys, values, the keys' scales, the values' scales.
// Keys lie in tiles of 16 positions × 4 dimensions and values in tiles of 4 positions × 16 dimensions, so that one `dot`
// serves four positions (or dimensions) with no sum across lanes, and every head of a group uses what was loaded once.
import { bytes, dotLanes, exp4, max4, sum4 } from './math'

/** positions a block */
export const BLOCK: i32 = 32

/** q · k for up to three heads that share keys; scores to `scores`, `stride` bytes a head. Gives each head's maximum. */
// @ts-ignore: decorator
@inline
function scoresOf(
  heads: i32, table: usize, record: usize, count: i32, d: i32, q: usize, qScales: usize, scores: usize, stride: usize,
): v128 {
  const half = <usize>d << 4
  const scaleAt = record + (<usize>(BLOCK * d) << 1)
  const s0 = v128.load32_splat(qScales), s1 = v128.load32_splat(qScales + 4), s2 = v128.load32_splat(qScales + 8)
  let m0 = f32x4.splat(-1e9), m1 = m0, m2 = m0
  for (let base = 0; base < count; base += 16) {
    const block = <usize>load<u32>(table + (<usize>(base >> 5) << 2))
    const odd = <usize>(base & 16)
    let p = block + record + (odd ? half : 0)
    const end = p + half
    let q0 = q, q1 = q + <usize>d, q2 = q1 + <usize>d
    let a0 = i32x4.splat(0), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0, c0 = a0, c1 = a0, c2 = a0, c3 = a0
    for (; p < end; p += 64) {
      const k0 = v128.load(p), k1 = v128.load(p, 16), k2 = v128.load(p, 32), k3 = v128.load(p, 48)
      let x = v128.load32_splat(q0)
      a0 = dotLanes(k0, x, a0); a1 = dotLanes(k1, x, a1); a2 = dotLanes(k2, x, a2); a3 = dotLanes(k3, x, a3)
      q0 += 4
      if (heads > 1) {
        x = v128.load32_splat(q1)
        b0 = dotLanes(k0, x, b0); b1 = dotLanes(k1, x, b1); b2 = dotLanes(k2, x, b2); b3 = dotLanes(k3, x, b3)
        q1 += 4
      }
      if (heads > 2) {
        x = v128.load32_splat(q2)
        c0 = dotLanes(k0, x, c0); c1 = dotLanes(k1, x, c1); c2 = dotLanes(k2, x, c2); c3 = dotLanes(k3, x, c3)
        q2 += 4
      }
    }
    const ks = block + scaleAt + (odd << 2)
    const k0 = v128.load(ks), k1 = v128.load(ks, 16), k2 = v128.load(ks, 32), k3 = v128.load(ks, 48)
    const o = scores + (<usize>base << 2)
    const left = count - base
    m0 = f32x4.max(m0, scale16(o, a0, a1, a2, a3, k0, k1, k2, k3, s0, left))
    if (heads > 1) m1 = f32x4.max(m1, scale16(o + stride, b0, b1, b2, b3, k0, k1, k2, k3, s1, left))
    if (heads > 2) m2 = f32x4.max(m2, scale16(o + 2 * stride, c0, c1, c2, c3, k0, k1, k2, k3, s2, left))
  }
  return f32x4(max4(m0), heads > 1 ? max4(m1) : 0, heads > 2 ? max4(m2) : 0, 0)
}

/** Positions past the end hold what an older sequence left there: they get a score that no softmax sees. */
// @ts-ignore: decorator
@inline
function scale16(
  o: usize, a0: v128, a1: v128, a2: v128, a3: v128, k0: v128, k1: v128, k2: v128, k3: v128, s: v128, left: i32,
): v128 {
  let x0 = f32x4.mul(f32x4.convert_i32x4_s(a0), f32x4.mul(k0, s)), x1 = f32x4.mul(f32x4.convert_i32x4_s(a1), f32x4.mul(k1, s))
  let x2 = f32x4.mul(f32x4.convert_i32x4_s(a2), f32x4.mul(k2, s)), x3 = f32x4.mul(f32x4.convert_i32x4_s(a3), f32x4.mul(k3, s))
  if (left < 16) {
    const n = i32x4.splat(left), none = f32x4.splat(-1e9)
    x0 = v128.bitselect(x0, none, i32x4.gt_s(n, i32x4(0, 1, 2, 3)))
    x1 = v128.bitselect(x1, none, i32x4.gt_s(n, i32x4(4, 5, 6, 7)))
    x2 = v128.bitselect(x2, none, i32x4.gt_s(n, i32x4(8, 9, 10, 11)))
    x3 = v128.bitselect(x3, none, i32x4.gt_s(n, i32x4(12, 13, 14, 15)))
  }
  v128.store(o, x0)
  v128.store(o, x1, 16)
  v128.store(o, x2, 32)
  v128.store(o, x3, 48)
  return f32x4.max(f32x4.max(x0, x1), f32x4.max(x2, x3))
}

/**
 * Scores to weights: e^(s-m) times the value's scale, as 14-bit whole numbers in two bytes, high bytes at `weights`, low
 * bytes `stride` after. Gives the factor that turns the weighted sum of int8 values into the head's output.
 * The entropy of the softmax needs one more running sum: H = ln l - Σ e^(s-m)·(s-m) / l.
 */
function softmax(
  table: usize, record: usize, count: i32, d: i32, m: f32, scores: usize, weights: usize, stride: usize, entropy: usize,
): f32 {
  const valueScales = record + (<usize>(BLOCK * d) << 1) + (BLOCK << 2)
  const top = f32x4.splat(m)
  let l = f32x4.splat(0), l1 = l, w = l, w1 = l, largest = l
  for (let base = 0; base < count; base += 8) {
    const block = <usize>load<u32>(table + (<usize>(base >> 5) << 2))
    const vs = block + valueScales + (<usize>(base & 31) << 2)
    const o = scores + (<usize>base << 2)
    const x = f32x4.sub(v128.load(o), top), x1 = f32x4.sub(v128.load(o, 16), top)
    const e = exp4(x), e1 = exp4(x1)
    l = f32x4.add(l, e)
    l1 = f32x4.add(l1, e1)
    if (entropy) {
      w = f32x4.add(w, f32x4.mul(e, x))
      w1 = f32x4.add(w1, f32x4.mul(e1, x1))
    }
    const v = f32x4.mul(e, v128.load(vs)), v1 = f32x4.mul(e1, v128.load(vs, 16))
    v128.store(o, v)
    v128.store(o, v1, 16)
    largest = f32x4.max(largest, f32x4.max(v, v1))
  }
  const sum = sum4(f32x4.add(l, l1))
  if (entropy) store<f32>(entropy, <f32>Math.log(<f64>sum) - sum4(f32x4.add(w, w1)) / sum)
  const peak = max4(largest)
  const inverse = f32x4.splat(peak > 0 ? <f32>16256 / peak : 0)
  const low = i32x4.splat(127)
  for (let base = 0; base < count; base += 16) {
    const o = scores + (<usize>base << 2)
    const a = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(o), inverse)))
    const b = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(o, 16), inverse)))
    const c = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(o, 32), inverse)))
    const e = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(o, 48), inverse)))
    const at = weights + <usize>base
    v128.store(at, bytes(i32x4.shr_s(a, 7), i32x4.shr_s(b, 7), i32x4.shr_s(c, 7), i32x4.shr_s(e, 7)))
    v128.store(at + stride, bytes(v128.and(a, low), v128.and(b, low), v128.and(c, low), v128.and(e, low)))
  }
  return peak / 16256 / sum
}

/** out = Σ weight · value for up to three heads; a head's two rows of weights lie `2·stride` after the one before. */
// @ts-ignore: decorator
@inline
function weighted(
  heads: i32, table: usize, record: usize, count: i32, d: i32, weights: usize, stride: usize, factors: v128, out: usize,
): void {
  for (let at = 0; at < d; at += 16) {
    const values = record + <usize>(BLOCK * d) + <usize>(BLOCK * at)
    let a0 = i32x4.splat(0), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0, a6 = a0, a7 = a0
    let b0 = a0, b1 = a0, b2 = a0, b3 = a0, b4 = a0, b5 = a0, b6 = a0, b7 = a0
    let c0 = a0, c1 = a0, c2 = a0, c3 = a0, c4 = a0, c5 = a0, c6 = a0, c7 = a0
    let h = weights
    for (let base = 0; base < count; base += BLOCK) {
      let p = <usize>load<u32>(table + (<usize>(base >> 5) << 2)) + values
      const end = p + (<usize>min(BLOCK, (count - base + 3) & ~3) << 4)
      for (; p < end; p += 64) {
        const v0 = v128.load(p), v1 = v128.load(p, 16), v2 = v128.load(p, 32), v3 = v128.load(p, 48)
        let x = v128.load32_splat(h)
        a0 = dotLanes(v0, x, a0); a1 = dotLanes(v1, x, a1); a2 = dotLanes(v2, x, a2); a3 = dotLanes(v3, x, a3)
        x = v128.load32_splat(h + stride)
        a4 = dotLanes(v0, x, a4); a5 = dotLanes(v1, x, a5); a6 = dotLanes(v2, x, a6); a7 = dotLanes(v3, x, a7)
        if (heads > 1) {
          x = v128.load32_splat(h + 2 * stride)
          b0 = dotLanes(v0, x, b0); b1 = dotLanes(v1, x, b1); b2 = dotLanes(v2, x, b2); b3 = dotLanes(v3, x, b3)
          x = v128.load32_splat(h + 3 * stride)
          b4 = dotLanes(v0, x, b4); b5 = dotLanes(v1, x, b5); b6 = dotLanes(v2, x, b6); b7 = dotLanes(v3, x, b7)
        }
        if (heads > 2) {
          x = v128.load32_splat(h + 4 * stride)
          c0 = dotLanes(v0, x, c0); c1 = dotLanes(v1, x, c1); c2 = dotLanes(v2, x, c2); c3 = dotLanes(v3, x, c3)
          x = v128.load32_splat(h + 5 * stride)
          c4 = dotLanes(v0, x, c4); c5 = dotLanes(v1, x, c5); c6 = dotLanes(v2, x, c6); c7 = dotLanes(v3, x, c7)
        }
        h += 4
      }
    }
    const o = out + (<usize>at << 2)
    put16(o, a0, a1, a2, a3, a4, a5, a6, a7, f32x4.extract_lane(factors, 0))
    if (heads > 1) put16(o + (<usize>d << 2), b0, b1, b2, b3, b4, b5, b6, b7, f32x4.extract_lane(factors, 1))
    if (heads > 2) put16(o + (<usize>d << 3), c0, c1, c2, c3, c4, c5, c6, c7, f32x4.extract_lane(factors, 2))
  }
}

// @ts-ignore: decorator
@inline
function join(high: v128, low: v128, factor: v128): v128 {
  return f32x4.mul(f32x4.convert_i32x4_s(i32x4.add(i32x4.shl(high, 7), low)), factor)
}

// @ts-ignore: decorator
@inline
function put16(o: usize, h0: v128, h1: v128, h2: v128, h3: v128, l0: v128, l1: v128, l2: v128, l3: v128, f: f32): void {
  const factor = f32x4.splat(f)
  v128.store(o, join(h0, l0, factor))
  v128.store(o, join(h1, l1, factor), 16)
  v128.store(o, join(h2, l2, factor), 32)
  v128.store(o, join(h3, l3, factor), 48)
}

// @ts-ignore: decorator
@inline
function groupOf(
  heads: i32, table: usize, record: usize, count: i32, d: i32, q: usize, qScales: usize, scores: usize, weights: usize,
  stride: usize, out: usize, entropy: usize,
): void {
  const tops = scoresOf(heads, table, record, count, d, q, qScales, scores, stride << 2)
  const f0 = softmax(table, record, count, d, f32x4.extract_lane(tops, 0), scores, weights, stride, entropy)
  let f1: f32 = 0
  let f2: f32 = 0
  if (heads > 1)
    f1 = softmax(
      table, record, count, d, f32x4.extract_lane(tops, 1), scores + (stride << 2), weights + 2 * stride, stride,
      entropy ? entropy + 4 : 0,
    )
  if (heads > 2)
    f2 = softmax(
      table, record, count, d, f32x4.extract_lane(tops, 2), scores + (stride << 3), weights + 4 * stride, stride,
      entropy ? entropy + 8 : 0,
    )
  weighted(heads, table, record, count, d, weights, stride, f32x4(f0, f1, f2, 0), out)
}

function group1(t: usize, r: usize, n: i32, d: i32, q: usize, qs: usize, s: usize, w: usize, st: usize, o: usize, e: usize): void {
  groupOf(1, t, r, n, d, q, qs, s, w, st, o, e)
}
function group2(t: usize, r: usize, n: i32, d: i32, q: usize, qs: usize, s: usize, w: usize, st: usize, o: usize, e: usize): void {
  groupOf(2, t, r, n, d, q, qs, s, w, st, o, e)
}
function group3(t: usize, r: usize, n: i32, d: i32, q: usize, qs: usize, s: usize, w: usize, st: usize, o: usize, e: usize): void {
  groupOf(3, t, r, n, d, q, qs, s, w, st, o, e)
}

/**
 * One stream's attention to its `count` positions: `heads` query heads (int8 with a scale each, 1/√d included), `kvHeads`
 * of keys and values. `table` lists the stream's blocks; `layer` is the offset of this layer's first record in a block.
 */
export function attend(
  table: usize, layer: usize, count: i32, d: i32, heads: i32, kvHeads: i32, q: usize, qScales: usize, scores: usize,
  weights: usize, stride: usize, out: usize, entropy: usize,
): void {
  const size = <usize>(BLOCK * d * 2 + BLOCK * 8)
  const share = heads / kvHeads
  for (let kv = 0; kv < kvHeads; kv++) {
    for (let left = share; left > 0; ) {
      const n = left >= 3 ? 3 : left
      const e = entropy
      if (n == 3) group3(table, layer, count, d, q, qScales, scores, weights, stride, out, e)
      else if (n == 2) group2(table, layer, count, d, q, qScales, scores, weights, stride, out, e)
      else group1(table, layer, count, d, q, qScales, scores, weights, stride, out, e)
      q += <usize>(n * d)
      qScales += <usize>n << 2
      out += <usize>(n * d) << 2
      if (entropy) entropy += <usize>n << 2
      left -= n
    }
    layer += size
  }
}
