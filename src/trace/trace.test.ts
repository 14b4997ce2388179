import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Token } from './token.ts'
import { Trace } from './trace.ts'
import type { Origin } from './words.ts'

const token = (text: string, id?: number): Token => (id === undefined ? { text } : { id, text })
const begin = (text = 'Q:') => Trace.begin(text, [token(text, 0)])

describe('Trace', () => {
  test('is never changed by what is made from it', () => {
    const a = begin().append(token('one', 1))
    const b = a.append(token('two', 2))
    const c = a.append(token('three', 3))
    expect([a.text, b.text, c.text]).toEqual(['Q:one', 'Q:onetwo', 'Q:onethree'])
    expect(b.rollback(2).append(token('four', 4)).ids()).toEqual([0, 1, 4])
    expect(b.ids()).toEqual([0, 1, 2])
  })

  test('keeps segments with their origin', () => {
    const trace = begin()
      .append(token('a'))
      .append(token('b'))
      .appendAll([token('no')], 'feedback', { role: 'user', content: 'no' })
      .append(token('c'))
    expect(trace.segments.map(({ origin, start, end, turn }) => [origin, start, end, turn?.content])).toEqual([
      ['prompt', 0, 1, undefined],
      ['model', 1, 3, undefined],
      ['feedback', 3, 4, 'no'],
      ['model', 4, 5, undefined],
    ])
    expect(trace.promptLength).toBe(1)
    expect(trace.written).toBe('abnoc')
  })

  test('joins a character that is cut across tokens, and a roll-back into it keeps the bytes that wait', () => {
    const bytes = new TextEncoder().encode('a€b')
    const cut = [...bytes].map((byte, i) => ({ id: i + 1, text: '', bytes: Uint8Array.of(byte) }))
    const whole = cut.reduce((t, piece) => t.append(piece), begin(''))
    expect(whole.text).toBe('a€b')
    expect(whole.rollback(3).text).toBe('a')
    expect(whole.rollback(3).append(cut[2]!).append(cut[3]!).text).toBe('a€')
    expect(whole.rollback(2).append(token('x')).text).toBe('ax')
  })

  test('says so when asked for what is not there', () => {
    const trace = begin()
    expect(() => trace.rollback(2)).toThrow(RangeError)
    expect(() => trace.token(1)).toThrow(RangeError)
    expect(() => trace.positionOf(9)).toThrow(RangeError)
  })

  test('ids are all or none', () => {
    expect(begin().append(token('x')).ids()).toBeUndefined()
  })

  test('a roll-back costs the same however long the trace is', () => {
    let trace = begin()
    for (let i = 0; i < 200_000; i++) trace = trace.append(token('x', i))
    const started = performance.now()
    for (let i = 0; i < 10_000; i++) trace.rollback(100_000 + i).append(token('y', i))
    // 10,000 copies of 100,000 tokens would take minutes
    expect(performance.now() - started).toBeLessThan(2_000)
  })

  test('behaves like an array of tokens under any sequence of appends, forks and roll-backs', () => {
    type Model = { tokens: Token[]; origins: Origin[] }
    const step = fc.record({
      on: fc.nat(30),
      op: fc.constantFrom('append', 'inject', 'rollback'),
      text: fc.string({ unit: 'binary', maxLength: 5 }),
      back: fc.nat(10),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const made: [Trace, Model][] = [[begin('ab'), { tokens: [token('ab', 0)], origins: ['prompt'] }]]
        for (const { on, op, text, back } of steps) {
          const [trace, model] = made[on % made.length]!
          const next = token(text, made.length)
          if (op === 'append')
            made.push([trace.append(next), { tokens: [...model.tokens, next], origins: [...model.origins, 'model'] }])
          else if (op === 'inject')
            made.push([
              trace.appendAll([next, next], 'feedback'),
              { tokens: [...model.tokens, next, next], origins: [...model.origins, 'feedback', 'feedback'] },
            ])
          else {
            const keep = Math.max(1, trace.length - back)
            made.push([
              trace.rollback(keep),
              { tokens: model.tokens.slice(0, keep), origins: model.origins.slice(0, keep) },
            ])
          }
        }
        for (const [trace, model] of made) {
          const text = model.tokens.map((t) => t.text).join('')
          expect(trace.text).toBe(text)
          expect(trace.tokens()).toEqual(model.tokens)
          expect(trace.length).toBe(model.tokens.length)
          expect(trace.segments.flatMap((s) => Array(s.end - s.start).fill(s.origin))).toEqual(model.origins)
          let offset = 0
          model.tokens.forEach((t, i) => {
            expect(trace.offsetOf(i)).toBe(offset)
            offset += t.text.length
          })
          for (let at = 0; at <= text.length; at++) {
            const position = trace.positionOf(at)
            expect(trace.rollback(position).text.length).toBeGreaterThanOrEqual(at)
            if (position > 0) expect(trace.rollback(position - 1).text.length).toBeLessThan(at)
            expect(trace.rollback(trace.positionBefore(at)).text.length).toBeLessThanOrEqual(at)
            expect(trace.slice(at)).toBe(text.slice(at))
          }
        }
      }),
      { numRuns: 300 },
    )
  })
})
