import { gradeOf } from '../tasks/grade-of.ts'
import { critique } from './critic.ts'
import type { Method, MethodContext } from './method.ts'
import { outcome, type Runs, shown, startRuns } from './run.ts'
import { drawSample, type Sample, sampleSeed } from './samples.ts'

/** Best-of-k with an oracle: right if any of k samples is, by the gold answer. An upper bound, not a method one can deploy. */
export const bestOfK: Method = {
  name: 'best-of-k',
  summary: 'ORACLE upper bound: k samples, right if any of them is by the gold answer',
  parameters: { k: 4 },
  least: { k: 1 },
  async run(context) {
    const { task, instance } = context
    const runs = startRuns(context)
    const samples = await draw(context, runs)
    const grades = await Promise.all(samples.map((s) => gradeOf(task, instance, shown(s.result), context.signal)))
    const right = grades.indexOf(true)
    return outcome(context, samples[Math.max(0, right)]!.result, runs, {
      samples: samples.length,
      oracle: true,
      chosen: right,
    })
  },
}

/** Best-of-k with the model as its own critic: the first sample that it calls correct, else the first. */
export const bestOfKCritic: Method = {
  name: 'best-of-k-critic',
  summary: 'k samples; the same model picks the first that it judges correct',
  parameters: { k: 4 },
  least: { k: 1 },
  async run(context) {
    const runs = startRuns(context)
    const samples = await draw(context, runs)
    let chosen = -1
    for (const [i, sample] of samples.entries()) {
      if (context.signal?.aborted) break
      const { correct } = await critique(context, runs, sample.answer, shown(sample.result), sampleSeed(context, i))
      if (correct !== true) continue
      chosen = i
      break
    }
    return outcome(context, samples[Math.max(0, chosen)]!.result, runs, { samples: samples.length, chosen })
  },
}

async function draw(context: MethodContext, runs: Runs): Promise<Sample[]> {
  const samples: Sample[] = []
  do samples.push(await drawSample(context, runs, samples.length))
  while (samples.length < Number(context.parameters.k) && !context.signal?.aborted)
  return samples
}
