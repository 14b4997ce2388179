import type { Method } from './method.ts'
import { outcome, startRuns } from './run.ts'
import { drawSample, majority, type Sample } from './samples.ts'

/** Self-consistency (Wang et al. 2022): k samples, majority of their answers; with `early` none is drawn that cannot matter. */
export const selfConsistency: Method = {
  name: 'self-consistency',
  summary: 'k samples and a majority vote (CoT-SC, k = 10)',
  parameters: { k: 10, early: true },
  least: { k: 1 },
  async run(context) {
    const runs = startRuns(context)
    const k = Number(context.parameters.k)
    const samples: Sample[] = []
    const tally = () => majority(samples.map((s) => s.answer))
    while (samples.length < k) {
      samples.push(await drawSample(context, runs, samples.length))
      if (context.signal?.aborted) break
      // the rest could not overturn it even if all agreed
      if (context.parameters.early === true && tally().lead > k - samples.length) break
    }
    const { winner, votes } = tally()
    return outcome(context, samples[winner]!.result, runs, { samples: samples.length, votes })
  },
}
