import { type Side, sideOf } from '../src/tasks/held-out.ts'
import type { Task } from '../src/tasks/task.ts'

/**
 * Which side of the fence an instance stands on: of ten, eight are trained on, one is for tuning and one for reports.
 * game24's id is the sorted multiset, so every arrangement of the same numbers is on the same side.
 * @example split(game24, { numbers: [4, 7, 8, 8], target: 24 }) // 'train', 'tune' or 'test', the same for ever
 */
export function split<I>(task: Pick<Task<I>, 'id'>, instance: I): Side {
  return sideOf(task.id(instance))
}
