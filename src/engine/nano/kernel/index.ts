// The embedded model's arithmetic. It knows numbers at addresses; it knows nothing of tokens, streams or who owns which block.
import { attend } from './attention'
import { attendFloat } from './attention-float'
import { keep, keepFloat, quantiseQueries, rotate } from './cache'
import { exp4, max4, sum4, dotLanes } from './math'

export { matmulInt8, matmulFloat } from './matmul'
export { norm, quantise, swiglu } from './rows'

/**
 * Rotation, cache and attention of one layer for several rows, in order, so that a later row of a prefill sees the earlier
 * ones. A row of `qkv` is `ld` floats: queries, keys, values. `meta` has for each row: position, address of its block table.
 */
export function attention(
  qkv: usize, ld: i32, rows: i32, meta: usize, layer: usize, d: i32, heads: i32, kvHeads: i32, rope: usize, scratch: usize,
  stride: usize, out: usize, entropy: usize, entropyStep: usize, float: bool,
): void {
  const scale = <f32>1 / sqrt<f32>(<f32>d)
  const q8 = scratch, qScales = q8 + <usize>(heads * d), spare = qScales + (<usize>(heads + 4) << 2)
  const scores = (spare + <usize>d + 63) & ~63
  const weights = scores + 12 * stride
  for (let r = 0; r < rows; r++) {
    const position = load<i32>(meta)
    const table = <usize>load<u32>(meta, 4)
    const cos = rope + (<usize>(position * d) << 2)
    const sin = cos + (<usize>d << 1)
    rotate(qkv, heads + kvHeads, d, cos, sin)
    const k = qkv + (<usize>(heads * d) << 2)
    const v = k + (<usize>(kvHeads * d) << 2)
    const block = <usize>load<u32>(table + (<usize>(position >> 5) << 2)) + layer
    if (float) {
      keepFloat(k, v, kvHeads, d, block, position & 31)
      attendFloat(table, layer, position + 1, d, heads, kvHeads, qkv, scores, out, entropy, scale)
    } else {
      keep(k, v, kvHeads, d, block, position & 31, spare)
      quantiseQueries(qkv, q8, qScales, heads, d, scale)
      attend(table, layer, position + 1, d, heads, kvHeads, q8, qScales, scores, weights, stride, out, entropy)
    }
    meta += 8
    qkv += <usize>ld << 2
    out += <usize>(heads * d) << 2
    if (entropy) entropy += entropyStep
  }
}

/** out = e^((x - max)·scale). Gives the sum; the maximum is left at `peak`. `n` is a multiple of 4. */
export function exponentials(x: usize, out: usize, n: i32, scale: f32, peak: usize): f32 {
  let m = f32x4.splat(-1e9)
  const size = <usize>n << 2
  for (let i: usize = 0; i < size; i += 16) m = f32x4.max(m, v128.load(x + i))
  const top = max4(m)
  store<f32>(peak, top)
  let l = f32x4.splat(0)
  for (let i: usize = 0; i < size; i += 16) {
    const e = exp4(f32x4.mul(f32x4.sub(v128.load(x + i), f32x4.splat(top)), f32x4.splat(scale)))
    v128.store(out + i, e)
    l = f32x4.add(l, e)
  }
  return sum4(l)
}

/** Whether `dotLanes` multiplies signed bytes by signed bytes here; relaxed SIMD leaves that open. */
export function signed(): bool {
  const a = i8x16(-127, 127, -127, 127, 1, 2, 3, 4, -1, -2, -3, -4, 127, 127, 127, 127)
  const b = i8x16(-127, -127, -127, -127, -1, -2, 3, 4, -5, 6, -7, 8, -127, -127, -127, -127)
  const sum = dotLanes(a, b, i32x4.splat(1))
  return !v128.any_true(v128.xor(sum, i32x4(1, 1 - 5 + 25, 1 + 5 - 12 + 21 - 32, 1 - 4 * 16129)))
}
