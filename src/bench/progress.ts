import { MultiBar, Presets } from 'cli-progress'
import type { Plan } from './plan.ts'
import type { Row } from './row.ts'

/** Shows how a bench goes: bars on a terminal, plain lines elsewhere. */
export interface Progress {
  plan(plan: Plan, done: readonly Row[]): void
  row(row: Row): void
  stop(): void
}

interface Tally {
  total: number
  done: number
  right: number
  graded: number
}

export interface ProgressOptions {
  readonly stream: NodeJS.WriteStream
  /** lines at most this often, in milliseconds */
  readonly everyMs?: number
  now?(): number
}

export function progress(options: ProgressOptions): Progress {
  const now = options.now ?? Date.now
  const tallies = new Map<string, Tally>()
  const all: Tally = { total: 0, done: 0, right: 0, graded: 0 }
  const view = options.stream.isTTY ? bars(options.stream) : lines(options.stream, options.everyMs ?? 10_000, now)
  let began = 0
  let before = 0
  const count = (row: Row): Tally => {
    const tally = tallies.get(row.task)!
    for (const t of [tally, all]) {
      t.done++
      if (row.correct !== null) t.graded++
      if (row.correct) t.right++
    }
    return tally
  }
  return {
    plan(plan, done) {
      for (const job of plan.jobs) {
        if (!tallies.has(job.task)) tallies.set(job.task, { total: 0, done: 0, right: 0, graded: 0 })
        tallies.get(job.task)!.total++
        all.total++
      }
      for (const row of done) count(row)
      began = now()
      before = all.done
      view.start(tallies)
    },
    row(row) {
      count(row)
      const perMs = (all.done - before) / Math.max(1, now() - began)
      view.show(tallies, all, pace(perMs, all.total - all.done))
    },
    stop: () => view.stop(),
  }
}

function pace(perMs: number, left: number): string {
  if (perMs === 0) return 'rate ?'
  const rate = perMs >= 1 / 1000 ? `${(perMs * 1000).toFixed(1)} runs/s` : `${(perMs * 60_000).toFixed(1)} runs/min`
  return `${rate}, ETA ${duration(left / perMs)}`
}

/** @example duration(3_725_000) // '1h02m' */
export function duration(ms: number): string {
  const s = Math.round(ms / 1000)
  if (s < 60) return `${s}s`
  if (s < 3600) return `${Math.floor(s / 60)}m${String(s % 60).padStart(2, '0')}s`
  return `${Math.floor(s / 3600)}h${String(Math.floor((s % 3600) / 60)).padStart(2, '0')}m`
}

interface View {
  start(tallies: ReadonlyMap<string, Tally>): void
  show(tallies: ReadonlyMap<string, Tally>, all: Tally, pace: string): void
  stop(): void
}

const accuracy = (t: Tally): string => (t.graded === 0 ? '  –  ' : `${((100 * t.right) / t.graded).toFixed(1)}%`)

function bars(stream: NodeJS.WriteStream): View {
  const multi = new MultiBar(
    { stream, hideCursor: true, clearOnComplete: false, format: '{name} {bar} {value}/{total} {accuracy} {pace}' },
    Presets.shades_classic,
  )
  const made = new Map<string, ReturnType<MultiBar['create']>>()
  return {
    start(tallies) {
      const width = Math.max(...[...tallies.keys()].map((name) => name.length))
      for (const [name, t] of tallies)
        made.set(name, multi.create(t.total, t.done, { name: name.padEnd(width), accuracy: accuracy(t), pace: '' }))
    },
    show(tallies, all, text) {
      const last = [...tallies.keys()].at(-1)
      for (const [name, t] of tallies)
        made
          .get(name)
          ?.update(t.done, { accuracy: accuracy(t), pace: name === last ? `all ${accuracy(all)}, ${text}` : '' })
    },
    stop: () => multi.stop(),
  }
}

function lines(stream: NodeJS.WriteStream, everyMs: number, now: () => number): View {
  let last = Number.NEGATIVE_INFINITY
  return {
    start: () => {},
    show(_tallies, all, text) {
      if (all.done < all.total && now() - last < everyMs) return
      last = now()
      stream.write(`${all.done}/${all.total} runs, ${accuracy(all)} right, ${text}\n`)
    },
    stop: () => {},
  }
}
