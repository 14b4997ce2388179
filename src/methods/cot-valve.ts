import type { Method } from './method.ts'
import { withInstruction } from './prompt.ts'
import { outcome, startRuns } from './run.ts'

/**
 * CoT-Valve-style length control. The original moves the weights along a length direction; without such weights the length is
 * asked for in the prompt, and the results row says so (`control: prompt`).
 */
export const cotValve: Method = {
  name: 'cot-valve',
  summary: 'chain of thought with its length asked for in the prompt (CoT-Valve-style, λ = 0.5)',
  parameters: { lambda: 0.5 },
  async run(context) {
    const runs = startRuns(context)
    const share = Math.max(5, Math.round(100 * (1 - Math.min(1, Number(context.parameters.lambda)))))
    const prompt = withInstruction(
      context.task.prompt(context.instance),
      `Keep your reasoning short: use about ${share}% of the words you would normally use. Leave out repetition and second checks.`,
    )
    return outcome(context, await runs.run(prompt, []), runs, { control: 'prompt', share })
  },
}
