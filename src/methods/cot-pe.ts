import type { Method } from './method.ts'
import { withInstruction } from './prompt.ts'
import { outcome, startRuns } from './run.ts'

export const planFirst =
  'Plan first, then execute: write a short numbered plan, carry it out step by step, check each step before the next, and only then give the answer in the format asked for.'

/** Prompt engineering (Halo, F.2): a more demanding instruction and nothing else. */
export const cotPe: Method = {
  name: 'cot-pe',
  summary: 'chain of thought with "plan first, then execute" in the prompt',
  parameters: {},
  async run(context) {
    const runs = startRuns(context)
    const prompt = withInstruction(context.task.prompt(context.instance), planFirst)
    return outcome(context, await runs.run(prompt, []), runs)
  },
}
