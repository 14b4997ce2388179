/** The compiled kernel. Runs wherever WebAssembly with SIMD does; the caller brings the bytes. */
export interface Kernel {
  matmulInt8(
    w: number,
    rowScales: number,
    a: number,
    scales: number,
    out: number,
    ldo: number,
    streams: number,
    n: number,
    k: number,
    parts: number,
    accumulate: boolean,
  ): void
  matmulFloat(
    w: number,
    a: number,
    out: number,
    ldo: number,
    streams: number,
    n: number,
    k: number,
    accumulate: boolean,
  ): void
  norm(x: number, w: number, out: number, streams: number, n: number, eps: number): void
  swiglu(x: number, ldx: number, out: number, streams: number, n: number): void
  quantise(x: number, out: number, scales: number, streams: number, n: number, parts: number): void
  attention(
    qkv: number,
    ld: number,
    rows: number,
    meta: number,
    layer: number,
    d: number,
    heads: number,
    kvHeads: number,
    rope: number,
    scratch: number,
    stride: number,
    out: number,
    entropy: number,
    entropyStep: number,
    float: boolean,
  ): void
  exponentials(x: number, out: number, n: number, scale: number, peak: number): number
  signed(): number
}

export interface KernelBinaries {
  readonly plain: BufferSource
  /** the same with relaxed SIMD's dot product: three times as fast where the machine has one */
  readonly relaxed?: BufferSource | undefined
}

/** An instance over the given memory. Both binaries give the same numbers, so the faster is taken where it runs. */
export function instantiate(binaries: KernelBinaries, memory: WebAssembly.Memory): Kernel {
  const open = (bytes: BufferSource): Kernel =>
    new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory } }).exports as unknown as Kernel
  if (binaries.relaxed && WebAssembly.validate(binaries.relaxed)) {
    const kernel = open(binaries.relaxed)
    if (kernel.signed()) return kernel
  }
  return open(binaries.plain)
}
