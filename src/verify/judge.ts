import type { AskOptions } from '../steer/monitor.ts'
import type { Prompt, Verdict } from '../trace/words.ts'

/**
 * A verifier that asks a model. It can be wrong both ways, so it is marked unsound: what it passes is an opinion, and a run
 * should rest `verified` on it only when its user says so.
 */
export interface Judge {
  readonly sound: false
  verify(question: string, answer: string): Promise<Verdict>
}

export interface JudgeOptions {
  /** a run's `view.ask`, or any function that puts a prompt to a model */
  readonly ask: (prompt: Prompt, options: AskOptions) => Promise<string>
  readonly maxTokens?: number
  /** how the question is put; it must ask for a last line that says CORRECT, INCORRECT or UNSURE */
  readonly prompt?: (question: string, answer: string) => Prompt
}

const defaultPrompt = (question: string, answer: string): string =>
  `${question}

Proposed answer: ${answer}

Is the proposed answer right? Reason briefly, then end with a line that holds one word only: CORRECT, INCORRECT or UNSURE.`

/** @example await judge({ ask: view.ask }).verify('What is 2 + 2?', '5') */
export function judge({ ask, maxTokens = 1024, prompt = defaultPrompt }: JudgeOptions): Judge {
  return {
    sound: false,
    async verify(question, answer) {
      const reply = await ask(prompt(question, answer), { maxTokens, temperature: 0, purpose: 'judge' })
      switch (readJudgement(reply)) {
        case 'correct':
          return { kind: 'pass', complete: true }
        case 'incorrect':
          return { kind: 'fail', feedback: 'a reviewer holds this answer to be wrong' }
        case 'unsure':
          return { kind: 'unknown', reason: 'the judge is not sure' }
        case undefined:
          return { kind: 'unknown', reason: 'the judge gave no verdict line' }
      }
    },
  }
}

/**
 * The judge's word: the last line of its reply after any thinking, which must hold one of three whole words and nothing else.
 * What it said before, "this looks correct" included, does not count.
 */
export function readJudgement(reply: string): 'correct' | 'incorrect' | 'unsure' | undefined {
  const closed = reply.lastIndexOf('</think>')
  if (closed < 0 && reply.includes('<think>')) return undefined
  const line = reply
    .slice(closed < 0 ? 0 : closed + '</think>'.length)
    .trimEnd()
    .split('\n')
    .at(-1)!
  const word =
    /^[\s*_`#>"'([]*(?:(?:final\s+)?(?:verdict|judgement|judgment|answer)\s*:)?[\s*_`"'([]*(correct|incorrect|unsure)[\s*_`"')\].!]*$/i.exec(
      line,
    )?.[1]
  return word?.toLowerCase() as ReturnType<typeof readJudgement>
}
