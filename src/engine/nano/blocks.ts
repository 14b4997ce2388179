/**
 * The cache in blocks, shared between sequences. Blocks form a tree: a block's tokens follow its parent's. A sequence is a
 * path in it; a fork, a roll-back or a resume finds the longest path that its ids follow and holds those blocks together
 * with whoever else does. Nothing is copied until two sequences want different tokens at the same place of one block, and
 * then only that block. Blocks that nobody holds stay until their room is needed, the longest unused first.
 */
export interface Sequence {
  readonly blocks: Block[]
  /** positions that are in the cache */
  length: number
}

export interface Block {
  readonly index: number
  readonly tokens: Int32Array
  /** slots with a token, and how many of them are computed: those of the step under way are not yet, and nobody may copy them */
  filled: number
  ready: number
  parent: Block | undefined
  readonly children: Set<Block>
  holders: number
  used: number
}

export interface Blocks {
  /** A sequence that holds as much of `ids` as the cache has, at most `limit` positions. */
  open(ids: ArrayLike<number>, limit: number): Sequence
  /** Makes room for `id` at the sequence's end. Gives the index of the block that changed in its path, -1 when none did. */
  append(sequence: Sequence, id: number): number | 'full'
  /** Everything appended so far has been computed. */
  settle(): void
  close(sequence: Sequence): void
  readonly stats: { readonly copied: number; readonly evicted: number; readonly held: number }
}

export function createBlocks(count: number, size: number, copy: (from: number, to: number) => void): Blocks {
  const all: Block[] = []
  const roots = new Set<Block>()
  let clock = 0
  const unsettled: Block[] = []
  const stats = { copied: 0, evicted: 0, held: 0 }

  const siblings = (parent: Block | undefined): Set<Block> => parent?.children ?? roots

  const hold = (block: Block): void => {
    if (block.holders++ === 0) stats.held++
    block.used = ++clock
  }

  const release = (block: Block): void => {
    if (--block.holders === 0) stats.held--
    block.used = ++clock
  }

  /** A free block: a new one, or the longest unused leaf of the tree. */
  function take(): Block | undefined {
    if (all.length < count) {
      const block: Block = {
        index: all.length,
        tokens: new Int32Array(size),
        filled: 0,
        ready: 0,
        parent: undefined,
        children: new Set(),
        holders: 0,
        used: 0,
      }
      all.push(block)
      return block
    }
    let oldest: Block | undefined
    for (const b of all) if (b.holders === 0 && b.children.size === 0 && (!oldest || b.used < oldest.used)) oldest = b
    if (!oldest) return undefined
    stats.evicted++
    siblings(oldest.parent).delete(oldest)
    return oldest
  }

  function place(parent: Block | undefined): Block | undefined {
    const block = take()
    if (!block) return undefined
    block.filled = 0
    block.ready = 0
    block.parent = parent
    siblings(parent).add(block)
    hold(block)
    return block
  }

  /** How many of the ids from `at` on a block's tokens match. */
  function shared(block: Block, ids: ArrayLike<number>, at: number, limit: number): number {
    const most = Math.min(block.ready, limit - at)
    let n = 0
    while (n < most && block.tokens[n] === ids[at + n]) n++
    return n
  }

  function open(ids: ArrayLike<number>, limit: number): Sequence {
    const blocks: Block[] = []
    let at = 0
    let level = roots
    while (at < limit) {
      let best: Block | undefined
      let most = 0
      for (const b of level) {
        const n = shared(b, ids, at, limit)
        if (n > most) {
          most = n
          best = b
        }
      }
      if (!best) break
      hold(best)
      blocks.push(best)
      at += most
      if (most < size) break
      level = best.children
    }
    return { blocks, length: at }
  }

  function append(sequence: Sequence, id: number): number | 'full' {
    const index = Math.floor(sequence.length / size)
    const slot = sequence.length % size
    const current = sequence.blocks[index]
    if (!current) {
      const block = place(sequence.blocks[index - 1])
      if (!block) return 'full'
      block.tokens[0] = id
      block.filled = 1
      unsettled.push(block)
      sequence.blocks.push(block)
      sequence.length++
      return index
    }
    if (slot === current.filled) {
      // The first to write here may, even in a shared block: nobody else's path reaches this far.
      current.tokens[slot] = id
      current.filled++
      unsettled.push(current)
      sequence.length++
      return -1
    }
    sequence.length++
    // Already there: the same token after the same tokens gives the same numbers.
    if (current.tokens[slot] === id && slot < current.ready) return -1
    const own = place(current.parent)
    if (!own) {
      sequence.length--
      return 'full'
    }
    copy(current.index, own.index)
    stats.copied++
    own.tokens.set(current.tokens.subarray(0, slot))
    own.tokens[slot] = id
    own.filled = slot + 1
    own.ready = slot
    unsettled.push(own)
    release(current)
    sequence.blocks[index] = own
    return index
  }

  return {
    open,
    append,
    settle: () => {
      for (const block of unsettled) block.ready = block.filled
      unsettled.length = 0
    },
    close: (sequence) => {
      for (const block of sequence.blocks) release(block)
      sequence.blocks.length = 0
    },
    stats,
  }
}
