import { deriveSeed } from '../base/random.ts'
import type { Engine } from '../engine/engine.ts'
import { type Recording, recordThinking } from '../halo/recording.ts'
import type { AnyMonitor } from '../steer/monitor.ts'
import { steer } from '../steer/steer.ts'
import { unknown } from '../steer/verdict.ts'
import type { Task } from '../tasks/task.ts'
import type { Event } from '../trace/event.ts'

export interface CollectOptions {
  readonly engine: Engine
  readonly task: Task
  readonly instances: readonly unknown[]
  readonly seed: number
  readonly temperature: number
  /** of a run; a function where long instances may take longer */
  readonly maxTokens: number | ((instance: unknown) => number)
  /** runs at a time */
  readonly concurrency?: number
  progress?(done: number): void
}

/**
 * Plain runs with every signal that the engine gives, and where each of them first goes wrong: what a calibration reads.
 * A run that ends right has not collapsed, whatever it doubted on the way; one that neither ends right nor shows a wrong line
 * before its token limit is of neither kind, and says so.
 */
export async function collectRecordings(options: CollectOptions): Promise<Recording[]> {
  const { engine, task, instances, concurrency = 8 } = options
  const recordings: Recording[] = new Array(instances.length)
  let next = 0
  let done = 0
  const worker = async (): Promise<void> => {
    while (next < instances.length) {
      const i = next++
      const events: Event[] = []
      const policy = {
        maxTokens: typeof options.maxTokens === 'number' ? options.maxTokens : options.maxTokens(instances[i]),
        sampling: { temperature: options.temperature, seed: deriveSeed(options.seed, i) },
      }
      const run = steer(engine, task.prompt(instances[i]), [listener(engine)], policy, {
        onEvent: (event) => events.push(event),
      })
      const result = await run.result()
      if (result.status === 'failed') throw new Error(result.reason)
      const lines = recordThinking(events)
      const right = task.grade(instances[i], result.text) === true
      const text = lines.map((line) => line.text).join('\n')
      recordings[i] = { lines, right, collapse: right ? undefined : task.rectify?.collapse?.(instances[i], text) }
      options.progress?.(++done)
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, instances.length) }, worker))
  return recordings
}

/** Never looks; it only makes the engine send every signal along. */
function listener(engine: Engine): AnyMonitor {
  return {
    name: 'listener',
    when: {
      name: 'never',
      needs: {
        ...(engine.can.attentionEntropy && { attention: 'heads' as const }),
        ...(engine.can.topLogprobs > 0 && { topLogprobs: Math.min(20, engine.can.topLogprobs) }),
      },
      watch: () => ({ state: undefined, push: () => false }),
    },
    extract: () => undefined,
    verify: () => unknown('never asked'),
    intervene: () => ({ kind: 'continue' }),
  }
}
