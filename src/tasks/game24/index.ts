import { InputError } from '../../base/errors.ts'
import { literals, parseExpression } from '../../verify/expression.ts'
import { type Game24, verifyGame24 } from '../../verify/game24.ts'
import { rational } from '../../verify/rational.ts'
import { reaches } from '../../verify/reach.ts'
import type { Task } from '../task.ts'
import { afterThinking, isCut, isNone, lastAnswerTag, lastBox, untilBrace } from '../text.ts'
import { stateOf, verifyState } from './steps.ts'

/** The Game of 24, for any count of integers and any target. */
export interface Game24Instance {
  readonly numbers: readonly number[]
  readonly target: number
}

const game = ({ numbers, target }: Game24Instance): Game24 => ({
  numbers: numbers.map((n) => rational(n)),
  target: rational(target),
})

const forkTokens = ({ numbers }: Game24Instance): number => 32 + 8 * numbers.length

const list = ({ numbers }: Game24Instance): string => numbers.join(', ')

const question = (instance: Game24Instance): string =>
  `Make ${instance.target} from the numbers ${list(instance)}.
Use each number exactly once, with only + - * / and brackets.
Think step by step, then give just the expression in \\boxed{}.`

function whole(value: unknown, name: string, low: number, high: number): number {
  if (!Number.isInteger(value) || (value as number) < low || (value as number) > high)
    throw new InputError(`option "${name}" must be an integer from ${low} to ${high}`)
  return value as number
}

function integers(values: readonly unknown[], field: string): number[] {
  const bad = values.findIndex((v) => !Number.isSafeInteger(v))
  if (bad >= 0) throw new InputError(`field "${field}": item ${bad + 1} must be an integer`)
  return values as number[]
}

function read(raw: unknown): Game24Instance {
  if (typeof raw === 'string') {
    const words = raw.trim().split(/[\s,]+/)
    if (words.length < 2 || !words.every((w) => /^-?\d{1,15}$/.test(w)))
      throw new InputError('the numbers must be written like "4 7 8 8"')
    return { numbers: words.map(Number), target: 24 }
  }
  const row = raw as { numbers?: unknown; target?: unknown } | null
  if (typeof row !== 'object' || row === null)
    throw new InputError('a game24 instance is {"numbers":[4,7,8,8]} or "4 7 8 8"')
  if (!Array.isArray(row.numbers)) throw new InputError('field "numbers" must be a list of integers')
  if (row.numbers.length < 2 || row.numbers.length > 64)
    throw new InputError('field "numbers" must hold 2 to 64 integers')
  const target = row.target ?? 24
  if (!Number.isSafeInteger(target)) throw new InputError('field "target" must be an integer')
  return { numbers: integers(row.numbers, 'numbers'), target: target as number }
}

