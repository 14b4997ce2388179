import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Sampling } from '../engine.ts'
import type { Model } from './model.ts'
import { createSampler, uniform } from './sampler.ts'

/** A model that is nothing but one row of logits. */
function rowOf(logits: Float32Array): Model {
  return {
    shape: { vocab: logits.length },
    logits: () => logits,
    exponentials: (_: number, scale: number) => {
      const max = Math.max(...logits)
      const values = logits.map((x) => Math.exp((x - max) * scale))
      return { values, sum: values.reduce((a, b) => a + b, 0), max }
    },
  } as unknown as Model
}

/** The distribution that the options ask for, written the long way. */
function exactly(logits: ArrayLike<number>, s: Sampling): number[] {
  const { temperature = 1, topP = 1, topK = 0, minP = 0 } = s
  const e = Array.from(logits, (x) => Math.exp(x / temperature))
  let order = e.map((_, i) => i).sort((a, b) => e[b]! - e[a]! || a - b)
  if (topK > 0) order = order.slice(0, topK)
  const total = order.reduce((sum, i) => sum + e[i]!, 0)
  let mass = 0
  order = order.filter((_, n) => {
    const before = mass
    mass += e[order[n]!]! / total
    return n === 0 || before < topP - 1e-12
  })
  order = order.filter((i) => e[i]! >= minP * e[order[0]!]!)
  const kept = order.reduce((sum, i) => sum + e[i]!, 0)
  return e.map((x, i) => (order.includes(i) ? x / kept : 0))
}

const logits = Float32Array.from([2, 1.5, 1.4, 0.3, 0, -0.2, -1, -1.1, -3, -6])

describe('sampler', () => {
  it.each<Sampling>([
    {},
    { temperature: 0.6 },
    { temperature: 1.7, topP: 0.9 },
    { temperature: 0.6, topP: 0.95, topK: 4 },
    { topK: 3 },
    { minP: 0.2 },
    { temperature: 0.8, topP: 0.8, minP: 0.1 },
  ])('draws with the exact probabilities: %j', (sampling) => {
    const sampler = createSampler(rowOf(logits))
    const n = 40_000
    const seen = Array(logits.length).fill(0) as number[]
    for (let position = 0; position < n; position++) seen[sampler.draw(0, sampling, position, 11, undefined).id]!++
    const want = exactly(logits, sampling)
    let chi = 0
    let freedom = -1
    want.forEach((p, i) => {
      if (p === 0) expect(seen[i]).toBe(0)
      else {
        chi += (seen[i]! - n * p) ** 2 / (n * p)
        freedom++
      }
    })
    // Wilson and Hilferty: the 99.9% quantile of chi-square.
    const limit = freedom === 0 ? 1e-9 : freedom * (1 - 2 / (9 * freedom) + 3.09 * Math.sqrt(2 / (9 * freedom))) ** 3
    expect(chi).toBeLessThanOrEqual(limit)
  })

  it('takes the likeliest at temperature 0, whatever the seed', () => {
    const sampler = createSampler(rowOf(logits))
    for (let seed = 0; seed < 20; seed++) expect(sampler.draw(0, { temperature: 0 }, seed, seed, undefined).id).toBe(0)
  })

  it('gives logprobs of the untempered, unpenalised distribution', () => {
    const row = logits.slice()
    const sampler = createSampler(rowOf(row))
    const want = exactly(logits, {})
    const all = new Uint8Array(10).fill(1)
    const { id, logprob } = sampler.draw(0, { temperature: 0.1, repetitionPenalty: 1.3 }, 3, 1, all)
    expect(logprob).toBeCloseTo(Math.log(want[id]!), 5)
    expect(row).toEqual(logits)
    const top = sampler.top(0, 3)
    expect(top.ids).toEqual([0, 1, 2])
    top.ids.forEach((v, i) => {
      expect(top.logprobs[i]).toBeCloseTo(Math.log(want[v]!), 5)
    })
  })

  it('holds what was said already against it', () => {
    const sampler = createSampler(rowOf(Float32Array.from([2, 1.9, -1])))
    const seen = Uint8Array.from([1, 0, 0])
    expect(sampler.draw(0, { temperature: 0 }, 0, 0, seen).id).toBe(0)
    expect(sampler.draw(0, { temperature: 0, repetitionPenalty: 1.5 }, 0, 0, seen).id).toBe(1)
  })

  it('has a number for each seed and position, evenly spread and unlike its neighbours', () => {
    const of = (n: number, f: (i: number) => number): number[] => Array.from({ length: n }, (_, i) => f(i))
    for (const row of [of(20_000, (i) => uniform(7, i)), of(20_000, (i) => uniform(i, 7))]) {
      const bins = Array(20).fill(0) as number[]
      for (const u of row) bins[Math.floor(u * 20)]!++
      expect(bins.reduce((c, b) => c + (b - 1000) ** 2 / 1000, 0)).toBeLessThan(43.8)
      const mean = row.slice(1).reduce((s, u, i) => s + (u - 0.5) * (row[i]! - 0.5), 0) / row.length
      expect(Math.abs(mean * 12)).toBeLessThan(0.03)
    }
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.nat(1 << 16), (seed, position) => {
        const u = uniform(seed, position)
        expect(u).toBe(uniform(seed, position))
        expect(u >= 0 && u < 1).toBe(true)
      }),
    )
    expect(uniform(2 ** 40 + 1, 0)).not.toBe(uniform(1, 0))
  })
})
