import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sharedDir } from '../../../test/shared.ts'
import type { LeanMessage } from '../../verify/lean/worker.ts'
import { verinaCode } from '../verina-code/index.ts'
import { codeFile } from './assemble.ts'
import { blocks } from './blocks.ts'
import { readRow } from './row.ts'
import { codeTests } from './tests.ts'
import { gradeOf } from './verdict.ts'

const file = join(sharedDir() ?? '', 'vectors', 'interwhen_defects.jsonl')
const rows = join(sharedDir() ?? '', 'data', 'verina', 'verina_189_half.jsonl')
const ready = existsSync(file) && existsSync(rows)
if (!ready) console.warn('SKIPPED: the defect vectors are not beside this checkout')

interface Vector {
  readonly id: string
  readonly input: Readonly<Record<string, string>>
}

describe.skipIf(!ready)('interwhen’s defects with VERINA', () => {
  const vectors: Vector[] = ready
    ? readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((l) => JSON.parse(l))
    : []
  const input = (id: string): Readonly<Record<string, string>> => vectors.find((v) => v.id === id)!.input
  const row = ready ? readRow(JSON.parse(readFileSync(rows, 'utf8').split('\n')[0]!)) : undefined!
  const have = (id: string) => vectors.some((v) => v.id === id)

  test.runIf(have('verina-indent-first-line'))('both lines keep the same indent', () => {
    const { text } = codeFile(row, blocks(input('verina-indent-first-line').response!))
    const lines = text.split('\n').filter((l) => /let y := x \+ 1|y \* 2/.test(l))
    expect(lines.map((l) => l.search(/\S/))).toEqual([2, 2])
  })

  test.runIf(have('verina-answer-quoted-tag'))('a tag quoted in prose is no block', () => {
    expect(blocks(input('verina-answer-quoted-tag').response!).CODE).toBe('x + 1')
  })

  test.runIf(have('verina-sorry-accepted'))('a hole is refused', () => {
    const answer = JSON.stringify({ CODE: input('verina-sorry-accepted').code })
    expect(verinaCode.verify(row, answer, 'final').kind).toBe('fail')
  })

  test.runIf(have('verina-spec-timeout-passes'))('neither a time-out nor an early error passes a test', () => {
    const tested = codeFile(row, { CODE: '0' }, codeTests(row))
    expect(
      gradeOf(row, tested, { kind: 'unknown', reason: input('verina-spec-timeout-passes').lean_output! }),
    ).not.toBe(true)
    const text = input('verina-spec-early-error-passes').lean_output!
    const messages: LeanMessage[] = [{ severity: 'error', line: 3, column: 0, text }]
    expect(gradeOf(row, tested, { kind: 'done', messages, ms: 1, from: 'path' })).not.toBe(true)
  })
})
