import { InputError } from '../../base/errors.ts'
import type { Random } from '../../base/random.ts'
import type { Verdict } from '../../trace/words.ts'
import type { Task } from '../task.ts'
import { afterThinking, isCut, isNone, lastBox } from '../text.ts'

/**
 * A long-horizon state-tracking task of ours: a start value and N operations modulo 100, one line a step. Every partial
 * trace can be checked line by line, which is why Halo's horizon is measured on it.
 *
 * The generated factors are 3, 7 and 9, so that every step is a bijection modulo 100: a slip never heals by itself.
 */
export interface ChainInstance {
  readonly start: number
  /** "+15", "-8", "*3" */
  readonly steps: readonly string[]
}

const MODULUS = 100

const reduce = (value: number): number => ((value % MODULUS) + MODULUS) % MODULUS

/** What one step makes of a value, before it is reduced. */
export function apply(value: number, step: string): number {
  const n = Number(step.slice(1))
  return step[0] === '+' ? value + n : step[0] === '-' ? value - n : value * n
}

/** The value after each step; [0] is the start. */
export function chainValues(instance: ChainInstance): number[] {
  const values = [reduce(instance.start)]
  for (const step of instance.steps) values.push(reduce(apply(values.at(-1)!, step)))
  return values
}

/**
 * The line that a careful solver writes for step `i` (from 1) coming from `value`.
 * @example chainLine({ start: 37, steps: ['+15', '*3'] }, 2, 52) // "2: 52 * 3 = 156 -> 56"
 */
export function chainLine(instance: ChainInstance, i: number, value: number): string {
  const step = instance.steps[i - 1]!
  const raw = apply(value, step)
  const kept = reduce(raw)
  return `${i}: ${value} ${step[0]} ${step.slice(1)} = ${raw}${raw === kept ? '' : ` -> ${kept}`}`
}

function question(start: number, steps: readonly string[], first: number): string {
  const list = steps.map((step, i) => `${first + i}) ${step}`).join(' ')
  return `Start: ${start}. Steps: ${list || 'none'}
Do the steps in order. Keep only the last two digits of each result (modulo ${MODULUS}; -3 becomes 97).
Write one line a step, like "2: 52 * 3 = 156 -> 56". Then give the last value in \\boxed{}.`
}

const FORK_TOKENS = 24

const suffix = 'Last finished step and its value (or none): '

/** "12: 56", or several of them: what a fork states. */
function readState(instance: ChainInstance, text: string): { step: number; value: number }[] {
  const found: { step: number; value: number }[] = []
  for (const m of text
    .slice(0, 4000)
    .matchAll(/(\d{1,9})\s*(?:[:)=]|->|,? (?:the )?value(?: is|:)?)\s*(-?\d{1,9})\b/g)) {
    const step = Number(m[1])
    if (step <= instance.steps.length) found.push({ step, value: Number(m[2]) })
  }
  return found
}

/** The first line; without the number at its end where the line may have been cut inside it. */
function wholeLine(text: string): string {
  const start = text.trimStart()
  const line = start.split('\n', 1)[0]!
  return isCut(line, FORK_TOKENS, line.length < start.length) ? line.replace(/\d+$/, '') : line
}

const lineShape =
  /^[\s>*-]*(?:step\s*)?(\d{1,6})\s*[:.)]\s*(-?\d{1,9})\s*([+*x\u00d7\u2212-])\s*(\d{1,9})\s*=\s*(-?\d{1,12})(?:\s*(?:->|\u2192|=>)\s*(-?\d{1,12}))?/i

/** "Wait, step 8 is wrong." Before the first wrong step such a doubt is itself what is wrong: the loop begins here. */
const doubtShape = /\bstep \d{1,6} is wrong\b/i

/** Is this line of thinking a step, and is it right: the right operation on the right value with the right result? */
function lineIsRight(instance: ChainInstance, values: readonly number[], line: string): boolean | undefined {
  const m = lineShape.exec(line.slice(0, 200))
  if (!m) return undefined
  const step = Number(m[1])
  const wanted = instance.steps[step - 1]
  if (wanted === undefined) return false
  const op = m[3] === '+' ? '+' : m[3] === '-' || m[3] === '\u2212' ? '-' : '*'
  const before = Number(m[2])
  if (op + String(Number(m[4])) !== wanted || before !== values[step - 1]) return false
  const raw = apply(before, wanted)
  if (m[6] !== undefined) return Number(m[5]) === raw && Number(m[6]) === reduce(raw)
  return Number(m[5]) === raw || Number(m[5]) === reduce(raw)
}

function verifyState(instance: ChainInstance, answer: string): Verdict {
  const stated = readState(instance, answer)
  if (stated.length === 0) return { kind: 'unknown', reason: 'no step and value in it' }
  const values = chainValues(instance)
  let right = 0
  for (const { step, value } of stated) {
    if (value !== values[step]) {
      const from = right > 0 && right < step ? right + 1 : Math.max(1, step - 4)
      return {
        kind: 'fail',
        feedback: `after step ${step} the value is not ${value}. I redo the steps from ${from} on`,
      }
    }
    right = step
  }
  return { kind: 'pass', complete: stated.some(({ step }) => step === instance.steps.length) }
}

