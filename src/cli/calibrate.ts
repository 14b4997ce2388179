import { writeFileSync } from 'node:fs'
import { Command, Option } from 'commander'
import { InputError, messageOf } from '../base/errors.ts'
import { random } from '../base/random.ts'
import { openEngine } from '../engine/index.ts'
import { type Calibration, calibrate } from '../halo/calibrate.ts'
import { type Granularity, type Signal, signalRefusal, signals } from '../halo/observer.ts'
import { collectRecordings } from '../methods/record.ts'
import { getTask } from '../tasks/registry.ts'
import { integer, number } from './numbers.ts'

interface Options {
  engine: string
  task: string
  sizes: string
  runs: number
  seed: number
  signal: Signal
  granularity: Granularity
  temperature: number
  falseAlarmRate?: number
  floor: boolean
  maxTokens: number
  out?: string
}

export function command(): Command {
  return new Command()
    .description('Halo’s α, β and Ψ for an engine and a signal, from runs without Halo and the task’s own verifier.')
    .option('--engine <spec>', 'nano, or a server', 'nano')
    .option('--task <name>', 'a task whose lines can be checked', 'chain')
    .option('--sizes <list>', 'sizes of the instances, long enough that some runs collapse', '8,12,16,20,24,28')
    .option('--runs <n>', 'runs in all', integer('--runs', 10), 120)
    .option('--seed <n>', 'seed of instances and runs', integer('--seed', 0), 1_000_003)
    .addOption(new Option('--signal <name>', 'what to watch').choices([...signals]).default('attention'))
    .addOption(new Option('--granularity <g>', 'how often Ω is updated').choices(['token', 'line']).default('line'))
    .option('--temperature <t>', 'sampling temperature', number('--temperature', 0), 0.7)
    .option(
      '--false-alarm-rate <r>',
      'set Ψ for this share of sound runs reset needlessly',
      number('--false-alarm-rate', 0),
    )
    .option('--no-floor', 'the paper’s plain sum instead of CUSUM')
    .option('--max-tokens <n>', 'per run', integer('--max-tokens', 1), 4_096)
    .option('--out <file>', 'where to write the calibration; standard output unless given')
    .action(run)
}

async function run(options: Options): Promise<void> {
  const task = getTask(options.task)
  if (!task.generate || !task.rectify?.collapse)
    throw new InputError(`${task.name} cannot tell where a chain of thought collapses: use chain`)
  const sizes = options.sizes.split(',').map(integer('--sizes', 1))
  const engine = await openEngine(options.engine)
  try {
    const refusal = signalRefusal(engine, options.signal)
    if (refusal) throw new InputError(refusal)
    const rng = random(options.seed)
    const instances = Array.from({ length: options.runs }, (_, i) =>
      task.generate!(rng.split(i), { size: sizes[i % sizes.length]! }),
    )
    const recordings = await collectRecordings({
      engine,
      task,
      instances,
      seed: options.seed,
      temperature: options.temperature,
      maxTokens: options.maxTokens,
      progress: (done) => process.stderr.write(`\r${done} of ${options.runs} runs`),
    })
    process.stderr.write('\n')
    const { signal, granularity, floor, falseAlarmRate } = options
    const fitted = calibrate(recordings, {
      signal,
      granularity,
      floor,
      ...(falseAlarmRate !== undefined && { falseAlarmRate }),
    })
    const calibration: Calibration = {
      rein: 'calibration',
      version: 1,
      engine: engine.name,
      model: engine.model,
      task: task.name,
      ...fitted,
    }
    const text = `${JSON.stringify(calibration, null, 2)}\n`
    if (options.out === undefined) process.stdout.write(text)
    else save(options.out, text)
  } finally {
    await engine.close?.()
  }
}

function save(path: string, text: string): void {
  try {
    writeFileSync(path, text)
  } catch (error) {
    throw new InputError(`cannot write ${path}: ${messageOf(error)}`)
  }
  process.stderr.write(`wrote ${path}\n`)
}
