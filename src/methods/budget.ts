import { budget } from '../early-stop/budget.ts'
import type { Method } from './method.ts'
import { cannotWatch } from './refuse.ts'
import { outcome, startRuns } from './run.ts'

/** s1 budget forcing: thinking is cut off at `max` tokens and, up to `waits` times, kept going with "Wait" below `min`. */
export const budgetMethod: Method = {
  name: 'budget',
  summary: 'budget forcing: close the thinking at max tokens, reopen it with "Wait" below min (s1)',
  parameters: { max: 2000, min: 0, waits: 2, word: 'Wait' },
  refuses: (engine) =>
    cannotWatch(engine) ??
    (engine.markers.thinkClose === ''
      ? `${engine.model} does not think in tags, so it has no thinking to budget`
      : undefined),
  async run(context) {
    const { task, instance, parameters: p } = context
    const runs = startRuns(context)
    const monitors = budget({ max: Number(p.max), min: Number(p.min), word: String(p.word) })
    const result = await runs.run(task.prompt(instance), monitors, { policy: { retries: Number(p.waits) } })
    return outcome(context, result, runs, { waits: result.retries })
  },
}
