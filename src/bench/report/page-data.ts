import type { Row } from '../row.ts'
import { logPath } from '../store.ts'
import type { Summary } from '../summary.ts'
import type { Piece } from './transcript.ts'

/**
 * What report.html carries: the summary and every run, column by column with names in dictionaries, which makes 100,000
 * runs a few megabytes. The page's script reads exactly this.
 */
export interface PageData {
  readonly summary: Summary
  readonly tasks: readonly string[]
  readonly methods: readonly string[]
  readonly instances: readonly string[]
  readonly statuses: readonly string[]
  readonly runs: {
    readonly task: readonly number[]
    readonly method: readonly number[]
    readonly instance: readonly number[]
    readonly seed: readonly number[]
    readonly status: readonly number[]
    /** 1 right, 0 wrong, −1 undecided */
    readonly correct: readonly number[]
    readonly tokens: readonly number[]
    readonly difficulty: readonly (number | null)[]
    readonly answer: readonly (string | null)[]
  }
  /** folder of each task's and each method's logs, and file name of each run's first log; null where none are kept */
  readonly logs: {
    readonly dirs: readonly string[]
    readonly dir: readonly number[]
    readonly file: readonly string[]
  } | null
  /** a run's text, by its number, for as many runs as fit */
  readonly transcripts: Readonly<Record<number, readonly Piece[]>>
}

export function pageData(
  summary: Summary,
  rows: readonly Row[],
  options: { logs: boolean; transcripts?: Readonly<Record<number, readonly Piece[]>> },
): PageData {
  const [tasks, task] = dictionary(rows.map((row) => row.task))
  const [methods, method] = dictionary(rows.map((row) => row.method))
  const [instances, instance] = dictionary(rows.map((row) => row.instance))
  const [statuses, status] = dictionary(rows.map((row) => row.status))
  return {
    summary,
    tasks,
    methods,
    instances,
    statuses,
    runs: {
      task,
      method,
      instance,
      seed: rows.map((row) => row.seed),
      status,
      correct: rows.map(({ correct }) => (correct === null ? -1 : Number(correct))),
      tokens: rows.map((row) => row.tokens),
      difficulty: rows.map((row) => row.difficulty ?? null),
      answer: rows.map(({ answer }) => (answer === null ? null : answer.slice(0, 60))),
    },
    logs: options.logs ? logColumns(rows) : null,
    transcripts: options.transcripts ?? {},
  }
}

function logColumns(rows: readonly Row[]): NonNullable<PageData['logs']> {
  const paths = rows.map((row) => logPath(row, 0))
  const cut = paths.map((path) => path.lastIndexOf('/') + 1)
  const [dirs, dir] = dictionary(paths.map((path, i) => path.slice(0, cut[i])))
  return { dirs, dir, file: paths.map((path, i) => path.slice(cut[i])) }
}

function dictionary(values: readonly string[]): [names: string[], at: number[]] {
  const index = new Map<string, number>()
  const at = values.map((value) => {
    const known = index.get(value)
    if (known !== undefined) return known
    index.set(value, index.size)
    return index.size - 1
  })
  return [[...index.keys()], at]
}
