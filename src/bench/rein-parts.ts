import { openEngine } from '../engine/index.ts'
import { parseMethod } from '../methods/registry.ts'
import { getTask } from '../tasks/registry.ts'
import type { Parts } from './parts.ts'

/** rein's own tasks, methods and engines. */
export const reinParts: Parts = {
  task: getTask,
  method: (spec) => parseMethod(spec),
  engine: (spec) => openEngine(spec),
}
