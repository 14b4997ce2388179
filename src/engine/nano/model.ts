import type { Shape } from './config.ts'
import { instantiate, type KernelBinaries } from './kernel.ts'
import type { Image, Precision } from './weights.ts'

/**
 * The forward pass: rows of tokens in, logits and attention entropies out. A row is one position of one sequence; rows of
 * many sequences and of a prefill go through together, and none changes another's numbers. Knows addresses and blocks of
 * cache by number; knows nothing of who owns them.
 */
export interface Model {
  readonly shape: Shape
  readonly maxRows: number
  readonly blocks: number
  readonly blockBytes: number
  /** Block `block` is the `index`-th of the sequence in table `table`. */
  setBlock(table: number, index: number, block: number): void
  copyBlock(from: number, to: number): void
  forward(batch: Batch): void
  /** The logits of the i-th row that asked for them; valid until the next forward. */
  logits(i: number): Float32Array
  /** Layer by layer, head by head, in nats; of any row of the last forward that ran with entropy on. */
  entropies(row: number): Float32Array
  /** e^((logit - max)·scale) of row i, their sum and the max. The view is valid until the next call. */
  exponentials(i: number, scale: number): { values: Float32Array; sum: number; max: number }
}

export interface Batch {
  /** how many rows of the arrays count */
  rows: number
  readonly ids: Int32Array
  readonly positions: Int32Array
  readonly tables: Int32Array
  /** rows whose logits are wanted, `wanted` of them */
  readonly logits: Int32Array
  wanted: number
  entropy: boolean
}

/** positions a block; the kernel has it too */
export const BLOCK = 32

export type MatrixName = 'qkv' | 'o' | 'gateUp' | 'down' | 'head'

export interface ModelOptions {
  readonly precision?: Precision
  readonly maxRows?: number
  /** sequences at once */
  readonly tables?: number
  readonly cacheBytes?: number
  /** matrices that take 15-bit activations, in two products: closer to float, at twice the work */
  readonly wide?: readonly MatrixName[]
}

export function newBatch(maxRows: number): Batch {
  const ints = (): Int32Array => new Int32Array(maxRows)
  return { rows: 0, ids: ints(), positions: ints(), tables: ints(), logits: ints(), wanted: 0, entropy: false }
}

interface Layer {
  norm1: number
  norm2: number
  qkv: Matrix
  o: Matrix
  gateUp: Matrix
  down: Matrix
}

interface Matrix {
  at: number
  scales: number
  rows: number
  columns: number
  /** int8 rows a stream's activations take */
  parts: number
}

/** Rows a power of two apart fall into the same few cache lines, so a stride gets a line more. */
const padded = (floats: number): number => floats + 16

