import { describe, expect, test } from 'vitest'
import { falseLetters, score, sources } from '../bench/extractors.ts'
import { sharedDir } from './shared.ts'

describe.skipIf(!sharedDir())('extractors on recorded traces (needs ../shared)', () => {
  test.each(Object.entries(sources()).filter(([, cases]) => cases.some((c) => c.truth !== undefined)))(
    '%s',
    (name, cases) => {
      const s = score(cases)
      // traces that never announce their answer are missed; those that do must be read right
      expect(s.precision, s.misses.join('\n')).toBeGreaterThanOrEqual(0.97)
      expect(s.recall, s.misses.join('\n')).toBeGreaterThanOrEqual(/MATH-500|SpatialMap/.test(name) ? 0.6 : 0.97)
    },
  )

  test('an article is never read as an option', () => {
    const { lines, read } = falseLetters()
    expect(lines).toBeGreaterThan(1000)
    expect(read).toEqual([])
  })
})
