import type { Task } from './task.ts'

/** Right, wrong, or undefined where it cannot be decided: by the task's own program where it has one (Lean's tests), else at once. */
export async function gradeOf(
  task: Task,
  instance: unknown,
  output: string,
  signal?: AbortSignal,
): Promise<boolean | undefined> {
  return task.gradeAsync ? task.gradeAsync(instance, output, signal) : task.grade(instance, output)
}
