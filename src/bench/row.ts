import type { Ledger } from '../trace/ledger.ts'
import type { Status } from '../trace/words.ts'

/**
 * One run's line in results.jsonl. It holds only what the run itself decides, so that the file of a run that was killed and
 * resumed equals that of one that was not; what depends on the machine (milliseconds, which server) is a `Timing`.
 */
export interface Row {
  readonly task: string
  /** the method with the parameters that differ from its defaults: `interwhen:k=10` */
  readonly method: string
  readonly instance: string
  readonly seed: number
  readonly status: Status
  /** null where neither a gold answer nor a computation decides */
  readonly correct: boolean | null
  /** every generated token, whatever it was for */
  readonly tokens: number
  readonly tokensBy: TokensBy
  readonly answer: string | null
  readonly difficulty?: number
  /** the verifier's final verdicts against the grade of the text they judged */
  readonly checks?: Confusion
  readonly figures?: Readonly<Record<string, number | string | boolean>>
  readonly error?: string
}

export type TokensBy = Pick<Ledger, 'main' | 'discarded' | 'fork' | 'compress' | 'judge'>

export const purposes = ['main', 'discarded', 'fork', 'compress', 'judge'] as const satisfies (keyof TokensBy)[]

/** What a verifier said of answers whose truth is known. */
export interface Confusion {
  readonly passRight: number
  readonly passWrong: number
  readonly failRight: number
  readonly failWrong: number
  readonly unknown: number
}

export interface Timing {
  readonly task: string
  readonly method: string
  readonly instance: string
  readonly seed: number
  readonly ms: number
  /** in verifiers, over all checks of the run */
  readonly verifyMs: number
  readonly engine: string
}

type Keyed = Pick<Row, 'task' | 'method' | 'instance' | 'seed'>

/** What makes a row the same row. No field can hold a line break once it is JSON, so the parts cannot run together. */
export function rowKey(row: Keyed): string {
  return `${row.task}\n${row.method}\n${row.instance}\n${row.seed}`
}
