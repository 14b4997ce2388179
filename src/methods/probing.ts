import { deer } from '../early-stop/deer.ts'
import { eat } from '../early-stop/eat.ts'
import type { Trigger } from '../steer/monitor.ts'
import { anyOf, atWord, everyLines, everyParagraphs } from '../steer/trigger.ts'
import type { Method, Parameters } from './method.ts'
import { once } from './monitors.ts'
import { cannotProbe } from './refuse.ts'
import { outcome, startRuns } from './run.ts'

/** The early-stopping methods that probe: a short fork after each step reads how sure the model is of its answer. */

const steps = ['paragraphs', 'lines', 'words']

/** After each step; `every` counts lines or paragraphs. Where a model writes no blank lines, `lines` is the one that looks. */
function step({ at, every }: Parameters): Trigger {
  if (at === 'words') return anyOf(atWord(['Wait', 'Alternatively', 'Hmm', 'But']))
  return at === 'lines' ? everyLines(Number(every)) : everyParagraphs(Number(every))
}

export const eatMethod: Method = {
  name: 'eat',
  summary: 'stop thinking when the entropy after </think> is low and steady (EAT)',
  parameters: { at: 'paragraphs', every: 1, alpha: 0.2, average: 0.2, variance: 0.01, least: 4, sync: false },
  choices: { at: steps },
  least: { every: 1, least: 1 },
  refuses: cannotProbe,
  async run(context) {
    const { task, instance, parameters: p } = context
    const runs = startRuns(context)
    const monitor = eat({
      answerPrefix: task.answerPrefix,
      when: step(p),
      alpha: Number(p.alpha),
      average: Number(p.average),
      variance: Number(p.variance),
      least: Number(p.least),
    })
    const result = await runs.run(task.prompt(instance), [once(monitor)], { policy: { sync: p.sync === true } })
    return outcome(context, result, runs)
  },
}

export const deerMethod: Method = {
  name: 'deer',
  summary: 'stop thinking when a trial answer is confident enough (DEER)',
  parameters: { at: 'paragraphs', every: 1, threshold: 0.95, tokens: 20, sync: false },
  choices: { at: steps },
  least: { every: 1, tokens: 1 },
  refuses: cannotProbe,
  async run(context) {
    const { task, instance, parameters: p } = context
    const runs = startRuns(context)
    const monitor = deer({
      answerPrefix: task.answerPrefix,
      when: step(p),
      threshold: Number(p.threshold),
      tokens: Number(p.tokens),
    })
    const result = await runs.run(task.prompt(instance), [once(monitor)], { policy: { sync: p.sync === true } })
    return outcome(context, result, runs)
  },
}
