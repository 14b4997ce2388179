import type { Random } from '../src/base/random.ts'
import { conclusion, feedbackInThought, forkSuffix } from '../src/steer/inject.ts'
import type { Elicitation } from '../src/steer/monitor.ts'
import { type Doc, format, given, markers, own, type Part, render, slip, textOf } from './doc.ts'
import { generalSearch } from './search.ts'
import { type Author, calm, clumsy, type Line, type Story, usual } from './story.ts'

/**
 * Documents out of stories: the plain one, and one for every way in which rein breaks into a trace. What is injected is made
 * by the very functions and task texts that the running program uses, so training text and runtime text are the same.
 */
export const forms = {
  plain: 34,
  fork: 15,
  answerNow: 6,
  feedback: 17,
  conclude: 5,
  answerAgain: 5,
  thinkAgain: 3,
  userTurn: 2,
  wait: 2,
  compress: 4,
  restart: 5,
  notes: 1.5,
  search: 7,
} as const

export type Form = keyof typeof forms

type Any = Author<unknown, unknown>
const close = own(`${format.thinkClose}\n\n`)
const end = own(format.end)

const partsOf = (lines: readonly Line<unknown>[]): Part[] => lines.flatMap((l) => [...l.parts])
const answered = (author: Any, story: Story<unknown>): Part[] =>
  story.answer ? [close, own(author.task.answerPrefix), ...story.answer, end] : []
const suffixOf = ({ suffix }: Elicitation): string => (typeof suffix === 'string' ? suffix : '')

/** A document of this form, or undefined where the story at hand has no place for it. */
export function compose(author: Any, random: Random, instance: unknown, form: Form): Doc | undefined {
  const parts = build(author, random, instance, form)
  return parts && { parts }
}

function build(author: Any, random: Random, instance: unknown, form: Form): Part[] | undefined {
  const { task } = author
  const opened = given(render(task.prompt(instance)))
  switch (form) {
    case 'plain': {
      const story = author.tell(random, instance, usual)
      return [opened, ...partsOf(story.lines), ...answered(author, story)]
    }
    case 'fork':
      return forked(author, random, instance, opened, task.elicit(instance), (here) => author.partial(instance, here))
    case 'compress': {
      if (!task.rectify || !author.state) return undefined
      const state = author.state
      return forked(author, random, instance, opened, task.rectify.compress(instance), (here) => state(instance, here))
    }
    case 'answerNow': {
      const { lines } = author.tell(random, instance, usual)
      const kept = lines.slice(0, random.int(0, lines.length))
      const before = [opened, ...partsOf(kept)]
      const injected = conclusion(textOf(before), true, '', task.answerPrefix, markers)
      return [...before, given(injected), own(author.guess(random, instance, kept.at(-1)?.here)), end]
    }
    case 'feedback':
      return corrected(author, random, instance, opened)
    case 'conclude':
      return concluded(author, random, instance, opened)
    case 'answerAgain':
    case 'thinkAgain':
    case 'userTurn':
      return again(author, random, instance, opened, form)
    case 'wait': {
      const story = author.tell(random, instance, usual)
      const last = story.lines.at(-1)
      if (!story.answer || !last) return undefined
      const more = author.tell(random, instance, { ...usual, recheck: 1 }, last.here)
      return [opened, ...partsOf(story.lines), given('Wait\n'), ...partsOf(more.lines), ...answered(author, more)]
    }
    case 'restart':
      return restarted(author, random, instance)
    case 'notes':
      return noted(author, random, instance)
    case 'search': {
      const asked = random.chance(0.5) ? author.search?.(random, instance) : undefined
      return asked ? [given(render(asked.prompt)), ...asked.parts] : generalSearch(author, random, instance)
    }
  }
}

/** Now and then a fork comes in mid-line: what was written of that line stands, and changes nothing. */
function cutInside(random: Random, line: Line<unknown> | undefined): Part[] {
  const text = line ? textOf(line.parts) : ''
  const spaces = [...text.matchAll(/ /g)].map((m) => m.index).filter((i) => i > 0)
  return spaces.length === 0 || !random.chance(0.15) ? [] : [slip(text.slice(0, random.pick(spaces)))]
}

function forked(
  author: Any,
  random: Random,
  instance: unknown,
  opened: Part,
  elicitation: Elicitation,
  answer: (here: unknown) => string,
): Part[] {
  const { lines } = author.tell(random, instance, random.chance(0.3) ? clumsy : usual)
  const k = random.int(random.chance(0.1) ? 0 : 1, lines.length)
  const before = [opened, ...partsOf(lines.slice(0, k)), ...cutInside(random, lines[k])]
  const closing = elicitation.closeThinking ?? true
  const question = forkSuffix(textOf(before), true, closing, suffixOf(elicitation), markers)
  return [...before, given(question), own(answer(lines[k - 1]?.here)), end]
}

/** A line at which the verifier refutes what the model would state; the feedback it gives. */
function refuted(author: Any, random: Random, instance: unknown, lines: readonly Line<unknown>[]) {
  const { task } = author
  for (const k of random.shuffle(lines.map((_, i) => i)).slice(0, 5)) {
    const answer = task.extract(instance, author.partial(instance, lines[k]!.here), 'partial')
    if (answer === undefined) continue
    const verdict = task.verify(instance, answer, 'partial')
    if (verdict.kind === 'fail') return { k, note: task.feedback(instance, answer, verdict, 'think') }
  }
  return undefined
}

