import type { MethodContext } from './method.ts'
import { promptText } from './prompt.ts'
import type { Runs } from './run.ts'

/** The model as a judge of its own answers. */
export interface Critique {
  /** undefined: the critic did not say */
  readonly correct: boolean | undefined
  readonly text: string
}

export async function critique(
  { task, instance }: MethodContext,
  runs: Runs,
  answer: string | undefined,
  output: string,
  seed: number,
): Promise<Critique> {
  if (output === '') return { correct: false, text: 'There is no answer.' }
  const candidate = answer ?? output
  const prompt =
    task.search?.critic(instance, candidate) ??
    `${promptText(task.prompt(instance))}\n\nA proposed answer:\n${candidate}\n\nCheck it step by step and say what is wrong, if anything is. End with one line: VERDICT: CORRECT or VERDICT: INCORRECT.`
  const text = await runs.ask(prompt, { purpose: 'judge', seed })
  return { correct: readCritic(text), text }
}

/**
 * The last line that says it decides, and words are whole: INCORRECT does not contain CORRECT.
 * @example readCritic('The sum is off.\nVERDICT: INCORRECT') // false
 */
export function readCritic(text: string): boolean | undefined {
  const line = text.split('\n').findLast((l) => /\b(?:in)?correct\b/i.test(l))
  if (line === undefined) return undefined
  const labelled = /\bverdict\b\W*(.*)$/i.exec(line)?.[1] ?? line
  const wrong = /\bincorrect\b|\b(?:not|isn't|never)\s+(?:\w+\s+)?correct\b/i.test(labelled)
  const right = /\bcorrect\b/i.test(labelled.replace(/\b(?:not|isn't|never)\s+(?:\w+\s+)?correct\b/gi, ''))
  // "CORRECT or INCORRECT" repeats the question
  if (wrong && right) return undefined
  return right
}
