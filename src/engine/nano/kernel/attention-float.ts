// Attention in float: keys and values lie position by position in a block. For checks, and plain to read.
import { exp4, sum4 } from './math'
import { BLOCK } from './attention'

export function attendFloat(
  table: usize, layer: usize, count: i32, d: i32, heads: i32, kvHeads: i32, q: usize, scores: usize, out: usize,
  entropy: usize, scale: f32,
): void {
  const row = <usize>d << 2
  const size = <usize>BLOCK * row
  for (let h = 0; h < heads; h++) {
    const record = layer + <usize>(h / (heads / kvHeads)) * 2 * size
    let m: f32 = -1e9
    for (let j = 0; j < count; j++) {
      const k = <usize>load<u32>(table + (<usize>(j >> 5) << 2)) + record + <usize>(j & 31) * row
      let c = f32x4.splat(0)
      for (let i: usize = 0; i < row; i += 16) c = f32x4.add(c, f32x4.mul(v128.load(q + i), v128.load(k + i)))
      const s = sum4(c) * scale
      store<f32>(scores + (<usize>j << 2), s)
      m = max(m, s)
    }
    for (let j = count; j & 3; j++) store<f32>(scores + (<usize>j << 2), -1e9)
    let l = f32x4.splat(0), w = l
    for (let j: usize = 0; j < <usize>count << 2; j += 16) {
      const x = f32x4.sub(v128.load(scores + j), f32x4.splat(m))
      const e = exp4(x)
      l = f32x4.add(l, e)
      w = f32x4.add(w, f32x4.mul(e, x))
      v128.store(scores + j, e)
    }
    const sum = sum4(l)
    if (entropy) store<f32>(entropy + (<usize>h << 2), <f32>Math.log(<f64>sum) - sum4(w) / sum)
    for (let i: usize = 0; i < row; i += 16) v128.store(out + i, f32x4.splat(0))
    for (let j = 0; j < count; j++) {
      const v = <usize>load<u32>(table + (<usize>(j >> 5) << 2)) + record + size + <usize>(j & 31) * row
      const p = f32x4.splat(load<f32>(scores + (<usize>j << 2)) / sum)
      for (let i: usize = 0; i < row; i += 16)
        v128.store(out + i, f32x4.add(v128.load(out + i), f32x4.mul(p, v128.load(v + i))))
    }
    q += row
    out += row
  }
}
