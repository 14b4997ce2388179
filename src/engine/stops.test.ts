import fc from 'fast-check'
import { expect, it } from 'vitest'
import { stopMatcher } from './stops.ts'

it('finds a stop text wherever tokens and characters are cut', () => {
  const unit = fc.constantFrom('a', 'b', 'é', '}')
  const text = fc.string({ unit, minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(
      text,
      fc.string({ unit, minLength: 1, maxLength: 4 }),
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }),
      (whole, stop, sizes) => {
        const match = stopMatcher([stop, '###'])
        const bytes = new TextEncoder().encode(whole)
        const decoder = new TextDecoder()
        let seen = ''
        let found: string | undefined
        for (let at = 0, i = 0; at < bytes.length && found === undefined; i++) {
          const piece = bytes.subarray(at, at + sizes[i % sizes.length]!)
          at += piece.length
          seen += decoder.decode(piece, { stream: true })
          found = match({ text: '', bytes: piece })
          // told at the first token that completes it, and not before
          expect(found !== undefined).toBe(seen.includes(stop))
        }
        expect(found !== undefined).toBe(whole.includes(stop))
      },
    ),
  )
})

it('names the stop that came first and passes over empty ones', () => {
  const match = stopMatcher(['', 'b', 'ab'])
  expect(match({ text: 'xx' })).toBeUndefined()
  expect(match({ text: 'xabx' })).toBe('ab')
})
