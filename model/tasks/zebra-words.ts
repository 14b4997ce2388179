import type { Clue, Zebra } from '../../src/verify/zebra/index.ts'
import { type Domains, houses } from './domains.ts'

/** Zebra puzzles in few words: values, clues, the table of what is settled. */

export const nameOf = (z: Zebra, at: number): string => {
  const n = z.grid.houses
  const feature = z.head.features[Math.floor(at / n)]!
  const value = feature.values[at % n]!
  const twice = z.head.features.filter((f) => f.values.includes(value)).length > 1
  return twice ? `${feature.key} ${value}` : value
}

export const at = (z: Zebra, named: { feature: number; value: number }): number =>
  named.feature * z.grid.houses + named.value

/** A clue in few words. */
export function gist(z: Zebra, clue: Clue): string {
  const a = nameOf(z, at(z, clue.a))
  if (clue.kind === 'in') {
    const list = houses(clue.houses)
    return list.length === 1
      ? `${a} in house ${list[0]}`
      : `${a} not in house ${houses(~clue.houses & (2 ** z.grid.houses - 1)).join(' ')}`
  }
  const b = nameOf(z, at(z, clue.b))
  switch (clue.kind) {
    case 'same':
      return `${a} with ${b}`
    case 'differ':
      return `${a} not with ${b}`
    case 'left':
      return `${a} left of ${b}`
    case 'offset':
      return clue.by === 1 ? `${a} just left of ${b}` : `${a} ${clue.by} left of ${b}`
    case 'apart':
      return clue.by === 1 ? `${a} next to ${b}` : `${a} ${clue.by} from ${b}`
    default:
      return clue satisfies never
  }
}

/** One entry a house, with the cells that are settled; '' for a house without any. */
export function table(z: Zebra, d: Domains): string[] {
  const n = z.grid.houses
  return Array.from({ length: n }, (_, h) => {
    const cells = z.head.features.flatMap((feature, f) => {
      const v = feature.values.findIndex((_, i) => d[f * n + i] === 1 << h)
      return v < 0 ? [] : [`"${feature.key}": "${feature.values[v]}"`]
    })
    return cells.length === 0 ? '' : `"House ${h + 1}": {${cells.join(', ')}}`
  })
}
