import fc from 'fast-check'
import { expect, test } from 'vitest'
import { blocks, lastFence } from './blocks.ts'
import { splitBody } from './body.ts'

const cases: [string, string, string | undefined][] = [
  ['keeps the first line’s indentation', '[CODE]\n  let y := x + 1\n  y * 2\n[/CODE]', '  let y := x + 1\n  y * 2'],
  [
    'tags quoted in prose are no blocks',
    'Here it is, wrapped in [CODE] tags:\n[CODE]\nx + 1\n[/CODE]\nI used [CODE] and [/CODE] as asked.',
    'x + 1',
  ],
  ['a prose line that begins with the tag', '[CODE]\nx + 1\n[/CODE]\n[CODE] and [/CODE] as asked.', 'x + 1'],
  ['never closed', 'Sure.\n[CODE]\n  x + 1\n', '  x + 1'],
  ['fenced inside', '[CODE]\n```lean\n  x + 1\n```\n[/CODE]', '  x + 1'],
  ['fence that never closes', '[CODE]\n```lean4\n  x + 1\n[/CODE]', '  x + 1'],
  ['fenced outside', '```lean\n[CODE]\n  x + 1\n[/CODE]\n```', '  x + 1'],
  ['one line', '[CODE] x + 1 [/CODE]', ' x + 1 '],
  ['the last one wins', '[CODE]\na\n[/CODE]\nNo, better:\n[CODE]\nb\n[/CODE]', 'b'],
  ['an empty one does not', '[CODE]\na\n[/CODE]\n[CODE]\n[/CODE]', 'a'],
  ['windows line ends', '[CODE]\r\n  a\r\n  b\r\n[/CODE]', '  a\n  b'],
  ['list literals are no tags', '[CODE]\n  [1, 2]\n[/CODE]', '  [1, 2]'],
  ['no block', 'I cannot solve this.', undefined],
]
test.each(cases)('%s', (_, text, code) => {
  expect(blocks(text).CODE).toBe(code)
})

test('a specification with helpers', () => {
  const text =
    '[PRECOND_AUX]\ndef p := 1\n[/PRECOND_AUX]\n[PRECOND]\n  True\n[/PRECOND]\n[POSTCOND]\n  result = x\n[/POSTCOND]'
  expect(blocks(text)).toEqual({ PRECOND_AUX: 'def p := 1', PRECOND: '  True', POSTCOND: '  result = x' })
})

test('an unclosed block ends where the next begins', () => {
  expect(blocks('[PRECOND]\n  True\n[POSTCOND]\n  result = x')).toEqual({ PRECOND: '  True', POSTCOND: '  result = x' })
})

test('the last fence that says it is Lean', () => {
  expect(lastFence('```lean\n  a\n```\n```python\nb\n```')).toBe('  a')
})

test('any body that stands between tags is found as it is', () => {
  const line = fc
    .string({ unit: fc.constantFrom('a', ' ', '(', ':=', '→', '[', '1', '|', '=>'), minLength: 1 })
    .filter((l) => l.trim() !== '')
  fc.assert(
    fc.property(fc.array(line, { minLength: 1 }), fc.boolean(), (lines, closed) => {
      const body = lines.join('\n')
      expect(blocks(`Some words.\n[CODE]\n${body}${closed ? '\n[/CODE]\nMore words.' : ''}`).CODE).toBe(body)
    }),
    { numRuns: 2000 },
  )
})

test('any text gives blocks or none, quickly', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (s) => typeof blocks(`[CODE]\n${s}`) === 'object'))
  const started = performance.now()
  for (const unit of ['[CODE]', '[CODE]\n', '```\n', '[/CODE]', '\u0000']) {
    blocks(unit.repeat(100_000))
    lastFence(unit.repeat(100_000))
  }
  expect(performance.now() - started).toBeLessThan(10_000)
})

test('the bare body is moved in from the margin', () => {
  expect(splitBody('let y := x\ny', 'f')).toEqual({ aux: '', body: '\n  let y := x\n  y' })
  expect(splitBody('  let y := x\n  y', 'f')).toEqual({ aux: '', body: '\n  let y := x\n  y' })
})

test('the whole definition again, with a default argument', () => {
  expect(splitBody('def f (n : Nat := 3) (h : p n) : Nat :=\n  n + 1', 'f')).toEqual({ aux: '', body: '\n  n + 1' })
  expect(splitBody('def f (n : Nat) : Nat := n + 1', 'f').body).toBe(' n + 1')
})

test('helpers before the definition', () => {
  const code = 'def go (a : Nat := 1) : Nat := a\n\ndef f (n : Nat) : Nat := Id.run do\n  return go n'
  expect(splitBody(code, 'f')).toEqual({ aux: 'def go (a : Nat := 1) : Nat := a', body: ' Id.run do\n  return go n' })
})

test('helpers before a bare body', () => {
  const code = 'def go (a : Nat) : Nat :=\n  a\n\n  go n'
  expect(splitBody(code, 'f')).toEqual({ aux: 'def go (a : Nat) : Nat :=\n  a', body: '\n  go n' })
})

test('a longer name is another function', () => {
  expect(splitBody("def f' (n : Nat) : Nat := n\n\nf' n", 'f').aux).toBe("def f' (n : Nat) : Nat := n")
})

const equations: [string, string, readonly string[], string][] = [
  [
    'all arguments unnamed',
    'def f : (n : Nat) → f_pre n → Nat\n  | 0, _ => 1\n  | n + 1, h => n',
    ['n', 'h_precond'],
    ' match n, h_precond with\n  | 0, _ => 1\n  | n + 1, h => n',
  ],
  [
    'the first named',
    'def f (k : Nat := 2) : List Nat → f_pre k → Nat\n  | [], _ => k\n  | (x :: _), _ => x',
    ['k', 'xs', 'h_precond'],
    ' match xs, h_precond with\n  | [], _ => k\n  | (x :: _), _ => x',
  ],
  [
    'the proof left out',
    'def f : List (Nat × Nat) → Nat\n| [] => 0\n| (a, b) :: _ => a + b',
    ['xs', 'h_precond'],
    ' match xs with\n| [] => 0\n| (a, b) :: _ => a + b',
  ],
  [
    'a bar in a comment, a bracket in a character',
    "def f -- either | or\n    : List Char → Nat\n  | '(' :: _ => 1\n  | _ => 0",
    ['cs'],
    " match cs with\n  | '(' :: _ => 1\n  | _ => 0",
  ],
  ['in one line', 'def f : Nat → Nat | 0 => 1 | n => n', ['n'], ' match n with\n  | 0 => 1 | n => n'],
]
test.each(equations)('a definition by equations is matched on the row’s own arguments: %s', (_, code, args, body) => {
  expect(splitBody(code, 'f', args)).toEqual({ aux: '', body })
  expect(splitBody(`def go := 1\n\n${code}`, 'f', args)).toEqual({ aux: 'def go := 1', body })
})

test('more patterns than arguments are not guessed at', () => {
  expect(splitBody('def f : Nat → Nat → Nat\n  | 0, _ => 1\n  | n, m => n', 'f', ['n']).body).toContain('def f')
})

test('a body that matches is no definition by equations', () => {
  const code = 'def f (n : Nat) : Nat :=\n  match n with\n  | 0 => 1\n  | n + 1 => n'
  expect(splitBody(code, 'f', ['n']).body).toBe('\n  match n with\n  | 0 => 1\n  | n + 1 => n')
})
