import type { Engine } from '../engine/engine.ts'

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
