import { createHash } from 'node:crypto'
import { InputError } from '../base/errors.ts'
import type { Engine } from '../engine/engine.ts'
import type { Parameters } from '../methods/method.ts'
import type { BenchConfig } from './config.ts'
import { type DatasetOptions, type Instance, loadInstances } from './dataset.ts'
import type { Parts } from './parts.ts'

/** One run to be made: plain JSON, so that it can cross to another machine. */
export interface Job {
  readonly task: string
  readonly method: string
  readonly instance: string
  readonly seed: number
  readonly data: unknown
  readonly difficulty?: number
}

/** A method as it is named in the rows, with every parameter: what a sweep is drawn from. */
export interface MethodEntry {
  readonly spec: string
  readonly name: string
  readonly parameters: Parameters
  /** only a setting of a sweep, not a method that was asked for by itself */
  readonly swept: boolean
}

export interface Plan {
  /** in the order of the finished results.jsonl: task, method, seed, instance */
  readonly jobs: readonly Job[]
  /** positions in `jobs` in the order of the work: all methods on an instance before the next one, so that a half-done run already compares them */
  readonly order: readonly number[]
  /** the same for the same work and model; another one in an output folder means another run */
  readonly fingerprint: string
  readonly methods: readonly MethodEntry[]
  /** combinations that cannot be: one sentence each */
  readonly skipped: readonly string[]
  readonly notes: readonly string[]
}

export async function makePlan(config: BenchConfig, parts: Parts, engine: Engine): Promise<Plan> {
  const methods = uniqueBy(
    [...config.methods, ...config.sweep].map((spec) => parts.method(spec)),
    (m) => m.spec,
  )
  const named = new Set(config.methods.map((spec) => parts.method(spec).spec))
  const tasks = uniqueBy(
    config.tasks.map((name) => parts.task(name)),
    (t) => t.name,
  )
  for (const field of ['data', 'size'] as const)
    for (const name of Object.keys(config[field]))
      if (!tasks.some((t) => t.name === name))
        throw new InputError(`field "${field}.${name}" is for a task that is not in tasks (${config.tasks.join(', ')})`)
  const jobs: Job[] = []
  const work: [instance: number, job: number][] = []
  const skipped: string[] = []
  const notes: string[] = []
  for (const task of tasks) {
    const instances = await loadInstances(task, options(config, task.name, engine))
    if (instances.length < config.limit)
      notes.push(`${task.name}: ${instances.length} instances (${config.limit} were asked for; there are no more)`)
    for (const { method, parameters, spec } of methods) {
      const refusal = method.refuses?.(engine, task, parameters)
      if (refusal !== undefined) {
        skipped.push(`${task.name} × ${spec}: ${refusal}`)
        continue
      }
      for (const seed of config.seeds)
        for (const [i, instance] of instances.entries()) {
          work.push([i, jobs.length])
          jobs.push(jobOf(task.name, spec, seed, instance))
        }
    }
  }
  if (jobs.length === 0) throw new InputError(`nothing to do: ${skipped[0] ?? 'no instances'}`)
  work.sort((a, b) => a[0] - b[0] || a[1] - b[1])
  return {
    jobs,
    order: work.map(([, job]) => job),
    fingerprint: fingerprint(config, engine, methods, jobs),
    methods: methods.map(({ spec, method, parameters }) => ({
      spec,
      name: method.name,
      parameters,
      swept: !named.has(spec),
    })),
    skipped,
    notes,
  }
}

function options(config: BenchConfig, task: string, engine: Engine): DatasetOptions {
  const size = config.size[task]
  const file = config.data[task]
  return {
    limit: config.limit,
    seed: config.dataSeed,
    ...(engine.name.startsWith('nano') && { side: config.side }),
    ...(file !== undefined && { file }),
    ...(size !== undefined && { sizes: typeof size === 'number' ? [size] : size }),
  }
}

function jobOf(task: string, method: string, seed: number, instance: Instance): Job {
  const { id, data, difficulty } = instance
  return { task, method, instance: id, seed, data, ...(difficulty !== undefined && { difficulty }) }
}

function uniqueBy<T>(items: readonly T[], key: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [key(item), item])).values()]
}

/**
 * Everything that the rows depend on, and nothing else: where it runs and how many at a time may change from start to start.
 * Parameters that were not given count as well, because a later version of rein may have other defaults.
 */
function fingerprint(
  config: BenchConfig,
  engine: Engine,
  methods: readonly Pick<MethodEntry, 'spec' | 'parameters'>[],
  jobs: readonly Job[],
): string {
  const hash = createHash('sha256')
  const chosen = methods.map(({ spec, parameters }) => [spec, parameters])
  hash.update(JSON.stringify([engine.model, config.maxTokens, config.sampling, config.async, chosen]))
  for (const job of jobs) hash.update(JSON.stringify(job))
  return hash.digest('hex').slice(0, 16)
}
