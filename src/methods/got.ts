import { readCritic } from './critic.ts'
import type { Method, MethodContext } from './method.ts'
import { promptText, withInstruction } from './prompt.ts'
import { outcome, type Runs, shown, startRuns } from './run.ts'
import { drawSample, type Sample, sampleSeed } from './samples.ts'
import { readValue } from './value.ts'

/**
 * Graph of thoughts (Besta et al. 2024) in its plainest form: generate `branch` solutions, score them, aggregate the best
 * `keep` into one, refine that `refine` times; the best-scored thought of the graph is the answer.
 */
export const got: Method = {
  name: 'got',
  summary: 'graph of thoughts: generate, score, merge the best, refine',
  parameters: { branch: 3, keep: 2, refine: 1 },
  least: { branch: 1, keep: 1 },
  async run(context) {
    const { task, instance } = context
    const { branch, keep, refine } = context.parameters as Record<string, number>
    const runs = startRuns(context)
    const thoughts: Thought[] = []
    const add = async (sample: Sample): Promise<void> => {
      thoughts.push({ ...sample, score: await score(context, runs, sample, thoughts.length) })
    }
    const best = (): Thought => [...thoughts].sort((a, b) => b.score - a.score)[0]!
    const again = async (instruction: string): Promise<void> => {
      const seed = sampleSeed(context, thoughts.length)
      const result = await runs.run(withInstruction(task.prompt(instance), instruction), [], { seed })
      await add({ result, answer: shown(result) === '' ? undefined : task.extract(instance, result.text, 'final') })
    }
    do await add(await drawSample(context, runs, thoughts.length))
    while (thoughts.length < branch! && !context.signal?.aborted)
    const kept = [...thoughts].sort((a, b) => b.score - a.score).slice(0, keep)
    if (kept.length > 1 && !context.signal?.aborted)
      await again(
        `Here are ${kept.length} attempts:\n\n${kept.map((t, i) => `Attempt ${i + 1}:\n${brief(t)}`).join('\n\n')}\n\nTake what is right in each of them and solve the problem.`,
      )
    for (let i = 0; i < refine! && !context.signal?.aborted; i++)
      await again(`Here is an attempt:\n\n${brief(best())}\n\nFind its mistakes, if it has any, and solve the problem.`)
    return outcome(context, best().result, runs, { thoughts: thoughts.length, score: best().score })
  },
}

interface Thought extends Sample {
  readonly score: number
}

const brief = ({ result }: Sample): string => result.text.trim().slice(0, 2000)

async function score(context: MethodContext, runs: Runs, sample: Sample, i: number): Promise<number> {
  const { task, instance } = context
  if (sample.answer === undefined) return 0
  const prompt =
    task.search?.critic(instance, sample.answer) ??
    `${promptText(task.prompt(instance))}\n\nA proposed answer:\n${sample.answer}\n\nHow likely is it right? End with one line: Confidence: sure, likely, possible, unlikely or impossible.`
  const said = await runs.ask(prompt, { purpose: 'judge', seed: sampleSeed(context, i) })
  const verdict = readCritic(said)
  return verdict === undefined ? (readValue(said) ?? 0.5) : verdict ? 0.9 : 0.1
}
