/**
 * Text that only grows, with cheap slices near its end. One long string will not do: taking a slice makes V8 copy everything
 * that was added since the last slice *and* before it, so that looking at each token of a long trace would be quadratic.
 */
export interface GrowingText {
  readonly length: number
  append(piece: string): void
  slice(from: number, to: number): string
}

const CHUNK = 1_024

export function growingText(): GrowingText {
  const chunks: string[] = []
  const starts: number[] = []
  let tail = ''
  let tailStart = 0

  const chunkAt = (offset: number): number => {
    let lo = 0
    let hi = chunks.length - 1
    while (lo < hi) {
      const mid = (lo + hi + 1) >> 1
      if (starts[mid]! <= offset) lo = mid
      else hi = mid - 1
    }
    return lo
  }

  return {
    get length() {
      return tailStart + tail.length
    },
    append(piece) {
      tail += piece
      if (tail.length < CHUNK) return
      chunks.push(tail)
      starts.push(tailStart)
      tailStart += tail.length
      tail = ''
    },
    slice(from, to) {
      if (from >= tailStart) return tail.slice(from - tailStart, to - tailStart)
      const parts: string[] = []
      for (let i = chunkAt(from); i < chunks.length && starts[i]! < to; i++)
        parts.push(chunks[i]!.slice(Math.max(0, from - starts[i]!), to - starts[i]!))
      if (to > tailStart) parts.push(tail.slice(0, to - tailStart))
      return parts.join('')
    },
  }
}
