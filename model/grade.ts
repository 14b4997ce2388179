/**
 * Grades sampled text with the tasks' own graders: accuracy by suite with its 95% Wilson interval, tokens, and how many runs
 * came to an end. Run: npx tsx model/grade.ts samples.jsonl
 */
import { readFileSync } from 'node:fs'
import type { Task } from '../src/tasks/task.ts'
import { authors } from './mix.ts'

interface Row {
  readonly suite: string
  readonly task: keyof typeof authors
  readonly instance: unknown
  readonly tokens: number
  readonly output: string
}

/** Wilson's interval for a share, in percent. */
export function wilson(right: number, n: number): [number, number] {
  const z = 1.96
  const p = right / n
  const middle = (p + z ** 2 / (2 * n)) / (1 + z ** 2 / n)
  const half = (z / (1 + z ** 2 / n)) * Math.sqrt((p * (1 - p)) / n + z ** 2 / (4 * n ** 2))
  return [100 * (middle - half), 100 * (middle + half)]
}

export function grade(rows: readonly Row[]): Record<string, Record<string, number | string>> {
  const by = new Map<string, { n: number; right: number; tokens: number; ended: number }>()
  for (const row of rows) {
    const task = (authors[row.task] as unknown as { task: Task<unknown> }).task
    const sum = by.get(row.suite) ?? { n: 0, right: 0, tokens: 0, ended: 0 }
    sum.n++
    sum.tokens += row.tokens
    if (row.output.endsWith('<|end|>')) sum.ended++
    // a table in thoughts that were cut off is no answer
    const answered = row.output.includes('</think>')
    if (answered && task.grade(row.instance, row.output.replace('<|end|>', '')) === true) sum.right++
    by.set(row.suite, sum)
  }
  return Object.fromEntries(
    [...by].map(([suite, { n, right, tokens, ended }]) => {
      const [lo, hi] = wilson(right, n)
      const shown = { n, 'accuracy %': Math.round((1000 * right) / n) / 10, '95%': `${lo.toFixed(1)}-${hi.toFixed(1)}` }
      return [suite, { ...shown, tokens: Math.round(tokens / n), ended }]
    }),
  )
}

if (process.argv[1] && /grade\.(ts|mjs)$/.test(process.argv[1])) {
  const rows = readFileSync(process.argv[2] ?? 'samples.jsonl', 'utf8')
    .split('\n')
    .filter(Boolean)
  console.table(grade(rows.map((line) => JSON.parse(line) as Row)))
}
