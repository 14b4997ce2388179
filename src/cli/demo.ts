import { Command } from 'commander'
import pc from 'picocolors'
import { random } from '../base/random.ts'
import type { Engine } from '../engine/engine.ts'
import { openEngine } from '../engine/index.ts'
import type { MethodResult } from '../methods/method.ts'
import { parseMethod } from '../methods/registry.ts'
import { isHeldOut } from '../tasks/held-out.ts'
import { getTask } from '../tasks/registry.ts'
import type { Task } from '../tasks/task.ts'
import type { Event } from '../trace/event.ts'
import { totalTokens } from '../trace/ledger.ts'
import { integer } from './numbers.ts'
import { standardScreen, terminal } from './terminal.ts'

/** The main job on the embedded model: slips caught live, a long chain rectified, and a small table measured on the spot. */
export function command(): Command {
  return new Command()
    .description('rein on its own small model: what it does, live, and what it is worth, measured on the spot.')
    .option('--puzzles <n>', 'instances a row of the table', integer('--puzzles', 1), 24)
    .action(async ({ puzzles }: { puzzles: number }) => {
      const engine = await openEngine('nano')
      try {
        await show(engine)
        await measure(engine, puzzles)
      } finally {
        await engine.close?.()
      }
    })
}

/** The same for everyone: the embedded model and its seeds are deterministic. */
const SAMPLING = { temperature: 0.6 }
const MAX_TOKENS = 3_000

interface Scene {
  readonly title: string
  readonly task: string
  readonly method: string
  readonly size?: number
  /** what a viewer came to see; the next puzzle is tried where nothing of it happened */
  seen(events: readonly Event[], result: MethodResult): boolean
}

const intervened = (events: readonly Event[], kind: string): boolean =>
  events.some((event) => event.type === 'intervention' && event.intervention.kind === kind)

const scenes: readonly Scene[] = [
  {
    title: 'A slip is caught, rolled back and put right (game of 24, interwhen)',
    task: 'game24',
    method: 'interwhen:k=4',
    seen: (events, { status }) => intervened(events, 'rollback') && status === 'verified',
  },
  {
    title:
      'A long chain drifts, is compressed to a verified state, and goes on from there (chain of 24 steps, halo+verify)',
    task: 'chain',
    method: 'halo+verify',
    size: 24,
    seen: (events, { status }) => intervened(events, 'rectify') && status === 'verified',
  },
]

async function show(engine: Engine): Promise<void> {
  process.stdout.write(
    `${pc.bold('rein on nano')}, a small model that ships with it. Figures on nano are figures on nano.\n`,
  )
  for (const scene of scenes) {
    process.stdout.write(`\n${pc.bold(`── ${scene.title}`)}\n\n`)
    const task = getTask(scene.task)
    for (const [i, instance] of heldOut(task, 6, scene.size, 'show').entries()) {
      if (i > 0) process.stdout.write(`\n${pc.dim('Nothing to see there; the next puzzle:')}\n\n`)
      const events: Event[] = []
      const draw = terminal(standardScreen())
      const result = await solve(engine, task, instance, scene.method, i, (event) => {
        events.push(event)
        draw(event)
      })
      if (scene.seen(events, result)) break
    }
  }
}

interface Row {
  readonly task: string
  readonly size?: number
  readonly methods: readonly string[]
}

const table: readonly Row[] = [
  { task: 'game24', methods: ['cot', 'interwhen:k=4'] },
  { task: 'chain', size: 20, methods: ['cot', 'halo', 'halo+verify'] },
]

async function measure(engine: Engine, count: number): Promise<void> {
  process.stdout.write(
    `\n${pc.bold('── With and without rein')}, ${count} held-out instances each, the same for every method\n\n`,
  )
  process.stdout.write(
    `${'task'.padEnd(12)}${'method'.padEnd(16)}${'right'.padStart(10)}${'verified'.padStart(10)}${'tokens'.padStart(9)}${'of cot'.padStart(8)}\n`,
  )
  for (const { task: name, size, methods } of table) {
    const task = getTask(name)
    const instances = heldOut(task, count, size, 'table')
    let base = 0
    for (const method of methods) {
      const results = await Promise.all(instances.map((instance, i) => solve(engine, task, instance, method, i)))
      const right = results.filter((result, i) => task.grade(instances[i], result.output) === true).length
      const verified = results.filter((result) => result.status === 'verified').length
      const tokens = results.reduce((sum, { ledger }) => sum + totalTokens(ledger), 0) / results.length
      base ||= tokens
      const cells = [
        `${right} of ${count}`,
        method === 'cot' ? '–' : String(verified),
        tokens.toFixed(0),
        `${((100 * tokens) / base).toFixed(0)}%`,
      ]
      process.stdout.write(
        `${`${name}${size ? `-${size}` : ''}`.padEnd(12)}${method.padEnd(16)}${cells[0]!.padStart(10)}${cells[1]!.padStart(10)}${cells[2]!.padStart(9)}${cells[3]!.padStart(8)}\n`,
      )
    }
  }
  process.stdout.write(
    '\nTokens count everything generated: forks and withdrawn text too. A bigger sample: "rein bench".\n',
  )
}

function solve(
  engine: Engine,
  task: Task,
  instance: unknown,
  spec: string,
  seed: number,
  onEvent?: (event: Event) => void,
): Promise<MethodResult> {
  const { method, parameters } = parseMethod(spec)
  return method.run({
    engine,
    task,
    instance,
    seed,
    parameters,
    sampling: SAMPLING,
    maxTokens: MAX_TOKENS,
    ...(onEvent && { onEvent: (event: Event) => onEvent(event) }),
  })
}

/** Instances that the model was not trained on: the tenth that the hash of their id sets apart. */
function heldOut(task: Task, count: number, size: number | undefined, name: string): unknown[] {
  const found = new Map<string, unknown>()
  for (let i = 0; found.size < count; i++) {
    const instance = task.generate!(random(`demo/${name}/${task.name}/${i}`), size === undefined ? {} : { size })
    if (isHeldOut(task.id(instance))) found.set(task.id(instance), instance)
  }
  return [...found.values()]
}