export function createModel(image: Image, shape: Shape, binaries: KernelBinaries, options: ModelOptions = {}): Model {
  const {
    precision = 'int8',
    maxRows = 64,
    tables = 256,
    cacheBytes = 192 << 20,
    wide = ['qkv', 'o', 'gateUp', 'down', 'head'],
  } = options
  const { hidden, heads, kvHeads, headDim, ffn, layers } = shape
  const float = precision === 'f32'
  const perTable = Math.ceil(shape.context / BLOCK)
  const headBytes = float ? BLOCK * headDim * 8 : BLOCK * headDim * 2 + BLOCK * 8
  const blockBytes = layers * kvHeads * headBytes
  const blocks = Math.max(2 * perTable, Math.floor(cacheBytes / blockBytes))
  const vocab = Math.ceil(shape.vocab / 8) * 8
  const qkvRows = (heads + 2 * kvHeads) * headDim
  const stride = Math.ceil(shape.context / 64) * 64 + 64
  const ld = padded(Math.max(qkvRows, 2 * ffn))
  const widest = Math.max(hidden, ffn, heads * headDim)

  let top = 65536
  const room = (bytes: number): number => {
    const at = top
    top += Math.ceil(bytes / 64) * 64
    return at
  }
  const places = new Map([...image].map(([name, t]) => [name, room(t.bytes.length)]))
  const x = room(maxRows * hidden * 4)
  const h = room(maxRows * widest * 4)
  const a8 = room(maxRows * widest * 2)
  const aScales = room(maxRows * 4 + 64)
  const big = room(maxRows * ld * 4)
  const outLogits = room(maxRows * padded(vocab) * 4)
  const spare = room(vocab * 4 + 64)
  const entropy = room(maxRows * layers * heads * 4)
  const rope = room(shape.context * headDim * 4)
  const scratch = room(18 * stride + heads * headDim + 4096)
  const meta = room(maxRows * 8)
  const table = room(tables * perTable * 4)
  const pool = room(blocks * blockBytes)
  const memory = new WebAssembly.Memory({ initial: Math.max(256, Math.ceil(top / 65536) + 1) })
  const kernel = instantiate(binaries, memory)
  const bytes = new Uint8Array(memory.buffer)
  const floats = new Float32Array(memory.buffer)
  const ints = new Int32Array(memory.buffer)
  for (const [name, t] of image) bytes.set(t.bytes, places.get(name)!)
  fillRope(floats.subarray(rope / 4, rope / 4 + shape.context * headDim), shape)

  const place = (name: string): number => places.get(name) ?? 0
  const matrix = (name: string): Matrix => {
    const [rows, columns] = image.get(name)!.shape as [number, number]
    const parts = wide.some((kind) => name.endsWith(kind)) ? 2 : 1
    return { at: place(name), scales: place(`${name}.scale`), rows, columns, parts }
  }
  const stackOf = Array.from(
    { length: layers },
    (_, n): Layer => ({
      norm1: place(`${n}.norm1`),
      norm2: place(`${n}.norm2`),
      qkv: matrix(`${n}.qkv`),
      o: matrix(`${n}.o`),
      gateUp: matrix(`${n}.gateUp`),
      down: matrix(`${n}.down`),
    }),
  )
  const head = matrix('head')
  const norm = place('norm')
  const embed = place('embed') / 4

  /** h · w to `out`, or added to it. In int8 the activations of each row get a scale of their own. */
  function product(w: Matrix, out: number, ldo: number, rows: number, add: boolean): void {
    if (float) {
      kernel.matmulFloat(w.at, h, out, ldo, rows, w.rows, w.columns, add)
    } else {
      kernel.quantise(h, a8, aScales, rows, w.columns, w.parts)
      kernel.matmulInt8(w.at, w.scales, a8, aScales, out, ldo, rows, w.rows, w.columns, w.parts, add)
    }
  }

  function layer(n: number, rows: number, withEntropy: boolean): void {
    const w = stackOf[n]!
    kernel.norm(x, w.norm1, h, rows, hidden, shape.eps)
    product(w.qkv, big, ld, rows, false)
    const at = withEntropy ? entropy + n * heads * 4 : 0
    kernel.attention(
      big,
      ld,
      rows,
      meta,
      n * kvHeads * headBytes,
      headDim,
      heads,
      kvHeads,
      rope,
      scratch,
      stride,
      h,
      at,
      layers * heads * 4,
      float,
    )
    product(w.o, x, hidden, rows, true)
    kernel.norm(x, w.norm2, h, rows, hidden, shape.eps)
    product(w.gateUp, big, ld, rows, false)
    kernel.swiglu(big, ld, h, rows, ffn)
    product(w.down, x, hidden, rows, true)
  }

  return {
    shape,
    maxRows,
    blocks,
    blockBytes,
    setBlock: (t, index, block) => {
      ints[(table >> 2) + t * perTable + index] = pool + block * blockBytes
    },
    copyBlock: (from, to) =>
      bytes.copyWithin(pool + to * blockBytes, pool + from * blockBytes, pool + (from + 1) * blockBytes),
    forward: ({ rows, ids, positions, tables: tableOf, logits, wanted, entropy: withEntropy }) => {
      for (let r = 0; r < rows; r++) {
        const from = embed + ids[r]! * hidden
        floats.copyWithin(x / 4 + r * hidden, from, from + hidden)
        ints[(meta >> 2) + 2 * r] = positions[r]!
        ints[(meta >> 2) + 2 * r + 1] = table + tableOf[r]! * perTable * 4
      }
      for (let n = 0; n < layers; n++) layer(n, rows, withEntropy)
      if (wanted === 0) return
      for (let i = 0; i < wanted; i++)
        kernel.norm(x + logits[i]! * hidden * 4, norm, h + i * hidden * 4, 1, hidden, shape.eps)
      product(head, outLogits, padded(vocab), wanted, false)
    },
    logits: (i) => {
      const at = outLogits / 4 + i * padded(vocab)
      return floats.subarray(at, at + shape.vocab)
    },
    entropies: (row) => {
      const at = entropy / 4 + row * layers * heads
      return floats.subarray(at, at + layers * heads)
    },
    exponentials: (i, scale) => {
      const at = outLogits / 4 + i * padded(vocab)
      // The rows that only fill up the last group of eight must not count.
      for (let v = shape.vocab; v < vocab; v++) floats[at + v] = -1e9
      const sum = kernel.exponentials(outLogits + i * padded(vocab) * 4, spare, vocab, scale, spare + vocab * 4)
      return {
        values: floats.subarray(spare / 4, spare / 4 + shape.vocab),
        sum,
        max: floats[spare / 4 + vocab]!,
      }
    },
  }
}

/** Cosines and then sines of each position: angle = position · theta^(-2i/d). */
function fillRope(out: Float32Array, { context, headDim, theta }: Shape): void {
  const half = headDim / 2
  for (let p = 0; p < context; p++)
    for (let i = 0; i < half; i++) {
      const angle = p * theta ** (-i / half)
      out[p * headDim + i] = Math.cos(angle)
      out[p * headDim + half + i] = Math.sin(angle)
    }
}
