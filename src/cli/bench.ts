import { Command, InvalidArgumentError, Option } from 'commander'
import { InputError, UserError } from '../base/errors.ts'
import { type BenchConfig, parseConfig, readConfig } from '../bench/config.ts'
import { progress } from '../bench/progress.ts'
import { toMarkdown } from '../bench/report/table.ts'
import { tablesOf } from '../bench/report/tables.ts'
import { terminalTable } from '../bench/report/terminal.ts'
import { writeReport } from '../bench/report/write.ts'
import { type BenchResult, runBench } from '../bench/run.ts'
import { splitMethods } from '../bench/sweep.ts'

/** `rein bench`: tasks × methods on an engine, into a folder with results, summary and report. */
export function command(): Command {
  return new Command()
    .summary('tasks × methods on an engine: results, summary, report; resumes')
    .description(
      'Runs every method on every task and writes results.jsonl, summary.json, tables.md, tables.tex and report.html. The same command again goes on where it was stopped, also after a kill.',
    )
    .argument('[config]', 'a JSON file with the fields below in camelCase; flags win over it')
    .option('--tasks <list>', 'game24,maze,…', list)
    .option('--methods <list>', 'cot,interwhen:k=10,retries=5,best-of-k:k=2,…', splitMethods)
    .option('--sweep <method:p=v,v,…>', 'every value of one parameter, or every pair of two', collect)
    .option('--engine <list>', 'nano, or URLs of servers of one model', list)
    .option('--limit <n>', 'instances a task (20)', count)
    .option('--seeds <list>', 'one run a seed (1)', numbers)
    .option('--out <dir>', 'output folder; one that holds this very run is gone on with')
    .option('--data <task=file>', 'real rows (.jsonl, .csv, .parquet) in place of the generator', collect)
    .option('--size <task=n,n,…>', 'sizes for the generator', collect)
    .option('--data-seed <n>', 'seed of the generators', count0)
    .addOption(
      new Option('--side <which>', 'nano only: instances to report on, or those to choose settings on (test)').choices([
        'test',
        'tune',
      ]),
    )
    .option('--max-tokens <n>', 'token limit of a run (32768)', count)
    .option('--temperature <t>', '', number)
    .option('--top-p <p>', '', number)
    .option('--top-k <k>', '', number)
    .option('--async', 'do not wait for verdicts, as when deployed; rows then depend on the speed of the machine')
    .option('--concurrency <n>', 'runs at a time on each engine', count)
    .option(
      '--recall',
      'nano only: generate what runs have in common once; the rows are the same, times are not measured',
    )
    .addOption(new Option('--logs <which>', "keep each run's events (all)").choices(['all', 'none']))
    .option('--queue <redis-url>', 'share the work over "rein worker" processes through Redis')
    .option('--dry-run', 'estimate tokens and time with one pilot run a cell, write nothing')
    .option(
      '--report <dirs>',
      'make the report of a folder again, run nothing; of several: their tables side by side',
      list,
    )
    .action((config: string | undefined, options: Flags) => main(config, options))
}

interface Flags {
  readonly tasks?: string[]
  readonly methods?: string[]
  readonly sweep?: string[]
  readonly engine?: string[]
  readonly limit?: number
  readonly seeds?: number[]
  readonly out?: string
  readonly data?: string[]
  readonly size?: string[]
  readonly dataSeed?: number
  readonly side?: 'test' | 'tune'
  readonly maxTokens?: number
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly async?: boolean
  readonly concurrency?: number
  readonly recall?: boolean
  readonly logs?: string
  readonly queue?: string
  readonly dryRun?: boolean
  readonly report?: string[]
}

async function main(file: string | undefined, flags: Flags): Promise<void> {
  if (flags.report !== undefined) {
    report(flags.report)
    return
  }
  const config = configOf(file, flags)
  const { reinParts } = await import('../bench/rein-parts.ts')
  const stop = stopOnSignals()
  try {
    if (flags.dryRun) return await dryRun(config, stop.signal)
    const bars = progress({ stream: process.stderr })
    let result: BenchResult
    try {
      result = await runBench(config, reinParts, {
        signal: stop.signal,
        onPlan(plan, done) {
          for (const line of [...plan.notes, ...plan.skipped.map((text) => `skipped ${text}`)])
            process.stderr.write(`${line}\n`)
          if (done.length > 0 && done.length < plan.jobs.length)
            process.stderr.write(`going on: ${done.length} of ${plan.jobs.length} runs are already there\n`)
          bars.plan(plan, done)
        },
        onRow: bars.row,
        onNote: (text) => process.stderr.write(`${text}\n`),
      })
    } finally {
      bars.stop()
    }
    finish(result)
  } finally {
    stop.done()
  }
}

