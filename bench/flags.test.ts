import { expect, test } from 'vitest'
import { parseFlags } from './flags.ts'

const defaults = { n: 60, suites: 'game24', only: '', pages: false }

test('flags by their defaults', () => {
  expect(parseFlags([], defaults)).toEqual(defaults)
  expect(parseFlags(['--n', '5', '--pages', '--only=halo'], defaults)).toEqual({
    n: 5,
    suites: 'game24',
    only: 'halo',
    pages: true,
  })
})

test.each([
  [['--help'], "Unknown option '--help'; the flags are --n 60, --suites game24, --only, --pages"],
  [['halo'], "Unexpected argument 'halo'"],
  [['--n', 'many'], '--n many is not a number from 0 on; the flags are'],
  [['--n='], 'is not a number'],
  [['--n=-1'], '--n -1 is not a number'],
  [['--pages=yes'], "Option '--pages' does not take an argument"],
  [['--only'], "Option '--only <value>' argument missing"],
])('%j is refused in one line', (args, message) => {
  expect(() => parseFlags(args, defaults)).toThrow(message)
})
