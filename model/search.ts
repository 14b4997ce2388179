import type { Random } from '../src/base/random.ts'
import { format, given, own, type Part, render, textOf } from './doc.ts'
import { type Author, calm, clumsy, type Story, usual } from './story.ts'

/**
 * The questions that the baselines ask of any task (critic, tree and graph of thoughts, instructions about length), in the
 * methods' own words, with the answers that a fair model would give.
 */
type Any = Author<unknown, unknown>

const lineText = (parts: readonly Part[]): string => textOf(parts).trim()
const body = (story: Story<unknown>): Part[] => story.lines.flatMap((l) => [...l.parts])
const said = (text: string): Part => own(`${format.thinkClose}\n\n${text}${format.end}`)

const answerOf = (author: Any, instance: unknown, story: Story<unknown>): string | undefined =>
  story.answer && author.task.extract(instance, author.task.answerPrefix + textOf(story.answer), 'final')

const finish = (author: Any, story: Story<unknown>): Part[] =>
  story.answer ? [own(`${format.thinkClose}\n\n${author.task.answerPrefix}`), ...story.answer, own(format.end)] : []

/** One of the general questions; undefined where this story has no place for it. */
export function generalSearch(author: Any, random: Random, instance: unknown): Part[] | undefined {
  const prompt = author.task.prompt(instance)
  if (typeof prompt !== 'string') return undefined
  const kind = random.pick([
    'critic',
    'propose',
    'value',
    'rate',
    'continue',
    'revise',
    'instructed',
    'instructed',
  ] as const)
  switch (kind) {
    case 'critic':
    case 'rate':
      return judged(author, random, instance, prompt, kind)
    case 'propose':
      return proposed(author, random, instance, prompt)
    case 'value':
      return valued(author, random, instance, prompt)
    case 'continue': {
      const { lines } = author.tell(random, instance, calm)
      const k = random.int(1, lines.length)
      const done = lines
        .slice(0, k)
        .map((l) => lineText(l.parts))
        .join('\n')
      const next = author.tell(random, instance, usual, lines[k - 1]!.here)
      const asked = `${prompt}\n\nThese steps are done:\n${done}\n\nGo on from them to the answer.`
      return [given(render(asked)), ...body(next), ...finish(author, next)]
    }
    case 'revise': {
      const candidate = candidateOf(author, random, instance, random.chance(0.4))
      if (candidate === undefined) return undefined
      const asked = random.pick([
        `An earlier answer was:\n${candidate}\n\nA reviewer said about it:\nVERDICT: INCORRECT\n\nSolve the problem again with this in mind.`,
        `Here is an attempt:\n\n${candidate}\n\nFind its mistakes, if it has any, and solve the problem.`,
        `Here are 2 attempts:\n\nAttempt 1:\n${candidate}\n\nAttempt 2:\n${candidate}\n\nTake what is right in each of them and solve the problem.`,
      ])
      const story = author.tell(random, instance, usual)
      return [given(render(`${prompt}\n\n${asked}`)), ...body(story), ...finish(author, story)]
    }
    case 'instructed': {
      const short = random.chance(0.6)
      const tail = short
        ? random.pick([
            `Keep your reasoning short: use about ${random.pick([25, 50, 50, 50, 75])}% of the words you would normally use. Leave out repetition and second checks.`,
            'This is an easy one: answer directly, with as few steps as you can.',
          ])
        : 'Plan first, then execute: write a short numbered plan, carry it out step by step, check each step before the next, and only then give the answer in the format asked for.'
      const story = author.tell(random, instance, short ? { ...usual, recheck: 0, restate: 0 } : usual)
      return [given(render(`${prompt}\n\n${tail}`)), ...body(story), ...finish(author, story)]
    }
  }
}

/** An answer to be judged: the right one, or what a clumsy or hasty solver would say. */
function candidateOf(author: Any, random: Random, instance: unknown, right: boolean): string | undefined {
  if (right) return answerOf(author, instance, author.tell(random, instance, calm))
  const { task } = author
  return task.extract(instance, task.answerPrefix + author.guess(random, instance, undefined), 'final')
}

function judged(
  author: Any,
  random: Random,
  instance: unknown,
  prompt: string,
  kind: 'critic' | 'rate',
): Part[] | undefined {
  const candidate = candidateOf(author, random, instance, random.chance(0.5))
  if (candidate === undefined) return undefined
  const right = author.task.verify(instance, candidate, 'final').kind === 'pass'
  const story = author.tell(random, instance, calm)
  const asked = `${prompt}\n\nA proposed answer:\n${candidate}\n\n${
    kind === 'critic'
      ? 'Check it step by step and say what is wrong, if anything is. End with one line: VERDICT: CORRECT or VERDICT: INCORRECT.'
      : 'How likely is it right? End with one line: Confidence: sure, likely, possible, unlikely or impossible.'
  }`
  const verdict =
    kind === 'critic' ? `VERDICT: ${right ? 'CORRECT' : 'INCORRECT'}` : `Confidence: ${right ? 'sure' : 'impossible'}`
  return [given(render(asked)), ...body(story), said(verdict)]
}

function proposed(author: Any, random: Random, instance: unknown, prompt: string): Part[] | undefined {
  const story = author.tell(random, instance, calm)
  const k = random.int(0, story.lines.length)
  const steps = story.lines.slice(0, k).map((l) => lineText(l.parts))
  const asked = `${prompt}\n\nSteps so far:\n${steps.join('\n') || 'none'}\n\nWrite only the next step in one line, or the final answer if it is reached.`
  const next = story.lines[k]
  if (!next && !story.answer) return undefined
  const answer = next ? lineText(next.parts) : author.task.answerPrefix + textOf(story.answer!)
  return [given(render(asked)), said(answer)]
}

function valued(author: Any, random: Random, instance: unknown, prompt: string): Part[] | undefined {
  const { task } = author
  const { lines } = author.tell(random, instance, random.chance(0.5) ? clumsy : calm)
  const k = random.int(1, lines.length)
  const stated = task.extract(instance, author.partial(instance, lines[k - 1]!.here), 'partial')
  const verdict = stated === undefined ? undefined : task.verify(instance, stated, 'partial')
  const word =
    verdict?.kind === 'fail'
      ? 'impossible'
      : verdict?.kind === 'pass'
        ? verdict.complete
          ? 'sure'
          : 'likely'
        : 'possible'
  const steps = lines
    .slice(0, k)
    .map((l) => lineText(l.parts))
    .join('\n')
  const asked = `${prompt}\n\nSteps so far:\n${steps}\n\nHow likely do these steps lead to a right answer? End with one line: Confidence: sure, likely, possible, unlikely or impossible.`
  return [given(render(asked)), said(`Confidence: ${word}`)]
}
