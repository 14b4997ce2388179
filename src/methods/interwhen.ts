import type { Monitor } from '../steer/monitor.ts'
import type { Result } from '../trace/event.ts'
import { everyAffordable } from './affordable.ts'
import type { Method, MethodContext } from './method.ts'
import { concludeWhenRight, patience, type Retry, retryWays, verifyFinal, verifyThinking } from './monitors.ts'
import { answerReader, readVerdict, sinceFeedback } from './reading.ts'
import { outcome, startRuns } from './run.ts'

/** What both variants do with a refuted belief or answer, and how much of it. */
export const steering = { share: 0.05, confirm: 2, retries: 5, thoughts: 1, longest: 5, retry: 'escalate' } as const

/**
 * interwhen, Algorithm 1: one trajectory, forked every k lines or paragraphs, verified beside the stream, rolled back to the
 * fork with feedback when wrong, concluded when complete and right, abstained from after `retries` corrections.
 * A model without think tags is steered the same way in the text of its answer. Beyond the paper, `read`: what already stands
 * in the thinking in the fork's own format, or as a stated answer, is read there and not asked for.
 */
export const interwhen: Method = {
  name: 'interwhen',
  summary: 'fork every k lines, verify, roll back with feedback (interwhen, Algorithm 1)',
  parameters: { k: 20, by: 'lines', warmup: 0, ...steering, read: true, sync: false },
  choices: { by: ['lines', 'paragraphs'], retry: retryWays },
  least: { k: 1 },
  async run(context) {
    const { task, instance, parameters } = context
    const runs = startRuns(context)
    const reads = parameters.read === true
    const thinking = verifyThinking(task, instance, {
      confirm: Number(parameters.confirm),
      when: everyAffordable({
        k: Number(parameters.k),
        by: parameters.by as 'lines' | 'paragraphs',
        warmup: Number(parameters.warmup),
        share: Number(parameters.share),
        first: task.elicit(instance).maxTokens / 4,
        ...(reads && { known: (view) => readVerdict(task, instance, sinceFeedback(view))?.kind === 'pass' }),
      }),
    })
    const stated = reads ? [concludeWhenRight(task, instance, answerReader(task, instance))] : []
    const result = await runs.run(task.prompt(instance), [...stated, thinking, ...finalMonitors(context)], {
      policy: policyOf(context),
    })
    return outcome(context, result, runs, steeredFigures(context, result))
  },
}

/** The final answer is checked; where `longest` is given, a corrected run is not followed for ever. */
export function finalMonitors({ task, instance, parameters }: MethodContext): Monitor[] {
  const final = verifyFinal(task, instance, {
    retry: parameters.retry as Retry,
    ...(parameters.thoughts !== undefined && { thoughts: Number(parameters.thoughts) }),
  })
  const longest = Number(parameters.longest ?? 0)
  return longest > 0 ? [final, patience(longest)] : [final]
}

export const policyOf = ({ parameters }: MethodContext) => ({
  retries: Number(parameters.retries),
  sync: parameters.sync === true,
})

/** What a table must know beside the bill: was the model a thinking one, and was the verifier the gold answer itself? */
export const steeredFigures = ({ engine, task }: MethodContext, { retries }: Result) => ({
  retries,
  thinks: engine.markers.thinkClose !== '',
  ...(task.gold && { oracle: true }),
})
