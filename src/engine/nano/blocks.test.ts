import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBlocks, type Sequence } from './blocks.ts'

const size = 4

/** Blocks over a fake cache in which the entry of a position is the sequence of ids up to it: what attention would see. */
function fakeCache(count: number) {
  const memory: (string | undefined)[][] = Array.from({ length: count }, () => Array(size))
  const blocks = createBlocks(count, size, (from, to) => {
    memory[to] = [...memory[from]!]
  })
  const pending: (() => void)[] = []
  const write = (sequence: Sequence, ids: readonly number[]): boolean => {
    while (sequence.length < ids.length) {
      const position = sequence.length
      if (blocks.append(sequence, ids[position]!) === 'full') return false
      const block = sequence.blocks[Math.floor(position / size)]!
      pending.push(() => {
        memory[block.index]![position % size] = ids.slice(0, position + 1).join(' ')
      })
    }
    return true
  }
  /** The forward pass: only now is anything in the cache. */
  const compute = (): void => {
    for (const write of pending.splice(0)) write()
    blocks.settle()
  }
  const read = (sequence: Sequence): (string | undefined)[] => {
    compute()
    return Array.from(
      { length: sequence.length },
      (_, p) => memory[sequence.blocks[Math.floor(p / size)]!.index]![p % size],
    )
  }
  return { blocks, write, read, compute }
}

const prefixes = (ids: readonly number[]): string[] => ids.map((_, i) => ids.slice(0, i + 1).join(' '))

describe('blocks', () => {
  it('lets a fork share what it has in common and copies one block when they part', () => {
    const { blocks, write, read, compute } = fakeCache(10)
    const main = blocks.open([1, 2, 3, 4, 5, 6], 0)
    write(main, [1, 2, 3, 4, 5, 6])
    compute()
    const fork = blocks.open([1, 2, 3, 4, 5, 6, 9], 6)
    expect(fork.length).toBe(6)
    expect(fork.blocks).toEqual(main.blocks)
    expect(blocks.stats).toMatchObject({ copied: 0, held: 2 })
    write(fork, [1, 2, 3, 4, 5, 6, 9])
    expect(blocks.stats.copied).toBe(0)
    write(main, [1, 2, 3, 4, 5, 6, 7])
    expect(blocks.stats.copied).toBe(1)
    expect(read(fork)).toEqual(prefixes([1, 2, 3, 4, 5, 6, 9]))
    expect(read(main)).toEqual(prefixes([1, 2, 3, 4, 5, 6, 7]))
  })

  it('finds what a closed sequence left behind', () => {
    const { blocks, write, compute } = fakeCache(10)
    const first = blocks.open([], 0)
    write(first, [1, 2, 3, 4, 5, 6, 7, 8, 9])
    compute()
    blocks.close(first)
    expect(blocks.open([1, 2, 3, 4, 5, 6, 0], 6).length).toBe(6)
    expect(blocks.open([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 9).length).toBe(9)
    expect(blocks.open([2, 2], 1).length).toBe(0)
  })

  it('evicts the longest unused first, never what is held, and says when all is held', () => {
    const { blocks, write } = fakeCache(2)
    const a = blocks.open([], 0)
    write(a, [1])
    blocks.close(a)
    const b = blocks.open([], 0)
    write(b, [2])
    const c = blocks.open([], 0)
    expect(write(c, [3])).toBe(true)
    expect(blocks.open([1, 1], 1).length).toBe(0)
    expect(write(blocks.open([], 0), [4])).toBe(false)
  })

  it('keeps every sequence whole, whatever the order of forks, appends and ends', () => {
    const step = fc.record({
      act: fc.constantFrom('open', 'append', 'append', 'append', 'cut', 'close'),
      who: fc.nat(7),
      id: fc.nat(2),
      at: fc.nat(20),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const { blocks, write, read } = fakeCache(24)
        const live: { ids: number[]; sequence: Sequence }[] = []
        for (const { act, who, id, at } of steps) {
          const one = live[who % Math.max(1, live.length)]
          if (act === 'close' && one) {
            blocks.close(one.sequence)
            live.splice(live.indexOf(one), 1)
          } else if (act === 'append' && one) {
            if (!write(one.sequence, [...one.ids, id])) continue
            one.ids.push(id)
          } else if (act === 'open' || act === 'cut') {
            const ids = one ? one.ids.slice(0, at) : []
            if (live.length > 7) continue
            const sequence = blocks.open(ids, ids.length)
            if (write(sequence, ids)) live.push({ ids, sequence })
            else blocks.close(sequence)
          }
          // several sequences write in one step, as in a batch
          if (id === 0) for (const { ids, sequence } of live) expect(read(sequence)).toEqual(prefixes(ids))
        }
        for (const { sequence } of live) blocks.close(sequence)
        expect(blocks.stats.held).toBe(0)
      }),
      { numRuns: 60 },
    )
  })
})
