import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { InputError, messageOf } from '../base/errors.ts'
import { expandSweep, splitMethods } from './sweep.ts'

const names = z.array(z.string().min(1)).min(1)
const sizes = z.union([z.number(), z.array(z.number()).min(1)])

const schema = z.strictObject({
  tasks: names,
  methods: z.array(z.string().min(1)).default([]),
  /** one-parameter or grid sweeps: `interwhen:k=5,10,20`, `halo:psi=2,4,alpha=0.5,1` */
  sweep: z.array(z.string().min(1)).default([]),
  engine: z
    .union([
      z
        .string()
        .min(1)
        .transform((text) => text.split(',')),
      names,
    ])
    .default(['nano']),
  /** instances a task */
  limit: z.int().positive().default(20),
  seeds: z.array(z.int().nonnegative()).min(1).default([1]),
  out: z.string().min(1),
  /** a task's rows from a local file (JSONL, CSV or Parquet) instead of its generator */
  data: z.record(z.string(), z.string()).default({}),
  /** sizes for a task's generator; a list is gone through in turn, for success-by-length curves */
  size: z.record(z.string(), sizes).default({}),
  dataSeed: z.int().nonnegative().default(1),
  /** on nano: instances to report on, or those set apart to choose settings on; it was trained on neither */
  side: z.enum(['test', 'tune']).default('test'),
  maxTokens: z.int().positive().default(32768),
  sampling: z
    .strictObject({
      temperature: z.number().nonnegative().optional(),
      topP: z.number().positive().max(1).optional(),
      topK: z.int().nonnegative().optional(),
      minP: z.number().min(0).max(1).optional(),
      repetitionPenalty: z.number().positive().optional(),
    })
    .default({}),
  /** generation does not wait for verdicts, as when deployed: rows then depend on how fast the machine is */
  async: z.boolean().default(false),
  /** runs at a time on each engine; by default what suits the engine */
  concurrency: z.int().positive().optional(),
  /** says nothing twice: what runs have in common is generated once. The rows are the same; how long a run takes is not measured */
  recall: z.boolean().default(false),
  logs: z.enum(['all', 'none']).default('all'),
  queue: z.string().optional(),
})

export type BenchConfig = z.output<typeof schema>
export type BenchInput = z.input<typeof schema>

/**
 * Checks a config and fills in its defaults; anything unknown or wrong is one line that names the field.
 * @example parseConfig({ tasks: ['game24'], methods: ['cot'], out: 'out' }).limit // 20
 */
export function parseConfig(input: unknown, name = 'config'): BenchConfig {
  const parsed = schema.safeParse(input)
  if (!parsed.success) throw new InputError(`${name}: ${firstProblem(parsed.error.issues[0]!)}`)
  const config = parsed.data
  const methods = config.methods.flatMap(splitMethods)
  const sweep = config.sweep.flatMap(expandSweep)
  if (methods.length + sweep.length === 0)
    throw new InputError(`${name}: no methods; name some with --methods or --sweep`)
  if (config.recall && (config.async || config.queue !== undefined))
    throw new InputError(
      `${name}: recall shares text within one process and leaves no run a time of its own, so not with ${config.async ? 'async' : 'queue'}: leave one of the two out`,
    )
  return { ...config, methods, sweep }
}

function firstProblem(issue: z.core.$ZodIssue): string {
  const at = issue.path.join('.')
  if (issue.code === 'unrecognized_keys') {
    const known = at === '' ? Object.keys(schema.shape) : ['temperature', 'topP', 'topK', 'minP', 'repetitionPenalty']
    return `unknown field "${at ? `${at}.` : ''}${issue.keys[0]}"; there are: ${known.join(', ')}`
  }
  if (issue.code === 'invalid_type' && issue.input === undefined) return `field "${at}" is missing`
  return `field "${at}": ${issue.message.replace(/^Invalid input: /, '')}`
}

/** Reads a config file; flags given beside it win over its fields. */
export function readConfig(path: string, flags: Readonly<Record<string, unknown>> = {}): BenchConfig {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new InputError(`cannot read the config ${path}: ${messageOf(error)}`)
  }
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch (error) {
    throw new InputError(`${path} is not JSON: ${messageOf(error)}`)
  }
  if (data === null || typeof data !== 'object' || Array.isArray(data))
    throw new InputError(`${path} should hold one JSON object with tasks, methods, engine, out …`)
  return parseConfig({ ...data, ...flags }, path)
}
