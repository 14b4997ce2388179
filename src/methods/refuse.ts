import type { Engine } from '../engine/engine.ts'
import type { Task } from '../tasks/task.ts'

/** Why an engine cannot serve a method, in one sentence; `assertServes` adds what is possible instead. */

/** The method looks at the text while it is written. */
export function cannotWatch(engine: Engine): string | undefined {
  return engine.can.resume === 'turn'
    ? `${engine.name} can be steered only between turns, so nothing can watch it think`
    : undefined
}

/** The method reads how sure the model is. */
export function cannotMeasure(engine: Engine): string | undefined {
  return engine.can.topLogprobs > 0
    ? undefined
    : `${engine.name} gives no token logprobs, so its certainty cannot be read`
}

export const cannotProbe = (engine: Engine): string | undefined => cannotWatch(engine) ?? cannotMeasure(engine)

/**
 * The method takes the first tokens of the answer for the answer. Where that is a table, they only open it: the model is sure
 * of them long before it is of the cells.
 */
export function cannotSample(engine: Engine, task: Task): string | undefined {
  const opensTable = /\{\s*"[^}]*$/.test(task.answerPrefix)
  return (
    cannotProbe(engine) ?? (opensTable ? `the first tokens of an answer to ${task.name} only open a table` : undefined)
  )
}