/** One operation after another with the numbers left, instead of one expression. */
const steps = /suggested operation\s*:|=\s*-?[\d./]+\s*\(left:/i

/** The expression in what was said: a box, an open brace, or a bare line of arithmetic. */
function expressionIn(text: string): string | undefined {
  const said = text.trim()
  return said === '' || isNone(said) ? undefined : said
}

/** The expression that an answer gives, by the strongest sign: a box, answer tags, "Answer: …", else a last line that is one. */
function finalExpression(output: string): string | undefined {
  const text = afterThinking(output).slice(-50_000)
  const box = lastBox(text)
  if (box !== undefined) return expressionIn(box)
  const tag = lastAnswerTag(text)
  if (tag !== undefined) return expressionIn(tag)
  const lead = [...text.matchAll(/\b(?:answer|expression|solution)\b\**\s*(?:is\b|:)\**\s*:?[\s"`]*/gi)].at(-1)
  const rest = lead ? text.slice(lead.index + lead[0].length) : (text.trimEnd().split('\n').at(-1) ?? '')
  const line = rest.split('\n', 1)[0]!.replace(/[\s"]+$/, '')
  if (lead && isNone(line)) return undefined
  const parsed = parseExpression(line)
  if (parsed.ok) return parsed.sides.some((side) => literals(side).length > 1) ? line.trim() : undefined
  return lead && parsed.kind === 'illegal' ? line.trim() : undefined
}

/** Does a right expression stand somewhere in it, though not marked as the answer? Then it is not for us to say. */
function mentionsSolution(instance: Game24Instance, output: string): boolean {
  const runs =
    afterThinking(output)
      .slice(-50_000)
      .match(/[\d(][\d\s+\-*/()\u00d7\u00f7\u00b7\u2212]{2,200}/g) ?? []
  return runs.some((run) => verifyGame24(game(instance), run.trim(), 'final').kind === 'pass')
}

export const game24: Task<Game24Instance> = {
  name: 'game24',
  sound: true,
  read,
  id: ({ numbers, target }) => {
    const sorted = [...numbers].sort((a, b) => a - b).join(' ')
    return target === 24 ? sorted : `${sorted} = ${target}`
  },
  prompt: question,
  elicit: (instance) => ({
    suffix: 'The expression I have so far (or none yet): \\boxed{',
    maxTokens: forkTokens(instance),
    // a closing brace alone would cut \frac{a}{b}
    stop: ['\n', '}.', '}$'],
  }),
  answerPrefix: 'The expression is \\boxed{',
  extract(instance, text, kind) {
    if (kind === 'final') return finalExpression(text)
    if (steps.test(text)) return text.trim()
    const box = lastBox(text)
    const said = box ?? untilBrace(text.trimStart())
    const closed = box !== undefined || said.length < text.trimStart().length
    return isCut(said, forkTokens(instance), closed) ? undefined : expressionIn(said)
  },
  verify: (instance, answer, kind) =>
    kind === 'partial' && steps.test(answer)
      ? verifyState(game(instance), answer)
      : verifyGame24(game(instance), answer, kind),
  feedback(_instance, answer, { feedback }, phase) {
    const shown = answer.length > 120 ? `${answer.slice(0, 117)}...` : answer
    return phase === 'think'
      ? `Wait, ${shown} does not work: ${feedback}. I try something else.`
      : `[Check failed: ${shown} does not work: ${feedback}. Give another expression in \\boxed{}.]`
  },
  conclusion: (instance, answer) => `${answer} uses every number once and makes ${instance.target}. I am done.`,
  voice: 'model',
  grade(instance, output) {
    const answer = finalExpression(output)
    if (answer === undefined) return mentionsSolution(instance, output) ? undefined : false
    const verdict = verifyGame24(game(instance), answer, 'final')
    return verdict.kind === 'unknown' ? undefined : verdict.kind === 'pass'
  },
  generate(random, options) {
    const size = whole(options.size ?? 4, 'size', 2, 6)
    const target = whole(options.target ?? 24, 'target', -10_000, 10_000)
    const max = whole(options.max ?? 13, 'max', 1, 1000)
    for (let tries = 0; tries < 100_000; tries++) {
      const numbers = Array.from({ length: size }, () => random.int(1, max))
      const exact = numbers.map((n) => rational(n))
      if (reaches(exact, rational(target))) return { numbers, target }
    }
    throw new InputError(`no ${size} numbers up to ${max} that make ${target} were found; raise "max" or "size"`)
  },
  difficulty: ({ numbers }) => numbers.length,
  rectify: {
    compress: ({ numbers }) => ({
      suffix: 'The steps I keep (like 8 - 4 = 4, or none): ',
      maxTokens: 16 + 16 * numbers.length,
      stop: ['\n'],
      purpose: 'compress',
    }),
    state: (instance, text) => stateOf(game(instance), text)?.text,
    restart(instance, state) {
      const left = stateOf(game(instance), state)?.left
      return { prompt: question(instance), text: `I keep ${state}. Numbers left: ${left?.join(', ')}.\n` }
    },
    verify: (instance, state) => verifyState(game(instance), state),
    progress: (instance, state) => stateOf(game(instance), state)?.count ?? 0,
  },
  search: {
    critic: (instance, answer) =>
      `${question(instance)}\nSomeone answers ${answer}. Check the numbers and the value. End with one line: CORRECT or INCORRECT.`,
    propose: (instance, done) =>
      `${question(instance)}\nSteps so far: ${done.join(', ') || 'none'}. Numbers left: ${leftAfter(instance, done)}.\nWrite only one next step, like "8 - 4 = 4".`,
    value: (instance, done) =>
      `${question(instance)}\nSteps so far: ${done.join(', ') || 'none'}. Numbers left: ${leftAfter(instance, done)}.\nCan the numbers left make ${instance.target}? Answer with one word: sure, likely or impossible.`,
  },
}

function leftAfter(instance: Game24Instance, steps: readonly string[]): string {
  return stateOf(game(instance), steps.join(', '))?.left.join(', ') ?? list(instance)
}
