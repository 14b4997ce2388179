import { assignment } from '../early-stop/assignment.ts'
import { choice } from '../early-stop/choice.ts'
import { code } from '../early-stop/code.ts'
import { expression } from '../early-stop/expression.ts'
import { mathAnswer } from '../early-stop/number.ts'
import type { Extractor } from '../early-stop/statement.ts'
import type { Task } from '../tasks/task.ts'
import { readOptions } from '../verify/choice.ts'
import { promptText } from './prompt.ts'

/**
 * How a task's answers are stated in free thinking. By the kind of problem, not by name, so that a task of one's own is
 * served as well: numbers and a target make an expression, listed options a choice, houses an assignment.
 */
export function statedBy(task: Task, instance: unknown): Extractor {
  const row = (typeof instance === 'object' && instance !== null ? instance : {}) as Record<string, unknown>
  if (Array.isArray(row.numbers) && row.numbers.every((n) => typeof n === 'number'))
    return expression({ numbers: row.numbers, target: typeof row.target === 'number' ? row.target : 24 })
  const text = promptText(task.prompt(instance))
  const grid = /There are (\d+) houses/i.exec(text)
  if (grid) return assignment({ cells: Number(grid[1]) * (text.match(/^\s*- /gm)?.length ?? 1) })
  const options = readOptions(text)
  if (options.length >= 2) return choice(options)
  return /\[(?:CODE|PRECOND)\]/.test(text) ? code : mathAnswer
}

/** The answer that the newest line states, or undefined. */
export function statedNow(stated: Extractor): (text: string) => string | undefined {
  return (text) => {
    const last = stated(text).at(-1)
    return last && text.slice(last.end).trim() === '' ? last.answer : undefined
  }
}
