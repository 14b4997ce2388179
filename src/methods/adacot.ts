import { random } from '../base/random.ts'
import { percentile } from '../early-stop/deepconf.ts'
import type { Task } from '../tasks/task.ts'
import { planFirst } from './cot-pe.ts'
import type { Method } from './method.ts'
import { promptText, withInstruction } from './prompt.ts'
import { outcome, startRuns } from './run.ts'

/**
 * AdaCoT-style: the prompt is chosen by how hard the instance is. The original retrieves demonstrations by query complexity;
 * here the complexity is the task's own measure (else the length of the question), set against the task's other instances,
 * and chooses one of three instructions.
 */
export const adaCot: Method = {
  name: 'adacot',
  summary: 'chain of thought whose instruction is chosen by the difficulty of the instance (AdaCoT-style)',
  parameters: { easy: 0.33, hard: 0.67 },
  async run(context) {
    const { task, instance, parameters } = context
    const runs = startRuns(context)
    const rank = difficultyRank(task, instance)
    const level = rank < Number(parameters.easy) ? 'easy' : rank > Number(parameters.hard) ? 'hard' : 'medium'
    const prompt = task.prompt(instance)
    const asked =
      level === 'easy'
        ? withInstruction(prompt, 'This is an easy one: answer directly, with as few steps as you can.')
        : level === 'hard'
          ? withInstruction(prompt, planFirst)
          : prompt
    return outcome(context, await runs.run(asked, []), runs, { level, rank })
  },
}

/** How many of the task's instances are easier than this one, 0 to 1; ties count half. */
export function difficultyRank(task: Task, instance: unknown): number {
  const measure = (i: unknown): number => task.difficulty?.(i) ?? promptText(task.prompt(i)).length
  const own = measure(instance)
  if (!task.generate) return Math.min(1, promptText(task.prompt(instance)).length / 2000)
  const rng = random('adacot')
  const others = Array.from({ length: 32 }, () => measure(task.generate!(rng, {})))
  const low = percentile(others, 0)
  if (percentile(others, 1) === low) return 0.5
  return others.reduce((sum, d) => sum + (d < own ? 1 : d === own ? 0.5 : 0), 0) / others.length
}
