import { deepConf, lowestGroup, percentile } from '../early-stop/deepconf.ts'
import type { AnyMonitor } from '../steer/monitor.ts'
import type { Token } from '../trace/token.ts'
import type { Method, MethodContext } from './method.ts'
import { cannotProbe } from './refuse.ts'
import { outcome, type Runs, startRuns } from './run.ts'
import { drawSample, majority, type Sample } from './samples.ts'

/**
 * DeepConf, online (Fu et al. 2025): `warmup` whole samples set a confidence threshold, the rest are given up as soon as their
 * group confidence falls below it, and what is left votes with its confidence as weight.
 */
export const deepConfMethod: Method = {
  name: 'deepconf',
  summary: 'samples that lose confidence are given up, the rest vote by confidence (DeepConf, online)',
  parameters: { k: 8, warmup: 4, keep: 0.9, window: 64, consensus: 0.95 },
  least: { k: 1, warmup: 1, window: 1 },
  refuses: cannotProbe,
  async run(context) {
    const { k, warmup, keep, window, consensus } = context.parameters as Record<string, number>
    const runs = startRuns(context)
    const samples: (Sample & { confidence: number })[] = []
    let threshold = Number.NEGATIVE_INFINITY
    const tally = () =>
      majority(
        samples.map((s) => s.answer),
        samples.map((s) => s.confidence),
      )
    while (samples.length < k! && !context.signal?.aborted) {
      const warm = samples.length >= Math.min(warmup!, k!)
      samples.push(await confident(context, runs, samples.length, window!, warm ? threshold : undefined))
      if (samples.length === Math.min(warmup!, k!))
        threshold = percentile(
          samples.map((s) => s.confidence),
          1 - keep!,
        )
      const total = samples.reduce((sum, s) => sum + (s.answer === undefined ? 0 : s.confidence), 0)
      if (samples.length >= warmup! && total > 0 && tally().votes / total >= consensus!) break
    }
    const { winner } = tally()
    const dropped = samples.filter((s) => s.result.status === 'abstained').length
    return outcome(context, samples[winner]!.result, runs, { samples: samples.length, dropped, threshold })
  },
}

/** One sample with the confidence of its weakest group; below a threshold it is given up on the way. */
async function confident(context: MethodContext, runs: Runs, i: number, window: number, threshold: number | undefined) {
  const tokens: Token[] = []
  const monitors: AnyMonitor[] = [deepConf({ threshold: threshold ?? Number.NEGATIVE_INFINITY, window })]
  const sample = await drawSample(context, runs, i, monitors, {
    onEvent(event) {
      if (event.type === 'token') tokens.push(event.token)
    },
  })
  return { ...sample, confidence: lowestGroup(tokens, window) ?? 0 }
}
