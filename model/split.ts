import { isHeldOut } from '../src/tasks/held-out.ts'
import type { Task } from '../src/tasks/task.ts'

/**
 * Which side of the fence an instance stands on: a tenth of all instances, by the hash of their id, is never trained on.
 * game24's id is the sorted multiset, so every arrangement of the same numbers is on the same side.
 * @example split(game24, { numbers: [4, 7, 8, 8], target: 24 }) // 'train' or 'test', the same for ever
 */
export function split<I>(task: Pick<Task<I>, 'id'>, instance: I): 'train' | 'test' {
  return isHeldOut(task.id(instance)) ? 'test' : 'train'
}
