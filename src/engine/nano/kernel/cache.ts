// A new position: turn its queries and keys (RoPE), and write its key and value into the stream's last block.
import { BLOCK } from './attention'
import { quantiseRow } from './rows'

/** Hugging Face's half rotation: dimension i turns with i + d/2. */
export function rotate(x: usize, heads: i32, d: i32, cos: usize, sin: usize): void {
  const half = <usize>d << 1
  for (let h = 0; h < heads; h++) {
    for (let i: usize = 0; i < half; i += 16) {
      const a = v128.load(x + i), b = v128.load(x + i + half), c = v128.load(cos + i), s = v128.load(sin + i)
      v128.store(x + i, f32x4.sub(f32x4.mul(a, c), f32x4.mul(b, s)))
      v128.store(x + i + half, f32x4.add(f32x4.mul(b, c), f32x4.mul(a, s)))
    }
    x += <usize>d << 2
  }
}

/** Queries to int8, a scale each, with 1/√d in it. */
export function quantiseQueries(x: usize, out: usize, scales: usize, heads: i32, d: i32, scale: f32): void {
  for (let h = 0; h < heads; h++) {
    store<f32>(scales + (<usize>h << 2), quantiseRow(x, out, d) * scale)
    x += <usize>d << 2
    out += <usize>d
  }
}

/** One position's keys and values, all key/value heads, in the tiles that `attend` reads. `spare` has room for d bytes. */
export function keep(k: usize, v: usize, kvHeads: i32, d: i32, layer: usize, slot: i32, spare: usize): void {
  const size = <usize>(BLOCK * d)
  for (let h = 0; h < kvHeads; h++) {
    const scales = layer + 2 * size + (<usize>slot << 2)
    store<f32>(scales, quantiseRow(k, spare, d))
    let to = layer + <usize>((slot >> 4) * 16 * d) + (<usize>(slot & 15) << 2)
    for (let i: usize = 0; i < <usize>d; i += 4) {
      store<u32>(to, load<u32>(spare + i))
      to += 64
    }
    store<f32>(scales + (BLOCK << 2), quantiseRow(v, spare, d))
    to = layer + size + (<usize>(slot >> 2) << 6) + <usize>(slot & 3)
    for (let i: usize = 0; i < <usize>d; i += 16) {
      for (let j: usize = 0; j < 16; j++) store<u8>(to + (j << 2), load<u8>(spare + i + j))
      to += BLOCK << 4
    }
    layer += 2 * size + (BLOCK << 3)
    k += <usize>d << 2
    v += <usize>d << 2
  }
}

export function keepFloat(k: usize, v: usize, kvHeads: i32, d: i32, layer: usize, slot: i32): void {
  const row = <usize>d << 2
  for (let h = 0; h < kvHeads; h++) {
    const to = layer + <usize>slot * row
    for (let i: usize = 0; i < row; i += 16) {
      v128.store(to + i, v128.load(k + i))
      v128.store(to + i + <usize>BLOCK * row, v128.load(v + i))
    }
    layer += 2 * <usize>BLOCK * row
    k += row
    v += row
  }
}
