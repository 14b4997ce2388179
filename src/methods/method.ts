import type { Engine, Sampling } from '../engine/engine.ts'
import type { Task } from '../tasks/task.ts'
import type { Event } from '../trace/event.ts'
import type { Ledger } from '../trace/ledger.ts'
import type { Status } from '../trace/words.ts'

/** A named way to spend test-time compute on a task. One file a method; its parameters have the paper's defaults. */
export interface Method {
  readonly name: string
  readonly summary: string
  /** every parameter with its default; the CLI reads `--method interwhen:k=10,retries=5` against it */
  readonly parameters: Readonly<Record<string, number | string | boolean>>
  /** the words that a text parameter may be, and the least value of a number (0 unless given); an integer default wants an integer */
  readonly choices?: Readonly<Record<string, readonly string[]>>
  readonly least?: Readonly<Record<string, number>>
  /** numbers that may be fractions although their default is whole */
  readonly real?: readonly string[]
  /** one sentence when this engine or task cannot serve it, else undefined */
  refuses?(engine: Engine, task: Task, parameters: Parameters): string | undefined
  run(context: MethodContext): Promise<MethodResult>
}

export type Parameters = Readonly<Record<string, number | string | boolean>>

export interface MethodContext {
  readonly engine: Engine
  readonly task: Task
  readonly instance: unknown
  readonly seed: number
  readonly parameters: Parameters
  readonly sampling?: Sampling
  /** per-run token limit (all purposes) */
  readonly maxTokens: number
  readonly signal?: AbortSignal
  /** wait for every verdict, whatever the method's own setting: the result then does not depend on how fast the machine is */
  readonly sync?: boolean
  /** each event of each run; `run` numbers the method's runs (samples, branches) */
  onEvent?(event: Event, run: number): void
}

export interface MethodResult {
  readonly status: Status
  /** the text that is graded */
  readonly output: string
  readonly answer: string | undefined
  readonly ledger: Ledger
  /** extra figures for the results row: samples drawn, rectifications, stop position … */
  readonly figures?: Readonly<Record<string, number | string | boolean>>
}
