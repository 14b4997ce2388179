/** What the model is asked, in our own words, from a row. */
import type { Message } from '../../trace/words.ts'
import { helpersFor } from './assemble.ts'
import type { VerinaRow } from './row.ts'

const lean = (text: string): string => `\`\`\`lean\n${text.trimEnd()}\n\`\`\``

function signature(row: VerinaRow): string {
  const args = row.parameters.map((p) => `(${p.name} : ${p.type})`).join(' ')
  return `${row.name} ${args} : ${row.returns}`
}

function section(row: VerinaRow, title: string, ...names: string[]): string[] {
  const text = names.map((n) => row.sections[n] ?? '').filter((t) => t.trim() !== '')
  return text.length > 0 ? [`${title}:\n${lean(text.join('\n\n'))}`] : []
}

/** What the file may use: a row's own imports, else the core library alone. */
function imports(row: VerinaRow): string {
  const own = Object.entries(row.sections).filter(([name, text]) => name.startsWith('import') && text.trim() !== '')
  return own.length > 0
    ? `The file begins with: ${own.map(([, text]) => text.trim().replace(/\s*\n\s*/g, '; ')).join('; ')}.`
    : 'The file imports nothing: use only what Lean’s core library has.'
}

/** The code task: write the function's body so that it meets the given conditions. */
export function codePrompt(row: VerinaRow): { readonly messages: readonly Message[] } {
  const conditions = ['precond_aux', 'precond', 'postcond_aux', 'postcond'].map((n) => row.sections[n] ?? '').join('\n')
  const helpers = helpersFor(row.sections.solution_aux ?? '', conditions)
  const args = row.parameters.map((p) => `(${p.name} : ${p.type})`).join(' ')
  const head = `def ${row.name} ${args} (h_precond : ${row.name}_precond ${row.parameters.map((p) => p.name).join(' ')}) : ${row.returns} :=`
  return {
    messages: [
      {
        role: 'system',
        content:
          'You write Lean 4. Give the body of the function that is asked for: it must compile as it stands, with no sorry, no axioms, no IO and no commands. Put the body between [CODE] and [/CODE], each on its own line; definitions that it needs go before it, between [CODE_AUX] and [/CODE_AUX].',
      },
      {
        role: 'user',
        content: [
          row.description.trim(),
          ...(row.sections.task_aux ? section(row, 'Given definitions', 'task_aux') : []),
          ...(helpers ? [`Given helpers:\n${lean(helpers)}`] : []),
          ...section(row, `Precondition ${row.name}_precond`, 'precond_aux', 'precond'),
          ...section(
            row,
            `Postcondition ${row.name}_postcond, where result is what the function returns`,
            'postcond_aux',
            'postcond',
          ),
          imports(row),
          `Write what follows this line:\n${lean(head)}`,
        ].join('\n\n'),
      },
    ],
  }
}

/** The spec task: write the two conditions for a function that is given. */
export function specPrompt(row: VerinaRow): { readonly messages: readonly Message[] } {
  const names = row.parameters.map((p) => p.name).join(', ')
  return {
    messages: [
      {
        role: 'system',
        content:
          'You write formal specifications in Lean 4. The precondition accepts every input that the function is meant for and no other; the postcondition holds for each right result and for no wrong one. Both are propositions and must compile as they stand, with no sorry and no axioms. Put them between [PRECOND] and [/PRECOND] and between [POSTCOND] and [/POSTCOND], each tag on its own line; definitions that they need go between [PRECOND_AUX] and [/PRECOND_AUX] or [POSTCOND_AUX] and [/POSTCOND_AUX].',
      },
      {
        role: 'user',
        content: [
          row.description.trim(),
          `Signature:\n${lean(signature(row))}`,
          ...(row.sections.task_aux ? section(row, 'Given definitions', 'task_aux') : []),
          ...section(row, 'Implementation', 'solution_aux', 'code_aux', 'code'),
          imports(row),
          `The precondition speaks of ${names}; the postcondition of ${names}, result and h_precond (the proof of the precondition).`,
        ].join('\n\n'),
      },
    ],
  }
}
