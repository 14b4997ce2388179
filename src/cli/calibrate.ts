import { writeFileSync } from 'node:fs'
import { Command, Option } from 'commander'
import { InputError, messageOf } from '../base/errors.ts'
import { random } from '../base/random.ts'
import type { Engine } from '../engine/engine.ts'
import { openEngine } from '../engine/index.ts'
import { type CalibrateOptions, type Calibration, calibrate, type Fitted } from '../halo/calibrate.ts'
import { type Granularity, type Signal, signalRefusal, signals } from '../halo/observer.ts'
import { collectRecordings } from '../methods/record.ts'
import { isHeldOut } from '../tasks/held-out.ts'
import { getTask } from '../tasks/registry.ts'
import type { Task } from '../tasks/task.ts'
import { integer, number } from './numbers.ts'

interface Options {
  engine: string
  task: string
  sizes: string
  runs: number
  seed: number
  signal: Signal | 'all'
  granularity: Granularity
  temperature: number
  falseAlarmRate?: number
  floor: boolean
  maxTokens?: number
  price: number
  out?: string
}

export function command(): Command {
  return new Command()
    .description('Halo’s α, β and Ψ for an engine and a signal, from runs without Halo and the task’s own verifier.')
    .option('--engine <spec>', 'nano, or a server', 'nano')
    .option('--task <name>', 'a task whose lines can be checked', 'chain')
    .option('--sizes <list>', 'sizes of the instances, long enough that some runs collapse', '8,12,16,20,24,32')
    .option('--runs <n>', 'runs in all', integer('--runs', 10), 60)
    .option('--seed <n>', 'seed of instances and runs', integer('--seed', 0), 1_000_003)
    .addOption(
      new Option('--signal <name>', 'what to watch; all: every one, from the same runs')
        .choices([...signals, 'all'])
        .default('attention'),
    )
    .addOption(new Option('--granularity <g>', 'how often Ω is updated').choices(['token', 'line']).default('line'))
    .option('--temperature <t>', 'sampling temperature', number('--temperature', 0), 0.7)
    .option(
      '--false-alarm-rate <r>',
      'set Ψ for this share of sound runs reset needlessly',
      number('--false-alarm-rate', 0),
    )
    .option('--price <p>', 'what a needless reset costs, as a share of a failed run', number('--price', 0), 0.1)
    .option('--no-floor', 'the paper’s plain sum instead of CUSUM')
    .option(
      '--max-tokens <n>',
      'per run; unless given 200 and 30 a step on nano, 16,384 elsewhere',
      integer('--max-tokens', 1),
    )
    .option('--out <file>', 'where to write it, SIGNAL in it standing for the signal; standard output unless given')
    .action(run)
}

async function run(options: Options): Promise<void> {
  const task = getTask(options.task)
  if (!task.generate || !task.rectify?.collapse)
    throw new InputError(`${task.name} cannot tell where a chain of thought collapses: use chain`)
  const wanted = options.signal === 'all' ? signals : [options.signal]
  if (wanted.length > 1 && options.out !== undefined && !options.out.includes('SIGNAL'))
    throw new InputError('--signal all needs SIGNAL in --out, such as halo-SIGNAL.json')
  const sizes = options.sizes.split(',').map(integer('--sizes', 1))
  const engine = await openEngine(options.engine)
  try {
    const refusal = wanted.map((signal) => signalRefusal(engine, signal)).find((reason) => reason !== undefined)
    if (refusal) throw new InputError(refusal)
    const recordings = await collectRecordings({
      engine,
      task,
      instances: instancesOf(task, sizes, options),
      seed: options.seed,
      temperature: options.temperature,
      maxTokens:
        options.maxTokens ??
        (engine.name === 'nano' ? (instance) => 200 + 30 * (task.difficulty?.(instance) ?? 0) : 16_384),
      progress: (done) => process.stderr.write(`\r${done} of ${options.runs} runs`),
    })
    process.stderr.write('\n')
    for (const signal of wanted) write(engine, task, options, calibrate(recordings, fitOptions(options, signal)))
  } finally {
    await engine.close?.()
  }
}

/** What is measured on nano is measured on held-out instances, so a calibration takes the others. */
function instancesOf(task: Task, sizes: readonly number[], { runs, seed }: Options): unknown[] {
  const found: unknown[] = []
  const rng = random(seed)
  for (let i = 0; found.length < runs; i++) {
    const instance = task.generate!(rng.split(i), { size: sizes[found.length % sizes.length]! })
    if (!isHeldOut(task.id(instance))) found.push(instance)
  }
  return found
}

const fitOptions = ({ granularity, floor, falseAlarmRate, price }: Options, signal: Signal): CalibrateOptions => ({
  signal,
  granularity,
  floor,
  price,
  ...(falseAlarmRate !== undefined && { falseAlarmRate }),
})

function write(engine: Engine, task: Task, { out }: Options, fitted: Fitted): void {
  const calibration: Calibration = {
    rein: 'calibration',
    version: 1,
    engine: engine.name,
    model: engine.model,
    task: task.name,
    ...fitted,
  }
  const text = `${JSON.stringify(calibration, null, 2)}\n`
  if (out === undefined) process.stdout.write(text)
  else save(out.replaceAll('SIGNAL', fitted.signal), text)
}

function save(path: string, text: string): void {
  try {
    writeFileSync(path, text)
  } catch (error) {
    throw new InputError(`cannot write ${path}: ${messageOf(error)}`)
  }
  process.stderr.write(`wrote ${path}\n`)
}