/** Up to three roll-backs with feedback, each followed by a real correction. */
function corrected(author: Any, random: Random, instance: unknown, opened: Part): Part[] | undefined {
  const parts: Part[] = [opened]
  let story = author.tell(random, instance, clumsy)
  let rounds = 0
  for (; rounds < 3; rounds++) {
    const found = rounds === 0 || random.chance(0.5) ? refuted(author, random, instance, story.lines) : undefined
    if (!found) break
    parts.push(...partsOf(story.lines.slice(0, found.k + 1)))
    parts.push(given(feedbackInThought(textOf(parts), found.note)))
    story = author.tell(
      random,
      instance,
      rounds === 0 && random.chance(0.3) ? clumsy : usual,
      story.lines[found.k]!.here,
      true,
    )
  }
  return rounds === 0 ? undefined : [...parts, ...partsOf(story.lines), ...answered(author, story)]
}

/** rein ends the thinking as soon as what the model states is whole and right. */
function concluded(author: Any, random: Random, instance: unknown, opened: Part): Part[] | undefined {
  const { task } = author
  if (!task.conclusion) return undefined
  const { lines } = author.tell(random, instance, usual)
  for (const [k, line] of lines.entries()) {
    if (k < lines.length - 4) continue
    const answer = task.extract(instance, author.partial(instance, line.here), 'partial')
    const verdict = answer === undefined ? undefined : task.verify(instance, answer, 'partial')
    if (verdict?.kind !== 'pass' || !verdict.complete) continue
    const before = [opened, ...partsOf(lines.slice(0, k + 1))]
    const said = conclusion(textOf(before), true, task.conclusion(instance, answer!), task.answerPrefix, markers)
    const right = author.tell(random, instance, calm, line.here)
    return right.answer && [...before, given(said), ...right.answer, end]
  }
  return undefined
}

/** A wrong final answer that is sent back: to be answered again at once, thought over again, or told by the user. */
function again(author: Any, random: Random, instance: unknown, opened: Part, form: Form): Part[] | undefined {
  const { task } = author
  const story = author.tell(random, instance, clumsy)
  if (!story.answer) return undefined
  const honest = task.extract(instance, task.answerPrefix + textOf(story.answer), 'final')
  const wrong = honest !== undefined && task.verify(instance, honest, 'final').kind === 'fail'
  const said = wrong ? story.answer : [slip(author.guess(random, instance, undefined))]
  const answer = task.extract(instance, task.answerPrefix + textOf(said), 'final')
  const verdict = answer === undefined ? undefined : task.verify(instance, answer, 'final')
  if (answer === undefined || verdict?.kind !== 'fail') return undefined
  const thought = [opened, ...partsOf(story.lines)]
  const last = story.lines.at(-1)?.here
  if (form === 'thinkAgain') {
    const note = feedbackInThought(textOf(thought), task.feedback(instance, answer, verdict, 'think'))
    const next = author.tell(random, instance, usual, last, true)
    return [...thought, given(note), ...partsOf(next.lines), ...answered(author, next)]
  }
  const before = [...thought, close, wrong ? own(task.answerPrefix) : slip(task.answerPrefix), ...said]
  const note = task.feedback(instance, answer, verdict, 'answer')
  if (form === 'userTurn') {
    const next = author.tell(random, instance, usual)
    return [...before, given(markers.userTurn(note)), ...partsOf(next.lines), ...answered(author, next)]
  }
  const right = author.tell(random, instance, calm)
  return (
    right.answer && [
      ...before,
      given(feedbackInThought(textOf(before), note) + task.answerPrefix),
      ...right.answer,
      end,
    ]
  )
}

/** A fresh start from a compressed state. */
function restarted(author: Any, random: Random, instance: unknown): Part[] | undefined {
  const { rectify } = author.task
  if (!rectify || !author.state || !author.resume) return undefined
  const { lines } = author.tell(random, instance, random.chance(0.2) ? clumsy : usual)
  const line = lines[random.int(0, lines.length - 1)]
  const state = line && rectify.state(instance, author.state(instance, line.here))
  const here = state === undefined ? undefined : author.resume(instance, state)
  if (state === undefined || here === undefined) return undefined
  const start = rectify.restart(instance, state)
  const story = author.tell(random, instance, usual, here)
  const before = [given(render(start.prompt)), ...(start.text === '' ? [] : [given(start.text)])]
  return story.lines.length === 0 ? undefined : [...before, ...partsOf(story.lines), ...answered(author, story)]
}

/** interwhen's meta-prompt: the model is asked to note its state in the fork's format, and does so now and then. */
function noted(author: Any, random: Random, instance: unknown): Part[] | undefined {
  const { task } = author
  const { stop, ...elicitation } = task.elicit(instance)
  const suffix = suffixOf(elicitation)
  const marker = suffix.trim()
  const prompt = task.prompt(instance)
  if (typeof prompt !== 'string') return undefined
  const asked = `${prompt}\n\nWhile you work, note your state whenever it changes: write a line that begins exactly with\n${marker}\nand go on in that format.`
  const story = author.tell(random, instance, usual)
  const every = random.int(2, 5)
  const parts = story.lines.flatMap((line, i) => {
    if (i % every !== every - 1) return [...line.parts]
    const note = `${suffix}${author.partial(instance, line.here).trimEnd()}${stop?.includes('\n\n') ? '\n\n' : '\n'}`
    return [...line.parts, own(note)]
  })
  return [given(render(asked)), ...parts, ...answered(author, story)]
}

/** Picks by weight. */
export function weighted<K extends string>(random: Random, weights: Readonly<Record<K, number>>): K {
  const entries = Object.entries(weights) as [K, number][]
  let at = random.next() * entries.reduce((sum, [, w]) => sum + w, 0)
  for (const [key, w] of entries) if ((at -= w) < 0) return key
  return entries.at(-1)![0]
}
