import { critique } from './critic.ts'
import type { Method } from './method.ts'
import { withInstruction } from './prompt.ts'
import { answerOf, outcome, shown, startRuns } from './run.ts'
import { sampleSeed } from './samples.ts'

/** Generate and test with a critic (LLM-Modulo): a whole answer, the same model's critique, again with the critique in hand. */
export const generateTestCritic: Method = {
  name: 'generate-test-critic',
  summary: 'answer, let the same model criticise it, answer again with the critique (GT-c, 4 rounds)',
  parameters: { rounds: 4 },
  least: { rounds: 1 },
  async run(context) {
    const { task, instance, parameters } = context
    const runs = startRuns(context)
    const rounds = Number(parameters.rounds)
    let prompt = task.prompt(instance)
    for (let round = 0; ; round++) {
      const seed = sampleSeed(context, round)
      const result = await runs.run(prompt, [], { seed })
      const done = (accepted: boolean) => outcome(context, result, runs, { rounds: round + 1, accepted })
      if (context.signal?.aborted || result.status === 'failed') return done(false)
      const answer = answerOf(context, result)
      const { correct, text } = await critique(context, runs, answer, shown(result), seed)
      if (correct === true || round + 1 >= rounds) return done(correct === true)
      prompt = withInstruction(
        task.prompt(instance),
        `An earlier answer was:\n${answer ?? shown(result)}\n\nA reviewer said about it:\n${text.trim().slice(0, 4000)}\n\nSolve the problem again with this in mind.`,
      )
    }
  },
}
