import { InputError } from '../base/errors.ts'
import { chain } from './chain/index.ts'
import { game24 } from './game24/index.ts'
import { gsm8k } from './gsm8k/index.ts'
import { math } from './math/index.ts'
import { maze } from './maze/index.ts'
import { omni } from './omni/index.ts'
import { ruler, rulerCwe, rulerFwe, rulerVt } from './ruler/index.ts'
import { spatialmap } from './spatialmap/index.ts'
import type { Task } from './task.ts'
import { verinaCode } from './verina-code/index.ts'
import { verinaSpec } from './verina-spec/index.ts'
import { zebralogic } from './zebralogic/index.ts'

/** Every task by its name. */
export const tasks: Record<string, Task> = {
  game24,
  maze,
  spatialmap,
  zebralogic,
  chain,
  gsm8k,
  math,
  omni,
  ruler,
  'ruler-vt': rulerVt,
  'ruler-cwe': rulerCwe,
  'ruler-fwe': rulerFwe,
  'verina-code': verinaCode,
  'verina-spec': verinaSpec,
}

/** @example getTask('game24').prompt({ numbers: [4, 7, 8, 8], target: 24 }) */
export function getTask(name: string): Task {
  const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined
  if (!task) throw new InputError(`there is no task "${name}"; there are: ${Object.keys(tasks).join(', ')}`)
  return task
}
