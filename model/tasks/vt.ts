import type { Random } from '../../src/base/random.ts'
import { type RulerInstance, rulerVt } from '../../src/tasks/ruler/index.ts'
import { own, slip } from '../doc.ts'
import { type Author, type Mood, type Story, teller } from '../story.ts'

/** RULER's variable tracking: follow the assignments from the value on, one a line. */
export interface Here {
  readonly found: readonly string[]
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** A name with one letter read wrongly, or one of another chain. */
function misread(random: Random, name: string, others: readonly string[]): string {
  if (others.length > 0 && random.chance(0.5)) return random.pick(others)
  const at = random.int(0, name.length - 1)
  return name.slice(0, at) + random.pick([...letters].filter((l) => l !== name[at])) + name.slice(at + 1)
}

function tell(random: Random, instance: RulerInstance, mood: Mood, from?: Here, corrected?: boolean): Story<Here> {
  const t = teller<Here>()
  const { answers, query } = instance
  const others = [...instance.context.matchAll(/VAR ([A-Z]+) =/g)].map((m) => m[1]!).filter((n) => !answers.includes(n))
  let found: string[] = [...(from?.found ?? [])]
  const back = (): void => {
    const wrong = found.findIndex((n) => !answers.includes(n))
    if (wrong >= 0) found = found.slice(0, wrong)
  }
  if (corrected) back()
  const walk = (slips: number): void => {
    while (found.length < answers.length) {
      const i = found.length
      const right = answers[i]!
      const bad = random.chance(slips)
      const name = bad ? misread(random, right, others) : right
      const before = i === 0 ? query : `VAR ${found[i - 1]}`
      found = [...found, name]
      t.say({ found }, own('VAR '), bad ? slip(name) : own(name), own(` = ${before}`))
      if (found.some((n) => !answers.includes(n)) && random.chance(mood.notice)) {
        t.say({ found }, own(`Wait, ${found.find((n) => !answers.includes(n))} is not in this chain.`))
        back()
      } else if (bad && random.chance(0.3)) {
        t.say({ found }, own('No more.'))
        return
      }
    }
    t.say({ found }, own('No more.'))
  }
  walk(corrected ? mood.slip / 4 : mood.slip)
  if (random.chance(mood.restate)) t.say({ found }, own(`So ${found.join(', ')}.`))
  for (let p = mood.recheck * 0.5; random.chance(p); p *= 0.4) {
    t.say({ found }, own('Let me check.'))
    const kept = found
    found = []
    walk(0)
    if (kept.join() !== found.join()) t.say({ found }, own('That is not the same. This time is right.'))
  }
  return { lines: t.lines, answer: [own(`${found.join(', ')}}.`)] }
}

export const author: Author<RulerInstance, Here> = {
  task: rulerVt,
  instance: (random) =>
    rulerVt.generate!(random, { size: random.int(60, 340), chains: random.int(1, 3), hops: random.int(2, 6) }),
  tell,
  partial: (_instance, here) => (here && here.found.length > 0 ? here.found.join(', ') : 'none'),
  guess: (random, instance, here) => `${here?.found.length ? here.found.join(', ') : random.pick(instance.answers)}}.`,
  state: (_instance, here) => (here && here.found.length > 0 ? here.found.join(', ') : 'none'),
  resume: (_instance, state) => ({ found: state.split(', ') }),
}
