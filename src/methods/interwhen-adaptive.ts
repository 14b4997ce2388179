import type { CheckView } from '../steer/monitor.ts'
import type { Verdict } from '../trace/words.ts'
import { sinceFeedback, worthAsking } from './adaptive.ts'
import { finalMonitor, policyOf, steeredFigures } from './interwhen.ts'
import type { Method } from './method.ts'
import { concludeWhenRight, retryWays, verifyThinking } from './monitors.ts'
import { outcome, startRuns } from './run.ts'
import { statedBy, statedNow } from './stated.ts'

/**
 * Beyond the paper, three monitors at once: answers that the model states of its own accord are verified for free; a fork is
 * made only when something makes it worth it; the final answer is checked as ever.
 */
export const interwhenAdaptive: Method = {
  name: 'interwhen-adaptive',
  summary: 'interwhen that forks only when entropy, a reflection or a stated answer makes it worth it',
  parameters: { k: 30, gap: 3, share: 0.2, retries: 20, finals: 3, retry: 'escalate', sync: false },
  choices: { retry: retryWays },
  least: { k: 1, gap: 1 },
  async run(context) {
    const { engine, task, instance, parameters } = context
    const runs = startRuns(context)
    const stated = statedBy(task, instance)
    // thinking that is itself written in the fork's format is read for free, if the verifier is quick enough to ask each line
    const reads = (text: string): Verdict | undefined => {
      const answer = task.verifyAsync ? undefined : task.extract(instance, text, 'partial')
      return answer === undefined ? undefined : task.verify(instance, answer, 'partial')
    }
    const trigger = worthAsking({
      k: Number(parameters.k),
      gap: Number(parameters.gap),
      stated,
      reads,
      share: Number(parameters.share),
      first: task.elicit(instance).maxTokens / 4,
      entropy: engine.can.topLogprobs > 0,
    })
    const now = statedNow(stated)
    const readPartial = (text: string, view: CheckView) => {
      const answer = now(text)
      // only what the task itself reads as a partial answer is one
      if (answer !== undefined) return task.extract(instance, answer, 'partial')
      const said = sinceFeedback(view)
      // a state that checks out is not yet an answer (a path is not its number of turns): one must have been stated, too
      if (stated(said).length === 0) return undefined
      const verdict = reads(said)
      return verdict?.kind === 'pass' && verdict.complete ? task.extract(instance, said, 'partial') : undefined
    }
    const monitors = [
      concludeWhenRight(task, instance, readPartial),
      verifyThinking(task, instance, { when: trigger }),
      finalMonitor(context),
    ]
    const result = await runs.run(task.prompt(instance), monitors, { policy: policyOf(context) })
    return outcome(context, result, runs, steeredFigures(context, result))
  },
}
