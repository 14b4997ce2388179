import { InputError } from '../../base/errors.ts'
import { hash32 } from '../../base/random.ts'
import type { Verdict } from '../../trace/words.ts'
import { type Equality, mathEqual } from '../../verify/math.ts'
import type { Task } from '../task.ts'
import { afterThinking, lastBox } from '../text.ts'
import { finalAnswer, partialAnswer } from './extract.ts'

/** A question with a gold answer: GSM8K, MATH, Omni-MATH. The gold is for checking and grading and never in a prompt. */
export interface MathInstance {
  readonly question: string
  /** absent: nothing can be verified */
  readonly answer?: string
}

export interface MathTaskOptions {
  readonly name: string
  /** the fields that may hold the question and the gold, in order */
  readonly questions: readonly string[]
  readonly answers: readonly string[]
}

const FORK_TOKENS = 48

/** The bare gold of a row: after GSM8K's "####", in a solution's last box, or the field as it stands. */
function goldOf(text: string): string {
  const marked = /####\s*([^\n]+)/.exec(text)?.[1] ?? /^#\s+(\S[^\n]*)$/.exec(text)?.[1]
  return (marked ?? lastBox(text) ?? text).trim()
}

function readRow(raw: unknown, { name, questions, answers }: MathTaskOptions): MathInstance {
  if (typeof raw === 'string') {
    if (raw.trim() === '') throw new InputError('the question is empty')
    return { question: raw }
  }
  const row = raw as Record<string, unknown> | null
  if (typeof row !== 'object' || row === null || Array.isArray(row))
    throw new InputError(`a ${name} instance is an object with the field "answer"`)
  const field = answers.find((key) => row[key] !== undefined)
  if (field === undefined) throw new InputError('field "answer" is missing')
  const gold = row[field]
  if (typeof gold !== 'string' && typeof gold !== 'number') throw new InputError(`field "${field}" must be a string`)
  const bare = goldOf(String(gold))
  if (bare === '') throw new InputError(`field "${field}" is empty`)
  const asked = questions.map((key) => row[key]).find((value) => value !== undefined) ?? ''
  if (typeof asked !== 'string') throw new InputError(`field "${questions[0]}" must be a string`)
  return { question: asked, answer: bare }
}

function verdictOf(equality: Equality, answer: string): Verdict {
  if (equality === 'equal') return { kind: 'pass', complete: true }
  if (equality === 'different') return { kind: 'fail', feedback: `the answer is not ${answer.slice(0, 200)}` }
  return { kind: 'unknown', reason: 'it cannot be told whether it is equal to the gold answer' }
}

export function mathTask(options: MathTaskOptions): Task<MathInstance> {
  const verify = ({ answer: gold }: MathInstance, answer: string): Verdict =>
    gold === undefined
      ? { kind: 'unknown', reason: 'there is no gold answer' }
      : verdictOf(mathEqual(gold, answer), answer)
  return {
    name: options.name,
    sound: true,
    gold: true,
    read: (raw) => readRow(raw, options),
    id: ({ question, answer }) =>
      `${options.name}-${hash32(question || (answer ?? ''))
        .toString(16)
        .padStart(8, '0')}`,
    prompt: ({ question }) => `${question}\n\nThink step by step, then give just the answer in \\boxed{}.`,
    elicit: () => ({
      suffix: 'The answer I have so far (or none yet): \\boxed{',
      maxTokens: FORK_TOKENS,
      stop: ['\n', '}.', '}$'],
    }),
    answerPrefix: 'The answer is \\boxed{',
    extract: (_instance, text, kind) => (kind === 'partial' ? partialAnswer(text, FORK_TOKENS) : finalAnswer(text)),
    verify,
    feedback: (_instance, _answer, { feedback }, phase) =>
      phase === 'think' ? `Wait, ${feedback}. I look for the mistake.` : `[Check failed: ${feedback}. Solve it again.]`,
    conclusion: (_instance, answer) => `The answer ${answer} holds. I am done.`,
    voice: 'model',
    grade(instance, output) {
      if (instance.answer === undefined) return undefined
      const answer = finalAnswer(output)
      // words without a marked answer may still hold it; an empty answer holds none
      if (answer === undefined) return afterThinking(output).trim() === '' ? false : undefined
      const equality = mathEqual(instance.answer, answer)
      return equality === 'unknown' ? undefined : equality === 'equal'
    },
  }
}

export const math = mathTask({
  name: 'math',
  questions: ['problem', 'question'],
  answers: ['answer', 'gold', 'solution'],
})
