import fc from 'fast-check'
import { expect, test } from 'vitest'
import { refusal } from './scan.ts'
import { tokens } from './tokens.ts'

const refused: [string, string][] = [
  ['theorem t : 1 = 2 := by sorry', 'sorry'],
  ['theorem t : 1 = 2 := sorry', 'sorry'],
  ['by admit', 'admit'],
  ['axiom cheat : False', 'axiom'],
  ['def f := _root_.sorryAx Nat', '_root_.sorryAx'],
  ['by native_decide', 'native_decide'],
  ['@[implemented_by g] def f := 1', 'implemented_by'],
  ['@[simp, extern "puts"] def f := 1', 'extern'],
  ['unsafe def f := 1', 'unsafe'],
  ['#eval 1', '#eval'],
  ['1\n#eval! IO.println 2', '#eval!'],
  ['#exit', '#exit'],
  ['def f : IO Unit := pure ()', 'IO'],
  ['IO.FS.writeFile "x" "y"', 'IO.FS.writeFile'],
  ['run_cmd pure ()', 'run_cmd'],
  ['open Lean Meta', 'Lean'],
  ['open Lean.Elab in def f := 1', 'Lean.Elab'],
  ['initialize x : Nat ← pure 1', 'initialize'],
  ['macro "x" : term => `(1)', 'macro'],
  ['elab "x" : term => pure default', 'elab'],
  ['notation "f" => 5', 'notation'],
  ['set_option debug.skipKernelTC true', 'debug.skipKernelTC'],
  ['import Lean', 'import'],
  ['s!"{(sorry : Nat)}"', 'sorry'],
  ['dbg_trace "x"; 1', 'dbg_trace'],
  ['«sorry»', 'sorry'],
  ['/- open -/ sorry /- close', 'sorry'],
  ['opaque f : Nat', 'opaque'],
  ['Lean.ofReduceBool', 'Lean.ofReduceBool'],
  ["let h' := 1\nsorry", 'sorry'],
  ["'\"' sorry", 'sorry'],
  ['r#"raw " text"# sorry', 'sorry'],
  ['exact rein_h', 'rein_h'],
]
test.each(refused)('refuses %s', (source, token) => {
  expect(refusal(source)?.token).toBe(token)
})

const allowed = [
  'x + 1 -- sorry, this is only a comment',
  '/- sorry /- nested axiom -/ unsafe -/ x',
  'if s == "sorry" then "#eval" else "axiom"',
  "let c := '\"'\nlet d := 1",
  'let sorryCount := 1\nsorryCount',
  '#[1, 2, 3].foldl (· + ·) 0',
  'let init := 0; l.foldl (init := init) (· + ·)',
  'xs.isPrefixOf ys && a.extern',
  'set_option maxHeartbeats 400000 in\nx',
  'let rec go (i : Nat) : Nat := if i = 0 then 0 else go (i - 1)\ngo n',
  "theorem h' : a = b := by decide",
  'Id.run do\n  let mut s := 0\n  for x in xs do s := s + x\n  return s',
  'private def helper (a : Nat := 3) : Nat := a',
  'panic! "empty"',
]
test.each(allowed)('allows %s', (source) => {
  expect(refusal(source)).toBeUndefined()
})

test('names the line', () => {
  expect(refusal('x\n/- a\nb -/\n  sorry')).toMatchObject({ token: 'sorry', line: 4 })
})

test('a hole is found behind any comment, string and layout', () => {
  const noise = fc.constantFrom(
    '-- a\n',
    '/- /- sorry -/ -/',
    '"sorry \\" x"',
    "'s'",
    'x.y ',
    '\n',
    '  ',
    'f (a) ',
    'r"\\"',
    "h'' ",
  )
  fc.assert(
    fc.property(fc.array(noise), fc.array(noise), (before, after) => {
      expect(refusal(before.join(' '))).toBeUndefined()
      expect(refusal(`${before.join(' ')}\nsorry ${after.join(' ')}`)?.token).toBe('sorry')
    }),
    { numRuns: 2000 },
  )
})

test('any text is cut in bounded time and never throws', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (s) => {
      expect(tokens(s).every((t) => t.text.length >= 0)).toBe(true)
    }),
    { numRuns: 300 },
  )
  const started = performance.now()
  for (const unit of ['/-', '"{', '«', "'", 'a.', '\u0000', '((((']) tokens(unit.repeat(50_000))
  expect(performance.now() - started).toBeLessThan(10_000)
})
