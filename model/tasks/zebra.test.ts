import { describe, expect, test } from 'vitest'
import { random } from '../../src/base/random.ts'
import { zebralogic } from '../../src/tasks/zebralogic/index.ts'
import { readZebra, type Zebra } from '../../src/verify/zebra/index.ts'
import { textOf } from '../doc.ts'
import { calm, clumsy, type Mood, usual } from '../story.ts'
import { type Domains, narrow, settleFeature, vacant } from './domains.ts'
import { author } from './zebra.ts'

const seeds = Array.from({ length: 60 }, (_, i) => i)
const told = (seed: number, mood: Mood) => {
  const rng = random(`zebra story/${seed}`)
  const instance = zebralogic.generate!(rng, { size: rng.int(2, 4), features: rng.int(2, 4) })
  const story = author.tell(rng, instance, mood)
  return { instance, story, text: textOf(story.lines.flatMap((l) => [...l.parts])) }
}
const answerOf = ({ instance, story }: ReturnType<typeof told>) =>
  story.answer &&
  zebralogic.verify(
    instance,
    zebralogic.extract(instance, zebralogic.answerPrefix + textOf(story.answer), 'final')!,
    'final',
  )

describe('stories of logic grids', () => {
  test('without slips every one ends at the solution and never starts over', () => {
    for (const seed of seeds) {
      const it = told(seed, calm)
      expect(answerOf(it)).toMatchObject({ kind: 'pass', complete: true })
      expect(it.text).not.toContain('Start over')
    }
  })

  test('what is stated as sure without a slip before it is never refuted', () => {
    for (const seed of seeds) {
      const { instance, story } = told(seed, calm)
      for (const { here } of story.lines) {
        const stated = zebralogic.extract(instance, author.partial(instance, here), 'partial')
        if (stated !== undefined) expect(zebralogic.verify(instance, stated, 'partial').kind).toBe('pass')
      }
    }
  })

  test('a supposition that failed is given up for what was noted before it, less its house', () => {
    const failed = seeds.map((seed) => told(seed, calm)).filter(({ text }) => text.includes('So that is out. I keep'))
    expect(failed.length).toBeGreaterThan(0)
    for (const { text } of failed) {
      const lines = text.split('\n')
      const out = lines.findIndex((line) => line.startsWith('So that is out. I keep'))
      const from = lines.findLastIndex((line, i) => i < out && line.startsWith('Suppose '))
      const [, name, house] = /^Suppose (.+) (\d)\.$/.exec(lines[from]!)!
      const noted = entries(lines[from - 1]!.replace('So far ', ''))
      const kept = entries(lines[out]!.replace('So that is out. I keep ', ''))
      for (const [value, houses] of noted) if (value !== name) expect(kept.get(value)).toBe(houses)
      expect(kept.get(name!)!.split(' ')).not.toContain(house)
    }
  })

  test('every story comes to an end, also one with slips at every turn', () => {
    for (const seed of seeds)
      for (const mood of [usual, clumsy]) {
        const it = told(seed, mood)
        // right or wrong, it is a grid that the verifier can judge
        expect(['pass', 'fail']).toContain(answerOf(it)?.kind)
        expect(it.text.match(/Start over/g)?.length ?? 0).toBeLessThanOrEqual(2)
      }
  })

  test('a filled grid is checked whenever something was supposed', () => {
    const supposed = seeds.map((seed) => told(seed, calm)).filter(({ text }) => text.includes('Suppose '))
    expect(supposed.length).toBeGreaterThan(0)
    for (const { text } of supposed) expect(text).toMatch(/\nCheck 1: /)
  })
})

const entries = (text: string): Map<string, string> =>
  new Map(
    text
      .replace(/\.$/, '')
      .split(', ')
      .map((part) => [part.replace(/( \d)+$/, ''), /( \d)+$/.exec(part)![0].trim()]),
  )

describe('narrowing', () => {
  const grids = seeds.slice(0, 20).map((seed) => {
    const rng = random(`narrowing/${seed}`)
    const z = readZebra(zebralogic.generate!(rng, { size: rng.int(2, 4), features: 3 }).puzzle) as Zebra
    const n = z.grid.houses
    const d: Domains = Array.from({ length: n * z.grid.features }, () => rng.int(1, 2 ** n - 1))
    return { z, n, d }
  })

  test('all-different loses no arrangement that the houses allow, and says when there is none', () => {
    for (const { z, n, d } of grids)
      for (let f = 0; f < z.grid.features; f++) {
        const all = arrangements(n).filter((houses) => houses.every((h, i) => (d[f * n + i]! >> h) & 1))
        const next = settleFeature(n, d, f)
        for (const houses of all) for (const [i, h] of houses.entries()) expect((next[f * n + i]! >> h) & 1).toBe(1)
        const impossible = next.slice(f * n, f * n + n).includes(0) || vacant(n, next, f).length > 0
        if (impossible) expect(all).toHaveLength(0)
      }
  })

  test('a clue takes away exactly the houses that no choice of the other value supports', () => {
    for (const { z, n, d } of grids)
      for (const clue of z.grid.clues) {
        if (clue.kind === 'in') continue
        const [a, b] = [clue.a, clue.b].map((x) => x.feature * n + x.value) as [number, number]
        const next = narrow(n, d, clue)
        for (let h = 0; h < n; h++) {
          const one = Array.from({ length: n }, (_, k) => k).some(
            (k) => (d[a]! >> h) & 1 && (d[b]! >> k) & 1 && holds(clue, h, k),
          )
          expect(Boolean((next[a]! >> h) & 1)).toBe(one)
        }
      }
  })
})

function holds(clue: { kind: string; by?: number }, h: number, k: number): boolean {
  const table: Record<string, boolean> = {
    same: h === k,
    differ: h !== k,
    left: h < k,
    offset: k - h === clue.by,
    apart: Math.abs(k - h) === clue.by,
  }
  return table[clue.kind]!
}

function arrangements(n: number): number[][] {
  if (n === 0) return [[]]
  return arrangements(n - 1).flatMap((rest) =>
    Array.from({ length: n }, (_, at) => [...rest.slice(0, at), n - 1, ...rest.slice(at)]),
  )
}
