import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../src/base/paths.ts'
import { deriveSeed, hash32, random } from '../../src/base/random.ts'
import type { Engine } from '../../src/engine/index.ts'
import { signals } from '../../src/halo/index.ts'
import { parseMethod } from '../../src/methods/registry.ts'
import { isHeldOut } from '../../src/tasks/held-out.ts'
import { getTask } from '../../src/tasks/registry.ts'
import type { Task } from '../../src/tasks/task.ts'
import type { Event } from '../../src/trace/event.ts'
import { totalTokens } from '../../src/trace/ledger.ts'

/** Runs methods on held-out instances, the same instances and seeds for each, sixteen at a time. Rows are kept: a second call reads them. */
export interface Cell {
  readonly task: string
  readonly method: string
  /** of the instances; absent: the task's own */
  readonly size?: number
  readonly n: number
  /** token limit in place of the usual one, as a multiple of it */
  readonly budget?: number
}

export interface Row {
  readonly right: boolean
  readonly status: string
  readonly tokens: number
  readonly compress: number
  readonly fork: number
  /** lines written since the last fresh start when each reset came */
  readonly resets: readonly number[]
  /** the resets whose state was right */
  readonly rightStates: number
  /** the first wrong line of thinking before any reset, if there is one */
  readonly wrongLine: number | null
  readonly lines: number
}

export const TEMPERATURE = 0.7

/** About 1.7 times what careful work takes on a chain; what the other tasks take is bounded by their kind. */
export const limitOf = (task: string, size = 0): number => (task === 'chain' ? 200 + 30 * size : 1500)

const folder = join(packageRoot, 'out', 'halo')

/** Rows belong to the calibrations they were made with. */
const version = hash32(
  signals
    .map((signal) => join(packageRoot, 'model', 'weights', `halo-${signal}.json`))
    .map((path) => (existsSync(path) ? readFileSync(path, 'utf8') : ''))
    .join('\n'),
).toString(36)

export function instances(task: Task, n: number, size?: number): unknown[] {
  const found: unknown[] = []
  const seen = new Set<string>()
  for (let i = 0; found.length < n && i < 200 * n; i++) {
    const instance = task.generate!(random(`bench/halo/${task.name}/${size}/${i}`), size === undefined ? {} : { size })
    const id = task.id(instance)
    if (!isHeldOut(id) || seen.has(id)) continue
    seen.add(id)
    found.push(instance)
  }
  return found
}

/** Watches a run's events for what the rows need: where resets came, from which states, and the first wrong line. */
function witness(task: Task, instance: unknown) {
  let lines = 0
  let total = 0
  let text = ''
  let thinking = false
  let fresh = true
  const resets: number[] = []
  let rightStates = 0
  return {
    see(event: Event): void {
      if (event.type === 'phase') thinking = event.phase === 'think'
      if (event.type === 'token' && thinking) {
        const ended = event.token.text.split('\n').length - 1
        lines += ended
        total += ended
        if (fresh) text += event.token.text
      }
      if (event.type !== 'intervention' || event.intervention.kind !== 'rectify') return
      resets.push(lines)
      if (task.rectify!.verify(instance, event.intervention.state).kind !== 'fail') rightStates++
      lines = 0
      fresh = false
    },
    found: () => ({
      resets,
      rightStates,
      lines: total,
      wrongLine: task.rectify?.collapse?.(instance, text) ?? null,
    }),
  }
}

async function runOne(engine: Engine, cell: Cell, instance: unknown, i: number): Promise<Row> {
  const task = getTask(cell.task)
  const { method, parameters } = parseMethod(cell.method)
  const refusal = method.refuses?.(engine, task, parameters)
  if (refusal) throw new Error(refusal)
  const eyes = witness(task, instance)
  const result = await method.run({
    engine,
    task,
    instance,
    seed: deriveSeed(7, i),
    parameters,
    sampling: { temperature: TEMPERATURE },
    maxTokens: Math.round(limitOf(cell.task, cell.size) * (cell.budget ?? 1)),
    sync: true,
    onEvent: (event, run) => run === 0 && eyes.see(event),
  })
  const given = result.status !== 'failed' && result.status !== 'abstained'
  return {
    right: given && task.grade(instance, result.output) === true,
    status: result.status,
    tokens: totalTokens(result.ledger),
    compress: result.ledger.compress,
    fork: result.ledger.fork,
    ...eyes.found(),
  }
}

export interface Arena {
  run(cell: Cell): Promise<Row[]>
}

export function openArena(engine: Engine, concurrency = 16): Arena {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `rows-${version}.jsonl`)
  const kept = new Map<string, Row>()
  if (existsSync(file))
    for (const line of readFileSync(file, 'utf8').split('\n'))
      if (line.endsWith('}')) {
        const { key, row } = JSON.parse(line) as { key: string; row: Row }
        kept.set(key, row)
      }
  return {
    async run(cell) {
      const { n, ...what } = cell
      const list = instances(getTask(cell.task), n, cell.size)
      const { spec } = parseMethod(cell.method)
      const keyOf = (i: number): string => JSON.stringify([what.task, spec, what.size, what.budget, i])
      let next = 0
      const began = Date.now()
      const worker = async (): Promise<void> => {
        while (next < list.length) {
          const i = next++
          const key = keyOf(i)
          if (kept.has(key)) continue
          const row = await runOne(engine, cell, list[i], i)
          kept.set(key, row)
          appendFileSync(file, `${JSON.stringify({ key, row })}\n`)
        }
      }
      await Promise.all(Array.from({ length: concurrency }, worker))
      const seconds = Math.round((Date.now() - began) / 1000)
      const rows = list.map((_, i) => kept.get(keyOf(i))!)
      const right = rows.filter((row) => row.right).length
      console.error(`${cell.task} ${cell.size ?? ''} ${cell.method}: ${right} of ${rows.length} right, ${seconds} s`)
      return rows
    },
  }
}
