import { worthAsking } from './adaptive.ts'
import { finalMonitors, policyOf, steeredFigures, steering } from './interwhen.ts'
import type { Method } from './method.ts'
import { concludeWhenRight, retryWays, verifyThinking } from './monitors.ts'
import { answerReader, readVerdict } from './reading.ts'
import { outcome, startRuns } from './run.ts'
import { statedBy } from './stated.ts'

/**
 * Beyond the paper, three monitors at once: answers that the model states of its own accord are verified for free; a fork is
 * made only when something makes it worth it; the final answer is checked as ever.
 */
export const interwhenAdaptive: Method = {
  name: 'interwhen-adaptive',
  summary: 'interwhen that forks only when entropy, a reflection or a stated answer makes it worth it',
  parameters: { k: 30, gap: 3, ...steering, sync: false },
  choices: { retry: retryWays },
  least: { k: 1, gap: 1 },
  async run(context) {
    const { engine, task, instance, parameters } = context
    const runs = startRuns(context)
    const stated = statedBy(task, instance)
    const trigger = worthAsking({
      k: Number(parameters.k),
      gap: Number(parameters.gap),
      stated,
      reads: (text) => readVerdict(task, instance, text),
      share: Number(parameters.share),
      first: task.elicit(instance).maxTokens / 4,
      entropy: engine.can.topLogprobs > 0,
    })
    const monitors = [
      concludeWhenRight(task, instance, answerReader(task, instance)),
      verifyThinking(task, instance, { when: trigger, confirm: Number(parameters.confirm) }),
      ...finalMonitors(context),
    ]
    const result = await runs.run(task.prompt(instance), monitors, { policy: policyOf(context) })
    return outcome(context, result, runs, steeredFigures(context, result))
  },
}
