import type { Method } from './method.ts'
import { outcome, startRuns } from './run.ts'

/** Chain of thought: the model alone, once. Every other bill is a percentage of this one. */
export const cot: Method = {
  name: 'cot',
  summary: 'chain of thought: one run, nobody watches',
  parameters: {},
  async run(context) {
    const runs = startRuns(context)
    return outcome(context, await runs.run(context.task.prompt(context.instance), []), runs)
  },
}
