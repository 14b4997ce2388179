import { deer } from '../early-stop/deer.ts'
import { eat } from '../early-stop/eat.ts'
import type { Trigger } from '../steer/monitor.ts'
import { atWord, everyLines, everyParagraphs, when } from '../steer/trigger.ts'
import type { Method, Parameters } from './method.ts'
import { once } from './monitors.ts'
import { cannotSample } from './refuse.ts'
import { outcome, startRuns } from './run.ts'

/** The early-stopping methods that probe: a short fork after each step reads how sure the model is of its answer. */

const places = ['steps', 'paragraphs', 'lines', 'words']

/**
 * After each step. A step ends at a blank line or, for models that write none, after `every` lines; `paragraphs`, `lines` and
 * `words` (where DEER's authors look) are there to choose from.
 */
function step({ at, every }: Parameters): Trigger {
  if (at === 'words') return atWord(['Wait', 'Alternatively', 'Hmm', 'But'])
  if (at === 'paragraphs') return everyParagraphs(1)
  return at === 'lines' ? everyLines(Number(every)) : stepEnds(Number(every))
}

/** At a blank line, and after `lines` lines without one. */
function stepEnds(lines: number): Trigger {
  return when('each step', { lines: 0, ends: 0 }, (state, token, view) => {
    if (view.phase !== 'think' && view.thinks) return [state, false]
    let { lines: seen, ends } = state
    let fire = false
    for (const c of token.text) {
      if (c === '\n') {
        ends++
        seen++
        fire ||= ends === 2 || seen >= lines
      } else if (c.trim() !== '') ends = 0
    }
    // the second of two line ends may come right after the line count has fired
    if (fire && seen <= 1 && ends === 2) return [{ lines: 0, ends }, false]
    return [{ lines: fire ? 0 : seen, ends }, fire]
  })
}

export const eatMethod: Method = {
  name: 'eat',
  summary: 'stop thinking when the entropy after </think> is low and steady (EAT)',
  parameters: { at: 'steps', every: 2, alpha: 0.2, average: 0.2, variance: 0.01, least: 4, sync: false },
  choices: { at: places },
  least: { every: 1, least: 1 },
  refuses: cannotSample,
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
  parameters: { at: 'steps', every: 4, threshold: 0.95, tokens: 20, sync: false },
  choices: { at: places },
  least: { every: 1, tokens: 1 },
  refuses: cannotSample,
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
