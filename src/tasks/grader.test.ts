import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sharedDir } from '../../test/shared.ts'
import { chosenOption } from '../verify/choice.ts'
import { game24 } from './game24/index.ts'
import { math } from './math/index.ts'

const shared = sharedDir()
const rows: { id: string; component: string; input: { text: string }; expected: string | null }[] = shared
  ? readFileSync(join(shared, 'vectors', 'interwhen_defects.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter((row) => row.component.startsWith('grader.'))
  : []

describe.skipIf(!shared)('the official graders’ defects (need ../shared/vectors)', () => {
  it.each(rows.map((row) => [row.id, row] as const))('%s', (_id, { input, expected }) => {
    const options = [...'ABCD'].map((letter, i) => ({ letter, text: String(i) }))
    expect(chosenOption(input.text, options) ?? null).toBe(expected)
    // "no solution" is no expression, and no proof that a gold letter was missed
    expect(game24.grade(game24.read('1 2 3 4'), input.text)).toBe(false)
    expect(math.grade(math.read({ answer: 'B' }), input.text)).not.toBe(true)
  })
})
