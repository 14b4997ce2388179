/** The questions that grade an answer on the row's test cases. Values are fixed before the model's text is read. */
import type { Question, Tests } from './assemble.ts'
import type { Values, VerinaRow } from './row.ts'
import { leanValue } from './values.ts'

/** Stands after the model's text, where nothing of its can use it: the tests' inputs meet the precondition by the dataset. */
const assumed = 'axiom rein_h {p : Prop} : p'

function inputs(row: VerinaRow, name: string, values: Values): string[] {
  return row.parameters.map((p, i) => `def rein_${name}_${i} : ${p.type} := ${leanValue(values[p.name], p.type)}`)
}

const applied = (row: VerinaRow, name: string): string => row.parameters.map((_, i) => `rein_${name}_${i}`).join(' ')

/** Does the function give what is expected? Equality, too, is settled before the model could define its own. */
export function codeTests(row: VerinaRow): Tests {
  const values = [`def rein_same (a b : ${row.returns}) : Bool := a == b`]
  const questions: Question[] = []
  row.tests.forEach((test, t) => {
    values.push(
      ...inputs(row, `in${t}`, test.input),
      `def rein_want${t} : ${row.returns} := ${leanValue(test.expected, row.returns)}`,
    )
    questions.push({
      probe: { kind: 'is', wanted: true, name: `test ${t + 1}` },
      lean: `#eval rein_same (${row.name} ${applied(row, `in${t}`)} rein_h) rein_want${t}`,
    })
  })
  return { values, tools: [assumed], questions }
}

/** Does the precondition take the tests' inputs and refuse the others, and the postcondition tell results apart? */
export function specTests(row: VerinaRow): Tests {
  const values: string[] = []
  const questions: Question[] = []
  const ask = (name: string, wanted: boolean, proposition: string): void => {
    questions.push({ probe: { kind: 'is', wanted, name }, lean: `#eval decide (${proposition})` })
  }
  const outcome = (name: string, value: unknown): string => {
    values.push(`def rein_${name} : ${row.returns} := ${leanValue(value, row.returns)}`)
    return `rein_${name}`
  }
  row.tests.forEach((test, t) => {
    values.push(...inputs(row, `in${t}`, test.input))
    const args = applied(row, `in${t}`)
    ask(`test ${t + 1}: precondition`, true, `${row.name}_precond ${args}`)
    ask(
      `test ${t + 1}: right result`,
      true,
      `${row.name}_postcond ${args} ${outcome(`want${t}`, test.expected)} rein_h`,
    )
    test.unexpected.forEach((wrong, w) => {
      ask(
        `test ${t + 1}: wrong result ${w + 1}`,
        false,
        `${row.name}_postcond ${args} ${outcome(`wrong${t}_${w}`, wrong)} rein_h`,
      )
    })
  })
  row.rejects.forEach((values_, r) => {
    values.push(...inputs(row, `out${r}`, values_))
    ask(`rejected input ${r + 1}`, false, `${row.name}_precond ${applied(row, `out${r}`)}`)
  })
  // reducible values, so that Decidable instances see through them
  return { values: values.map((v) => v.replace(/^def /, 'abbrev ')), tools: [assumed], questions }
}
