import type { Random } from '../../src/base/random.ts'
import { apply, type ChainInstance, chain, chainLine, chainValues } from '../../src/tasks/chain/index.ts'
import { own, type Part, slip } from '../doc.ts'
import { type Author, type Mood, type Story, teller } from '../story.ts'

/**
 * Chains: whole ones of up to `longest` steps, and of longer ones the tail after a state, or the first few lines. What comes
 * later than that in a long chain is never trained on: the model's horizon is real.
 */
export interface Here {
  /** the step that was done last, and its value as written */
  readonly step: number
  readonly value: number
  /** the first step whose written value is wrong */
  readonly wrong?: number
  /** the steps that this prompt tells begin after this one */
  readonly base: number
  /** the written value after each step from `base` on */
  readonly values: readonly number[]
}

const longest = 16
const beginning = 10

const wrongResult = (random: Random, right: number): number => {
  const off = random.pick([1, -1, 10, -10, 2, -2, 20, -20, 5])
  return right + off
}

/** One line of a chain, perhaps with a slip; [parts, the value written]. */
function lineOf(random: Random, instance: ChainInstance, i: number, value: number, slips: number): [Part[], number] {
  const right = chainLine(instance, i, value)
  const raw = apply(value, instance.steps[i - 1]!)
  const kept = ((raw % 100) + 100) % 100
  if (!random.chance(slips)) return [[own(right)], kept]
  const head = right.slice(0, right.indexOf('= ') + 2)
  const bad = wrongResult(random, raw)
  const badKept = ((bad % 100) + 100) % 100
  // the reduction of a wrong result is done rightly, so only the result itself is not learnt
  return [[own(head), slip(String(bad)), ...(bad === badKept ? [] : [own(` -> ${badKept}`)])], badKept]
}

function tell(random: Random, instance: ChainInstance, mood: Mood, from?: Here, corrected?: boolean): Story<Here> {
  const truth = chainValues(instance)
  const t = teller<Here>()
  let here: Here = from ?? { step: 0, value: instance.start, base: 0, values: [instance.start] }
  const back = (to: number): void => {
    const values = here.values.slice(0, to - here.base)
    here = { base: here.base, step: to - 1, value: values.at(-1)!, values }
  }
  const advance = (slips: number): void => {
    const i = here.step + 1
    const [parts, value] = lineOf(random, instance, i, here.value, slips)
    const wrong = here.wrong ?? (value === truth[i] ? undefined : i)
    here = { ...here, step: i, value, values: [...here.values, value], ...(wrong !== undefined && { wrong }) }
    t.say(here, ...parts)
  }
  if (corrected) back(Math.max(here.base + 1, Math.min(here.wrong ?? here.step, here.step - 3)))
  const remaining = instance.steps.length - here.base
  const stop = remaining <= longest ? instance.steps.length : Math.min(instance.steps.length, here.base + beginning)
  while (here.step < stop) {
    advance(corrected ? mood.slip / 4 : mood.slip)
    if (here.wrong !== undefined && random.chance(mood.notice)) {
      const bad = here.wrong
      t.say(here, own(`Wait, step ${bad} is wrong. Again from there.`))
      back(bad)
    }
  }
  if (stop < instance.steps.length) return { lines: t.lines }
  ending(random, instance, mood, t, here, (h) => {
    here = h
  })
  return { lines: t.lines, answer: [own(`${here.value}}.`)] }
}

function ending(
  random: Random,
  instance: ChainInstance,
  mood: Mood,
  t: ReturnType<typeof teller<Here>>,
  last: Here,
  set: (here: Here) => void,
): void {
  let here = last
  if (random.chance(mood.restate)) t.say(here, own(`The last value is ${here.value}.`))
  for (let p = mood.recheck * 0.6; random.chance(p); p /= 2) {
    const first = Math.max(here.base + 1, here.step - random.int(1, 3))
    t.say(here, own(`Let me check from step ${first}.`))
    const ruined = random.chance(mood.ruin)
    let value = here.values[first - 1 - here.base]!
    const values = here.values.slice(0, first - here.base)
    for (let i = first; i <= instance.steps.length; i++) {
      const [parts, next] = lineOf(random, instance, i, value, ruined && i === first ? 1 : 0)
      value = next
      values.push(next)
      t.say(here, ...parts)
    }
    here = { ...here, value, values }
    t.say(here, own(`So the last value is ${value}.`))
  }
  set(here)
}

export const author: Author<ChainInstance, Here> = {
  task: chain,
  instance(random) {
    const size = random.chance(0.62) ? random.int(1, longest) : random.int(longest + 1, 64)
    return chain.generate!(random, { size })
  },
  tell,
  partial: (_instance, here) => (here && here.step > here.base ? `${here.step}: ${here.value}` : 'none'),
  guess: (_random, instance, here) => `${here?.value ?? instance.start}}.`,
  state: (_instance, here) => (here && here.step > here.base ? `${here.step}: ${here.value}` : 'none'),
  resume(_instance, state) {
    const [step, value] = state.split(': ').map(Number) as [number, number]
    return { step, value, base: step, values: [value] }
  },
  search: (random, instance) => searchDoc(random, instance),
}

const verdictOf = (right: boolean): string => (right ? 'CORRECT' : 'INCORRECT')

function searchDoc(random: Random, whole: ChainInstance): { prompt: string; parts: readonly Part[] } {
  const instance = { ...whole, steps: whole.steps.slice(0, random.int(1, longest)) }
  const truth = chainValues(instance)
  const lines = truth.slice(0, -1).map((value, i) => chainLine(instance, i + 1, value))
  const kind = random.pick(['critic', 'propose', 'value'] as const)
  if (kind === 'critic') {
    const right = random.chance(0.5)
    const answer = right ? truth.at(-1)! : (truth.at(-1)! + random.pick([1, 10, 99, 90, 20])) % 100
    const parts = [own(`${lines.join('\n')}\nThe answer given is ${answer}.\n</think>\n\n${verdictOf(right)}<|end|>`)]
    return { prompt: chain.search!.critic(instance, String(answer)) as string, parts }
  }
  const done = random.int(0, kind === 'propose' ? lines.length : lines.length - 1)
  const steps = lines.slice(0, done)
  if (kind === 'propose') {
    const parts = [own(`</think>\n\n${lines[done] ?? `${chain.answerPrefix}${truth.at(-1)}}.`}<|end|>`)]
    return { prompt: chain.search!.propose(instance, steps) as string, parts }
  }
  const bad = done > 0 && random.chance(0.5)
  if (bad) {
    const i = random.int(Math.max(1, done - 2), done)
    const [parts] = lineOf(random, instance, i, truth[i - 1]!, 1)
    steps[i - 1] = parts.map((p) => p.text).join('')
  }
  const parts = [own(`</think>\n\n${bad ? 'impossible' : 'sure'}<|end|>`)]
  return { prompt: chain.search!.value(instance, steps) as string, parts }
}