function finalAnswer(text: string): string | undefined {
  const after = afterThinking(text)
  const box = lastBox(after)
  const said = box ?? [...after.matchAll(/(?:answer|value)(?: is|:)?\s{0,4}\*{0,2}\s{0,4}(-?\d{1,9})\b/gi)].at(-1)?.[1]
  return said === undefined || isNoNumber(said) ? undefined : said.replace(/[^\d-]/g, '')
}

const isNoNumber = (text: string): boolean => !/^[\s$*]*-?\d{1,9}[\s$*.]*$/.test(text)

function read(raw: unknown): ChainInstance {
  const row = raw as { start?: unknown; steps?: unknown } | null
  if (typeof row !== 'object' || row === null)
    throw new InputError('a chain instance is {"start":37,"steps":["+15","*3"]}')
  if (!Number.isInteger(row.start)) throw new InputError('field "start" must be an integer')
  if (!Array.isArray(row.steps) || row.steps.length === 0)
    throw new InputError('field "steps" must be a list such as ["+15","*3"]')
  const bad = row.steps.findIndex((step) => typeof step !== 'string' || !/^[+*-](?:0|[1-9]\d{0,5})$/.test(step))
  if (bad >= 0) throw new InputError(`field "steps": item ${bad + 1} must be +n, -n or *n`)
  return { start: reduce(row.start as number), steps: row.steps as string[] }
}

export const chain: Task<ChainInstance> = {
  name: 'chain',
  sound: true,
  read,
  id: ({ start, steps }) => `${start} ${steps.join(' ')}`,
  prompt: ({ start, steps }) => question(start, steps, 1),
  elicit: () => ({ suffix, maxTokens: FORK_TOKENS, stop: ['\n'] }),
  answerPrefix: 'The last value is \\boxed{',
  extract(instance, text, kind) {
    if (kind === 'final') return finalAnswer(text)
    const line = wholeLine(text)
    if (isNone(line)) return undefined
    const stated = readState(instance, line)
    // a bare number says no step, so it cannot be judged
    return stated.length > 0 ? stated.map(({ step, value }) => `${step}: ${value}`).join(', ') : undefined
  },
  verify(instance, answer, kind) {
    if (kind === 'partial') return verifyState(instance, answer)
    if (isNoNumber(answer)) return { kind: 'unknown', reason: 'no number in it' }
    const value = Number(answer.replace(/[^\d-]/g, ''))
    if (value === chainValues(instance).at(-1)) return { kind: 'pass', complete: true }
    return { kind: 'fail', feedback: `the last value is not ${value}` }
  },
  feedback: (_instance, _answer, { feedback }, phase) =>
    phase === 'think'
      ? `Wait, ${feedback}.`
      : `[Check failed: ${feedback}. Look at the steps again and give another value.]`,
  conclusion: (instance, answer) => `All ${instance.steps.length} steps are done. State ${answer}.`,
  voice: 'model',
  grade(instance, output) {
    const answer = finalAnswer(output)
    return answer !== undefined && Number(answer) === chainValues(instance).at(-1)
  },
  generate(random, { size = 20 }) {
    if (!Number.isInteger(size) || size < 1 || size > 1e6)
      throw new InputError('option "size" must be 1 to 1000000 steps')
    const steps = Array.from({ length: size }, () => step(random))
    return { start: random.int(0, MODULUS - 1), steps }
  },
  difficulty: ({ steps }) => steps.length,
  rectify: {
    compress: () => ({ suffix, maxTokens: FORK_TOKENS, stop: ['\n'], purpose: 'compress' }),
    state(instance, text) {
      const last = readState(instance, wholeLine(text)).at(-1)
      return last && `${last.step}: ${last.value}`
    },
    // Only what remains is told: the prompt shrinks as the work gets done, which is what a short context needs.
    restart(instance, state) {
      const [step, value] = state.split(': ').map(Number) as [number, number]
      return { prompt: question(value, instance.steps.slice(step), step + 1), text: '' }
    },
    rest: {
      after(instance, state) {
        const [step, value] = state.split(': ').map(Number) as [number, number]
        return { start: reduce(value), steps: instance.steps.slice(step) }
      },
      whole(from, state) {
        const [step, value] = state.split(': ').map(Number) as [number, number]
        return `${Number(from.split(':')[0]) + step}: ${value}`
      },
    },
    verify: verifyState,
    progress: (_instance, state) => Number(state.split(':')[0]),
    collapse(instance, thinking) {
      const values = chainValues(instance)
      const at = thinking
        .split('\n')
        .findIndex((line) => lineIsRight(instance, values, line) === false || doubtShape.test(line))
      return at < 0 ? undefined : at
    },
  },
  search: {
    critic: (instance, answer) =>
      `${question(instance.start, instance.steps, 1)}\nSomeone answers ${answer}. Check each step. End with one line: CORRECT or INCORRECT.`,
    propose: (instance, steps) =>
      `${question(instance.start, instance.steps, 1)}\nDone so far:\n${steps.join('\n') || 'nothing'}\nWrite only the next line.`,
    value: (instance, steps) =>
      `${question(instance.start, instance.steps, 1)}\nDone so far:\n${steps.join('\n') || 'nothing'}\nIs every line right? Answer with one word: sure, likely or impossible.`,
  },
}

function step(random: Random): string {
  const op = random.pick(['+', '-', '*'])
  return op + (op === '*' ? random.pick([3, 7, 9]) : random.int(2, 99))
}
