import { kStable } from '../early-stop/k-stable.ts'
import type { CheckView } from '../steer/monitor.ts'
import { steeredFigures } from './interwhen.ts'
import type { Method } from './method.ts'
import { once, steerBy, verdictOf, verifyFinal } from './monitors.ts'
import { cannotWatch } from './refuse.ts'
import { outcome, startRuns } from './run.ts'
import { statedBy } from './stated.ts'

/** interwhen, section 4.3: stop thinking when the same answer was stated k times in a row. No fork, no verifier. */
export const kStableMethod: Method = {
  name: 'k-stable',
  summary: 'stop thinking when the same answer was stated k times in a row (interwhen, section 4.3)',
  parameters: { k: 2, judge: false },
  least: { k: 1 },
  refuses: cannotWatch,
  async run(context) {
    const { task, instance, parameters } = context
    const runs = startRuns(context)
    const monitor = kStable({
      stated: statedBy(task, instance),
      k: Number(parameters.k),
      ...(parameters.judge === true && { judge: sameMeaning }),
    })
    const result = await runs.run(task.prompt(instance), [once(monitor)])
    return outcome(context, result, runs)
  },
}

/** k-stable that asks the verifier before it stops: what is refuted is fed back, what cannot be judged stops as ever. */
export const kStableVerify: Method = {
  name: 'k-stable+verify',
  summary: 'k-stable whose answer must also pass the verifier; a refuted one is fed back',
  parameters: { k: 2, retries: 5 },
  least: { k: 1 },
  refuses: cannotWatch,
  async run(context) {
    const { task, instance, parameters } = context
    const runs = startRuns(context)
    // the model states whole answers, so they are judged as final ones where the task knows them as such
    const asFinal = (answer: string) => task.extract(instance, `\\boxed{${answer}}`, 'final') ?? answer
    const monitor = kStable({
      stated: statedBy(task, instance),
      k: Number(parameters.k),
      verify: (answer, view) => verdictOf(task, instance, asFinal(answer), 'final', view),
      intervene: (verdict, answer, view) =>
        verdict.kind === 'fail'
          ? steerBy(task, instance, verdict, asFinal(answer), view)
          : { kind: 'conclude', text: '' },
    })
    const result = await runs.run(task.prompt(instance), [once(monitor), verifyFinal(task, instance)], {
      policy: { retries: Number(parameters.retries) },
    })
    return outcome(context, result, runs, steeredFigures(context, result))
  },
}

/** Code that is spelt differently may still be the same: a model is asked (interwhen uses a 1.5B one; here it is the same model). */
async function sameMeaning(a: string, b: string, view: CheckView): Promise<boolean> {
  const said = await view.ask(
    `Do these two answers mean the same? Say only yes or no.\n\nFirst:\n${a}\n\nSecond:\n${b}`,
    { maxTokens: 512, purpose: 'judge', temperature: 0 },
  )
  return /\byes\b/i.test(said.split('\n').findLast((line) => /\b(?:yes|no)\b/i.test(line)) ?? '')
}
