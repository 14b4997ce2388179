import { wilson } from '../../src/bench/stats/wilson.ts'
import type { Row } from './arena.ts'

/** Figures out of rows, and how they are written. */
export const mean = (values: readonly number[]): number =>
  values.length === 0 ? Number.NaN : values.reduce((a, b) => a + b, 0) / values.length

export const success = (rows: readonly Row[]): number => mean(rows.map((row) => (row.right ? 1 : 0)))

export const tokens = (rows: readonly Row[]): number => mean(rows.map((row) => row.tokens))

export const resets = (rows: readonly Row[]): number => mean(rows.map((row) => row.resets.length))

/** Relative token overhead: all purposes, against the other method on the same instances. */
export const rto = (rows: readonly Row[], base: readonly Row[]): number => tokens(rows) / tokens(base)

/** Rectification success rate: of the runs that were reset, how many ended right. */
export const rsr = (rows: readonly Row[]): number => success(rows.filter((row) => row.resets.length > 0))

const percent = (x: number): string => `${Math.round(100 * x)}%`

/** "94% (72–99)": a proportion with Wilson's 95% interval. */
export function rate(rows: readonly Row[]): string {
  const right = rows.filter((row) => row.right).length
  const [lo, hi] = wilson(right, rows.length)
  return `${percent(right / rows.length)} (${Math.round(100 * lo)}–${Math.round(100 * hi)})`
}

export const show = (x: number, digits = 2): string => (Number.isFinite(x) ? x.toFixed(digits) : '–')

export const share = (x: number): string => (Number.isFinite(x) ? percent(x) : '–')

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, i) => (i === 0 ? ':--' : '--:'))), ...rows.map(line)].join('\n')
}

/** A histogram in text: a bar a value, with its count. */
export function histogram(values: readonly number[], width = 40): string {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  const most = Math.max(...counts.values(), 1)
  return [...counts]
    .sort(([a], [b]) => a - b)
    .map(([value, count]) => `${String(value).padStart(4)} ${'█'.repeat(Math.ceil((count / most) * width))} ${count}`)
    .join('\n')
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.round(q * (sorted.length - 1))] ?? Number.NaN
}
