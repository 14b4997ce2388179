import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readRow, type VerinaRow } from '../../src/tasks/verina/row.ts'
import { leanValue } from '../../src/tasks/verina/values.ts'
import { verinaCode } from '../../src/tasks/verina-code/index.ts'
import { verinaSpec } from '../../src/tasks/verina-spec/index.ts'
import { runsCode } from '../../src/verify/lean/runs-code.ts'
import { sharedLean } from '../../src/verify/lean/service.ts'
import { sharedDir } from '../shared.ts'

/** Grades on the dataset's test cases with the real Lean, through the tasks' own doors. */
const file = join(sharedDir() ?? '', 'data', 'verina', 'verina_189_half.jsonl')
const here = existsSync(file)
if (!here) console.warn('SKIPPED: the VERINA rows are not beside this checkout, so that nothing was graded with Lean')
const all: readonly VerinaRow[] = here
  ? readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((l) => readRow(JSON.parse(l)))
  : []
const rowOf = (id: string): VerinaRow => all.find((r) => r.id === `verina_${id}`)!

beforeAll(async () => {
  const started = performance.now()
  const runs = await runsCode(sharedLean(), '')
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  console.log(`Lean is up after ${seconds} s; it ${runs ? 'runs code' : 'proves only'}`)
  expect(runs).toBeDefined()
})
afterAll(() => sharedLean().close())

const written = (code: string, aux = ''): string =>
  `${aux && `[CODE_AUX]\n${aux}\n[/CODE_AUX]\n`}[CODE]\n${code}\n[/CODE]`
const helpers = ({ sections }: VerinaRow): string =>
  [sections.solution_aux, sections.code_aux].filter((t) => t?.trim()).join('\n\n')
const reference = (row: VerinaRow): string => written(row.sections.code!, helpers(row))

async function grade(what: string, row: VerinaRow, output: string, task = verinaCode): Promise<boolean | undefined> {
  const started = performance.now()
  const graded = await task.gradeAsync(row, output)
  console.log(`${row.id}, ${what}: ${graded} in ${((performance.now() - started) / 1000).toFixed(1)} s`)
  return graded
}

describe.skipIf(!here)('verina-code', () => {
  const ids = ['basic_101', 'basic_107', 'basic_78', 'advanced_17', 'advanced_40', 'basic_10']
  test.each(ids)('%s: its reference is right, and what the dataset calls wrong is wrong', async (id) => {
    const row = rowOf(id)
    expect(await grade('reference', row, reference(row))).toBe(true)
    const wrong = leanValue(row.tests[0]!.unexpected[0], row.returns)
    expect(await grade('wrong', row, written(`  ${wrong}`))).toBe(false)
  })

  test('a definition given whole and by equations', async () => {
    const row = rowOf('advanced_40')
    const whole = (empty: string) =>
      written(`def maxOfList : (lst : List Nat) → maxOfList_precond lst → Nat
  | [], _ => ${empty}
  | x :: xs, _ => xs.foldl max x`)
    expect(await grade('equations', row, whole('0'))).toBe(true)
  })
})

describe.skipIf(!here)('tricks', () => {
  const triple = here ? rowOf('basic_101') : undefined!
  /** each of these gives a wrong function, and tries to have it taken for a right one */
  const stopped: [string, string, string?][] = [
    ['a hole', '  sorry'],
    ['a hole in a helper', '  go x', 'def go (x : Int) : Int := by admit'],
    ['an axiom of its own', '  cheat ▸ 0', 'axiom cheat : (0 : Int) = 1'],
    ['a command that runs', '  0\n#eval 1'],
    ['a side effect', '  0', 'def x : IO Unit := IO.println "x"'],
    ['other code to run', '  0', '@[implemented_by Int.toNat] def g (x : Int) : Nat := 0'],
    ['new meaning for the question', '  0', 'macro_rules | `(decide $x) => `(true)'],
    ['new syntax', '  0', 'notation "rein" => 5'],
    ['a name of ours', '  0\nend rein_answer'],
  ]
  test.each(stopped)('%s is refused before Lean sees it', async (_, code, aux) => {
    const output = written(code, aux)
    expect(await verinaCode.gradeAsync(triple, output)).toBe(false)
    const answer = verinaCode.extract(triple, output, 'final')!
    expect((await verinaCode.verifyAsync(triple, answer, 'final')).kind).toBe('fail')
  })

  const tried: [string, string, string?][] = [
    [
      'an instance that says everything is equal',
      '  0',
      'instance (priority := high) : BEq Int := ⟨fun _ _ => true⟩\ninstance (priority := high) yes (a b : Int) : Decidable (a = b) := if h : a = b then isTrue h else isFalse h',
    ],
    ['a variable by which all is equal', '  0', 'variable [Subsingleton Int] (h : False)\ninclude h'],
    ['an end that closes what it did not open', '  0\nend'],
    ['numerals of its own', '  0', 'instance (priority := high) (n : Nat) : OfNat Int n := ⟨Int.ofNat 0⟩'],
    [
      'an instance with a false proof',
      '  0',
      'instance (priority := high) yes (a b : Int) : Decidable (a = b) := isTrue rfl',
    ],
    [
      'the function a second time, elsewhere',
      '  0\nend Elsewhere\ndef Triple (x : Int) (h : Triple_precond x) : Unit := ()\ninstance : Coe Unit Int := ⟨fun _ => 3⟩',
      'namespace Elsewhere',
    ],
  ]
  test('right but for the last test is wrong', async () => {
    const last = leanValue(triple.tests.at(-1)!.input.x, 'Int')
    expect(await grade('all right', triple, written('  x * 3'))).toBe(true)
    expect(await grade('one wrong', triple, written(`  if x = ${last} then x * 3 + 1 else x * 3`))).toBe(false)
  })

  test.each(tried)('%s does not make a wrong answer right', async (name, code, aux) => {
    expect(await grade(name, triple, written(code, aux))).toBe(false)
  })
})

describe.skipIf(!here)('verina-spec', () => {
  const spec = (row: VerinaRow, postcond = row.sections.postcond!): string =>
    `[PRECOND]\n${row.sections.precond}\n[/PRECOND]\n[POSTCOND]\n${postcond}\n[/POSTCOND]`

  test('a reference compiles and tells the results apart; one that takes all does not', async () => {
    const row = rowOf('basic_101')
    const answer = verinaSpec.extract(row, spec(row), 'final')!
    expect((await verinaSpec.verifyAsync(row, answer, 'final')).kind).toBe('pass')
    expect(await grade('reference spec', row, spec(row), verinaSpec)).toBe(true)
    expect(await grade('takes all', row, spec(row, '  True'), verinaSpec)).toBe(false)
  })
})
