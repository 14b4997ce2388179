import fc from 'fast-check'
import { expect, test } from 'vitest'
import { refusal } from '../../verify/lean/scan.ts'
import { tokens } from '../../verify/lean/tokens.ts'
import { verinaCode } from '../verina-code/index.ts'
import { codeFile } from './assemble.ts'
import { readRow } from './row.ts'
import { codeTests } from './tests.ts'

/** Files are put together from parts of which the generator knows what they are; what it knows is the oracle. */
const seed = Number(process.env.REIN_SEED ?? Date.now() % 2 ** 31)
console.log(`verina properties: seed ${seed} (REIN_SEED repeats it)`)
const runs = { numRuns: 10_000, seed }

interface Part {
  readonly text: string
  /** the names, numbers and symbols in it that are code */
  readonly code: readonly string[]
  /** the one of them that is not allowed */
  readonly bad?: string
}

const forbidden = [
  'sorry',
  'admit',
  'axiom',
  'native_decide',
  'unsafe',
  'implemented_by',
  'extern',
  'macro',
  'notation',
]
const commands = ['#eval', '#print', 'run_cmd', 'initialize', 'IO.println', 'Lean.Elab', '_root_.sorryAx', '«sorry»']
const bad = fc.constantFrom(...forbidden, ...commands, 'rein_want0', 'dbg_trace', 'x.lcProof')
const harmless = fc.constantFrom(
  'x',
  'sorry1',
  'my_axiom',
  "h'",
  'xs.map',
  'f!',
  'α',
  'unsafeish',
  '42',
  'x₁',
  'init',
  'List',
)
const words = fc.array(fc.oneof(bad, harmless), { maxLength: 4 }).map((all) => all.join(' '))

const hidden = (text: string): Part => ({ text, code: [] })
const comment: fc.Arbitrary<string> = fc.letrec<{ block: string; inside: string }>((tie) => ({
  block: fc.array(tie('inside'), { maxLength: 3 }).map((all) => `/- ${all.join(' ')} -/`),
  inside: fc.oneof({ depthSize: 'small' }, words, fc.constantFrom('\n', '"', "'", '--', '/ -', '- /'), tie('block')),
})).block
const part: fc.Arbitrary<Part> = fc.oneof(
  harmless.map((w) => ({ text: w, code: [w] })),
  fc.constantFrom(':', '(', ')', '+', '|').map((w) => ({ text: w, code: [w] })),
  words.map((w) => hidden(`-- ${w} /- "\n`)),
  comment.map(hidden),
  words.map((w) => hidden(`"${w} \\" -- /- \\\\"`)),
  words.map((w) => hidden(`r#"${w} \\ " /- "#`)),
  fc.constantFrom("'a'", "'\\''", "'\"'", "'\\n'", "'-'").map(hidden),
)
const wrong: fc.Arbitrary<Part> = bad.map((w) => ({ text: w, code: [w], bad: w }))
const gap = fc.constantFrom(' ', '\n', '  ', '\n\n  ', '\t')

interface Source {
  readonly text: string
  readonly parts: readonly { readonly part: Part; readonly line: number }[]
}

function laid(parts: readonly Part[], gaps: readonly string[]): Source {
  let text = ''
  const placed = parts.map((part, i) => {
    const line = text.split('\n').length
    text += part.text + (gaps[i % gaps.length] ?? ' ')
    return { part, line }
  })
  return { text, parts: placed }
}
const gaps = fc.array(gap, { minLength: 1, maxLength: 6 })
const source = fc.tuple(fc.array(fc.oneof({ weight: 12, arbitrary: part }, { weight: 1, arbitrary: wrong })), gaps)

const bare = (word: string): string => word.replace(/[«»]/g, '')

test('the scan sees all of the code and none of the comments, strings and characters', () => {
  fc.assert(
    fc.property(source, ([parts, between]) => {
      const { text, parts: placed } = laid(parts, between)
      const wanted = placed.flatMap(({ part: p, line }) => p.code.map((w) => ({ text: bare(w), line })))
      expect(tokens(text)).toEqual(wanted)
    }),
    runs,
  )
})

test('an answer is refused exactly when code that is not allowed stands in it, with its word and line', () => {
  let refusals = 0
  fc.assert(
    fc.property(source, ([parts, between]) => {
      const { text, parts: placed } = laid(parts, between)
      const first = placed.find(({ part: p }) => p.bad !== undefined)
      const found = refusal(text)
      expect(found && { token: found.token, line: found.line }).toEqual(
        first && { token: bare(first.part.bad!), line: first.line },
      )
      if (found) refusals++
    }),
    runs,
  )
  // both outcomes were really tried
  expect(refusals).toBeGreaterThan(1000)
  expect(refusals).toBeLessThan(9000)
})

const row = readRow({
  id: 'own_1',
  signature: { name: 'inc', parameters: [{ param_name: 'x', param_type: 'Nat' }], return_type: 'Nat' },
  description: 'Add one.',
  lean: `-- !benchmark @start solution_aux
-- !benchmark @end solution_aux
@[reducible] def inc_precond (x : Nat) : Prop :=
  -- !benchmark @start precond
  True
  -- !benchmark @end precond

-- !benchmark @start code_aux
-- !benchmark @end code_aux
def inc (x : Nat) (h_precond : inc_precond (x)) : Nat :=
  -- !benchmark @start code
  x + 1
  -- !benchmark @end code
-- !benchmark @start postcond
  result = x + 1
-- !benchmark @end postcond
`,
  tests: [{ input: { x: 1 }, expected: 2, unexpected: [1] }],
})

test('from words around it to the assembled file: the answer stands there once, and nothing else of the output', () => {
  const line = fc
    .array(fc.constantFrom('x', '+', '(', ')', 'let', ':=', '1', '→', '=>', 'fun', '"a"', '-- y'), { minLength: 1 })
    .map((all) => `  ${all.join(' ')}`)
  const prose = fc
    .array(fc.constantFrom('Here', 'is', '[CODE] tags:', 'the', 'answer', 'sorry', 'PROSE', '`x`'), { maxLength: 6 })
    .map((all) => `PROSE ${all.join(' ')}.`)
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 6 }),
      fc.array(prose, { maxLength: 3 }),
      fc.boolean(),
      fc.boolean(),
      fc.constantFrom('run', 'prove'),
      (lines, around, fenced, windows, means) => {
        const body = lines.join('\n')
        const inside = fenced ? `\`\`\`lean\n${body}\n\`\`\`` : body
        const output = [...around, '[CODE]', inside, '[/CODE]', ...around].join('\n')
        const found = verinaCode.extract(row, windows ? output.replaceAll('\n', '\r\n') : output, 'final')
        expect(JSON.parse(found!)).toEqual({ CODE: body })
        const file = codeFile(row, JSON.parse(found!), codeTests(row, means as 'run' | 'prove'))
        expect(file.text.split(`: Nat :=\n${body}\n\nend rein_answer\n#print axioms inc\n`)).toHaveLength(2)
        expect(file.text).not.toContain('PROSE')
        const [span] = file.ours
        expect(
          file.text
            .split('\n')
            .slice(span!.from - 1, span!.to)
            .join('\n'),
        ).toBe(body)
        // every value that a question uses is settled before the answer begins
        const before = file.text
          .split('\n')
          .slice(0, span!.from - 1)
          .join('\n')
        for (const value of ['rein_same', 'rein_in0_0', 'rein_want0']) expect(before).toContain(value)
      },
    ),
    runs,
  )
})
