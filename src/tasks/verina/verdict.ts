/** From Lean's messages on an assembled file to a verdict, a grade and the feedback. Pure. */
import type { Verdict } from '../../trace/words.ts'
import { axiomsIn, boolIn, compiled, refusesAxioms, standardAxioms, usesSorry } from '../../verify/lean/judge.ts'
import type { LeanResult } from '../../verify/lean/service.ts'
import { tokens } from '../../verify/lean/tokens.ts'
import type { LeanMessage } from '../../verify/lean/worker.ts'
import type { LeanFile } from './assemble.ts'
import type { VerinaRow } from './row.ts'
import { provedMarks } from './tests.ts'

const unknown = (reason: string): Verdict => ({ kind: 'unknown', reason })

/** The axioms that the row itself brings (for Float, say). */
function rowAxioms(row: VerinaRow): Set<string> {
  const all = tokens(Object.values(row.sections).join('\n'))
  return new Set(all.flatMap((t, i) => (t.text === 'axiom' && all[i + 1] ? [all[i + 1]!.text] : [])))
}

/** Pass only if it compiles and Lean itself says that it rests on no axioms but its own. */
export function compileVerdict(row: VerinaRow, file: LeanFile, result: LeanResult): Verdict {
  if (result.kind === 'unknown') return unknown(result.reason)
  const outcome = compiled(result.messages, result.from)
  if (outcome.kind === 'unknown') return unknown(outcome.reason)
  if (outcome.kind === 'no' && outcome.errors.some((e) => e.line < blameFrom(file)))
    return unknown('what the row itself gives does not compile with this Lean')
  if (outcome.kind === 'no') return { kind: 'fail', feedback: errorFeedback(file, outcome.errors) }
  const allowed = rowAxioms(row)
  for (const [line, probe] of file.probes) {
    if (probe.kind !== 'axioms') continue
    const answer = result.messages.find((m) => m.line === line && axiomsIn(m.text))
    if (!answer && result.from === 'wasm' && result.messages.some((m) => m.line === line && refusesAxioms(m))) {
      // The scan has refused every way to an axiom by then, and Lean warns of holes by itself.
      if (usesSorry(result.messages))
        return { kind: 'fail', feedback: 'It has a hole (`sorry`): give the whole of it.' }
      continue
    }
    if (!answer) return unknown(`Lean did not say what ${probe.of} rests on`)
    const own = axiomsIn(answer.text)!.filter((a) => !standardAxioms.includes(a) && !allowed.has(a))
    if (own.includes('sorryAx')) return { kind: 'fail', feedback: 'It has a hole (`sorry`): give the whole of it.' }
    if (own.length > 0)
      return { kind: 'fail', feedback: `It rests on axioms that Lean does not have: ${own.join(', ')}.` }
  }
  return { kind: 'pass', complete: true }
}

/**
 * All tests answered as wanted: true. One answered otherwise, or it does not compile: false. No answer, or two that
 * contradict each other, is neither.
 */
export function gradeOf(row: VerinaRow, file: LeanFile, result: LeanResult): boolean | undefined {
  if (result.kind === 'unknown') return undefined
  // the questions about axioms come first; what Lean says of the tests after them is not an error of the answer's
  const axioms = [...file.probes].filter(([, p]) => p.kind === 'axioms').map(([line]) => line)
  const last = Math.max(...axioms)
  const before = { ...result, messages: result.messages.filter((m) => m.line <= last || m.severity !== 'error') }
  const verdict = compileVerdict(row, file, before)
  if (verdict.kind !== 'pass') return verdict.kind === 'fail' ? false : undefined
  const answers = new Map<string, { wanted: boolean; said: Set<boolean> }>()
  for (const [line, probe] of file.probes) {
    if (probe.kind === 'axioms') continue
    const here = result.messages.filter((m) => m.line === line)
    if (probe.kind === 'refuted') {
      // it must have been read and refused: else Lean's silence elsewhere says nothing
      if (!here.some((m) => m.severity === 'error')) return undefined
      continue
    }
    const answer = answers.get(probe.name) ?? { wanted: probe.wanted, said: new Set() }
    answers.set(probe.name, answer)
    for (const said of probe.kind === 'is' ? evaluated(here) : proved(here)) answer.said.add(said)
  }
  const all = [...answers.values()]
  // proved both ways would mean that something is wrong with Lean or the row: no answer
  if (all.some((a) => a.said.size > 1)) return undefined
  if (all.some((a) => a.said.has(!a.wanted))) return false
  return all.length > 0 && all.every((a) => a.said.has(a.wanted)) ? true : undefined
}

const evaluated = (here: readonly LeanMessage[]): boolean[] =>
  here.flatMap((m) => (m.severity === 'info' ? (boolIn(m.text) ?? []) : []))

/** A proof counts when it ran to its end and Lean has nothing against it, not even that it leans on a hole. */
function proved(here: readonly LeanMessage[]): boolean[] {
  if (usesSorry(here) || here.some((m) => m.severity === 'error')) return []
  const said = here.filter((m) => m.severity === 'info').map((m) => m.text.trim())
  return [said.includes(provedMarks.yes) ? [true] : [], said.includes(provedMarks.no) ? [false] : []].flat()
}

/** Where the model's part begins, the head of the definition that it fills included: Lean reports much of it there. */
function blameFrom(file: LeanFile): number {
  const lines = file.text.split('\n')
  let from = Math.min(...file.ours.map((s) => s.from))
  while (from > 1 && lines[from - 2]?.trim() !== '') from--
  return from
}

const longest = 1200

/** Lean's own words, with the line of the model's text instead of the file's. */
function errorFeedback(file: LeanFile, errors: readonly LeanMessage[]): string {
  const told = errors.slice(0, 3).map((e) => {
    const span = file.ours.find((s) => e.line >= s.from && e.line <= s.to)
    const where = span ? `[${span.tag}] line ${e.line - span.shift}` : 'after your text'
    return `${where}: ${e.text.replace(/^error\([^)]*\): /, '').trim()}`
  })
  const more = errors.length > 3 ? `\n(and ${errors.length - 3} more)` : ''
  const text = told.join('\n')
  return `${text.length > longest ? `${text.slice(0, longest)} …` : text}${more}${hints(text)}`
}

const helps: readonly [RegExp, string][] = [
  [
    /unexpected token|expected (?:command|term)|unexpected end of input/i,
    'Lines of one block must start in the same column; `let x := a` and the line that uses it stand one below the other.',
  ],
  [
    /unknown (?:identifier|constant)|invalid field/i,
    'That name does not exist here: use one from Lean’s core library, or define it in the block for helpers.',
  ],
  [
    /failed to prove termination|structural recursion/i,
    'Recursion must visibly get smaller: match on the list or number, or loop with `for` inside `Id.run do`.',
  ],
  [
    /type mismatch|application type mismatch/i,
    'Types do not convert by themselves: `x.toNat`, `(n : Int)`, `xs.toList` and `decide p` do it.',
  ],
  [
    /failed to synthesize/i,
    'An instance is missing: compare the types on both sides, and use `==` for Bool and `=` for Prop.',
  ],
  [/failed to prove index/i, '`a[i]` needs a proof that i is in range; `a[i]!` and `a[i]?` do not.'],
]

function hints(text: string): string {
  const found = helps.filter(([pattern]) => pattern.test(text)).map(([, help]) => help)
  return found.length > 0 ? `\n${found.slice(0, 2).join('\n')}` : ''
}