/** One folder: its table. Several, say of different models: the papers' tables with the models beside each other. */
function report(dirs: readonly string[]): void {
  const summaries = dirs.map((dir) => writeReport(dir))
  if (summaries.length === 1) process.stdout.write(`${terminalTable(summaries[0]!)}\n`)
  else for (const table of tablesOf(summaries)) process.stdout.write(`${table.caption}\n\n${toMarkdown(table)}\n\n`)
}

function finish({ dir, done, total }: BenchResult): void {
  if (done < total) {
    process.stderr.write(`stopped: ${done} of ${total} runs are kept in ${dir}; the same command goes on from there\n`)
    process.exitCode = 130
    return
  }
  process.stdout.write(`${terminalTable(writeReport(dir))}\n`)
  process.stderr.write(`${dir}/report.html has the plots\n`)
}

async function dryRun(config: BenchConfig, signal: AbortSignal): Promise<void> {
  const { reinParts } = await import('../bench/rein-parts.ts')
  const { makePlan } = await import('../bench/plan.ts')
  const { estimate, estimateText } = await import('../bench/dry-run.ts')
  const { concurrencyFor } = await import('../bench/run.ts')
  const engine = await reinParts.engine(config.engine[0]!)
  try {
    const plan = await makePlan(config, reinParts, engine)
    const estimated = await estimate(plan, config, reinParts, engine, { pilot: 1, patienceMs: 60_000, signal })
    const slots = config.engine.length * (config.concurrency ?? concurrencyFor(engine))
    process.stdout.write(`${estimateText(estimated, slots)}\n`)
  } finally {
    await engine.close?.()
  }
}

/** The first signal ends the work cleanly; a second one ends the process. */
function stopOnSignals(): { signal: AbortSignal; done(): void } {
  const controller = new AbortController()
  const stop = (): void => {
    if (controller.signal.aborted) process.exit(130)
    process.stderr.write('\nstopping (again to force) …\n')
    controller.abort(new UserError('stopped'))
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  return { signal: controller.signal, done: () => void process.off('SIGINT', stop).off('SIGTERM', stop) }
}

function configOf(file: string | undefined, flags: Flags): BenchConfig {
  const { dryRun, report: _, data, size, temperature, topP, topK, ...plain } = flags
  const sampling = {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(topK !== undefined && { topK }),
  }
  const given = {
    ...plain,
    ...(data && { data: Object.fromEntries(data.map((text) => pair(text, '--data'))) }),
    ...(size && { size: Object.fromEntries(size.map((text) => sizes(text))) }),
    ...(Object.keys(sampling).length > 0 && { sampling }),
    // a dry run writes nothing, so it needs no folder
    ...(dryRun && plain.out === undefined && { out: '.' }),
  }
  if (file !== undefined) return readConfig(file, given)
  for (const name of ['tasks', 'out'] as const)
    if (given[name] === undefined) throw new InputError(`--${name} is missing (or give a config file)`)
  return parseConfig(given, 'flags')
}

const list = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
const collect = (text: string, before: string[] = []): string[] => [...before, text]

function numbers(text: string): number[] {
  return list(text).flatMap((part) => {
    const range = /^(\d+)\.\.(\d+)$/.exec(part)
    if (!range) return [count0(part)]
    const [from, to] = [Number(range[1]), Number(range[2])]
    return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i)
  })
}

function number(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('it must be a number.')
  return value
}

function count0(text: string): number {
  const value = number(text)
  if (!Number.isInteger(value) || value < 0) throw new InvalidArgumentError('it must be a whole number from 0 on.')
  return value
}

function count(text: string): number {
  const value = count0(text)
  if (value === 0) throw new InvalidArgumentError('it must be a positive whole number.')
  return value
}

function pair(text: string, flag: string): [string, string] {
  const at = text.indexOf('=')
  if (at <= 0 || at === text.length - 1) throw new InputError(`${flag} "${text}" should be TASK=VALUE`)
  return [text.slice(0, at), text.slice(at + 1)]
}

function sizes(text: string): [string, number[]] {
  const [task, values] = pair(text, '--size')
  return [task, list(values).map(number)]
}
