import type { MethodEntry } from './plan.ts'
import type { SummaryRow } from './summary.ts'

type Value = number | string | boolean

/** One method with different values of its parameters on one task: a curve (one axis), a grid (two), or a list. */
export interface Sweep {
  readonly task: string
  readonly method: string
  readonly axes: readonly string[]
  readonly points: readonly SweepPoint[]
}

export interface SweepPoint {
  readonly spec: string
  readonly values: readonly Value[]
  readonly accuracy: number
  readonly ci: readonly [number, number]
  readonly tokens: number
  readonly tokensPct: number | null
}

/** Every method that was swept, its settings that were asked for by themselves included, with the parameters that differ as its axes. */
export function findSweeps(rows: readonly SummaryRow[], methods: readonly MethodEntry[]): Sweep[] {
  const families = new Map<string, MethodEntry[]>()
  for (const entry of methods) families.set(entry.name, [...(families.get(entry.name) ?? []), entry])
  const tasks = [...new Set(rows.map((row) => row.task))]
  const cell = new Map(rows.map((row) => [`${row.task}\n${row.method}`, row]))
  const out: Sweep[] = []
  for (const [method, family] of families) {
    if (family.length < 2 || !family.some((entry) => entry.swept)) continue
    const names = Object.keys(family[0]!.parameters)
    const axes = names.filter((name) => new Set(family.map((entry) => entry.parameters[name])).size > 1)
    for (const task of tasks) {
      const points = family.flatMap((entry) => {
        const row = cell.get(`${task}\n${entry.spec}`)
        return row
          ? [
              pointOf(
                row,
                axes.map((axis) => entry.parameters[axis]!),
              ),
            ]
          : []
      })
      points.sort((a, b) => compareValues(a.values, b.values))
      if (points.length > 1) out.push({ task, method, axes, points })
    }
  }
  return out
}

function pointOf(row: SummaryRow, values: Value[]): SweepPoint {
  const { method: spec, accuracy, ci, tokens, tokensPct } = row
  return { spec, values, accuracy, ci, tokens, tokensPct }
}

function compareValues(a: readonly Value[], b: readonly Value[]): number {
  for (const [i, x] of a.entries()) {
    const y = b[i]!
    if (x === y) continue
    return typeof x === 'number' && typeof y === 'number' ? x - y : String(x) < String(y) ? -1 : 1
  }
  return 0
}
