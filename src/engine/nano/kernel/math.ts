// Vector helpers of the kernel. Every function is a fixed sequence of IEEE operations, so that all machines get the same bits.

/**
 * Sixteen int8 products added to four int32 sums, exactly; which product goes to which lane is left open, the caller adds
 * the lanes up. Both operands stay in [-127, 127].
 */
// @ts-ignore: decorator
@inline
export function dot(w: v128, a: v128, sum: v128): v128 {
  // One instruction where relaxed SIMD is on (sdot on ARM). The host compares its signs with the plain form before it uses it.
  if (ASC_FEATURE_RELAXED_SIMD) return i32x4.relaxed_dot_i8x16_i7x16_add_s(w, a, sum)
  // Two products of 127 · 127 fit in an int16.
  const pairs = i16x8.add(i16x8.extmul_low_i8x16_s(w, a), i16x8.extmul_high_i8x16_s(w, a))
  return i32x4.add(sum, i32x4.extadd_pairwise_i16x8_s(pairs))
}

/** The same, and lane i gets the products of bytes 4i to 4i + 3. */
// @ts-ignore: decorator
@inline
export function dotLanes(w: v128, a: v128, sum: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return i32x4.relaxed_dot_i8x16_i7x16_add_s(w, a, sum)
  const low = i32x4.extadd_pairwise_i16x8_s(i16x8.extmul_low_i8x16_s(w, a))
  const high = i32x4.extadd_pairwise_i16x8_s(i16x8.extmul_high_i8x16_s(w, a))
  const lanes = i32x4.add(v128.shuffle<i32>(low, high, 0, 2, 4, 6), v128.shuffle<i32>(low, high, 1, 3, 5, 7))
  return i32x4.add(sum, lanes)
}

/** The four lane sums of four int32 vectors, as one vector. */
// @ts-ignore: decorator
@inline
export function laneSums(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = i32x4.add(v128.shuffle<i32>(a, b, 0, 2, 4, 6), v128.shuffle<i32>(a, b, 1, 3, 5, 7))
  const cd = i32x4.add(v128.shuffle<i32>(c, d, 0, 2, 4, 6), v128.shuffle<i32>(c, d, 1, 3, 5, 7))
  return i32x4.add(v128.shuffle<i32>(ab, cd, 0, 2, 4, 6), v128.shuffle<i32>(ab, cd, 1, 3, 5, 7))
}

// @ts-ignore: decorator
@inline
export function sum4(v: v128): f32 {
  return (
    f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + (f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3))
  )
}

// @ts-ignore: decorator
@inline
export function max4(v: v128): f32 {
  return max(
    max(f32x4.extract_lane(v, 0), f32x4.extract_lane(v, 1)),
    max(f32x4.extract_lane(v, 2), f32x4.extract_lane(v, 3)),
  )
}

/** e^x for x ≤ 88, to 2 ulp: Cephes' expf. Below -87 it stays at e^-87, which no sum here notices. */
// @ts-ignore: decorator
@inline
export function exp4(x0: v128): v128 {
  const x = f32x4.max(x0, f32x4.splat(-87))
  const n = f32x4.nearest(f32x4.mul(x, f32x4.splat(1.44269504)))
  const r = f32x4.sub(f32x4.sub(x, f32x4.mul(n, f32x4.splat(0.693359375))), f32x4.mul(n, f32x4.splat(-2.12194440e-4)))
  let y = f32x4.splat(1.9875691500e-4)
  y = f32x4.add(f32x4.mul(y, r), f32x4.splat(1.3981999507e-3))
  y = f32x4.add(f32x4.mul(y, r), f32x4.splat(8.3334519073e-3))
  y = f32x4.add(f32x4.mul(y, r), f32x4.splat(4.1665795894e-2))
  y = f32x4.add(f32x4.mul(y, r), f32x4.splat(1.6666665459e-1))
  y = f32x4.add(f32x4.mul(y, r), f32x4.splat(5.0000001201e-1))
  y = f32x4.add(f32x4.add(f32x4.mul(y, f32x4.mul(r, r)), r), f32x4.splat(1))
  const power = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(n), i32x4.splat(127)), 23)
  return f32x4.mul(y, power)
}

/** Four int32 vectors with values in [-128, 127] as sixteen bytes. */
// @ts-ignore: decorator
@inline
export function bytes(a: v128, b: v128, c: v128, d: v128): v128 {
  return i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(a, b), i16x8.narrow_i32x4_s(c, d))
}
