import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, CommanderError } from 'commander'
import { messageOf, UserError } from '../base/errors.ts'
import { packageRoot } from '../base/paths.ts'

/** Commands are loaded when they are called, so that `rein --help` stays quick. */
const commands: Record<string, { summary: string; load: () => Promise<{ command(): Command }> }> = {
  bench: {
    summary: 'tasks × methods on an engine: results, summary, report; resumes',
    load: () => import('./bench.ts'),
  },
  calibrate: { summary: 'Halo’s α, β and Ψ for an engine and a signal', load: () => import('./calibrate.ts') },
  check: { summary: 'verdicts on answers: JSONL in, JSONL out', load: () => import('./check.ts') },
  export: { summary: 'the embedded model for other programs: GGUF, int8, f32', load: () => import('./export.ts') },
  demo: { summary: 'rein on its own small model, live, and what it is worth', load: () => import('./demo.ts') },
  doctor: { summary: 'what a model server can do, and what is wrong with it', load: () => import('./doctor.ts') },
  generate: { summary: 'instances of a task, the same for the same seed', load: () => import('./generate.ts') },
  replay: { summary: 'a stored run again, from its log alone', load: () => import('./replay.ts') },
  solve: { summary: 'one run, live in the terminal', load: () => import('./solve.ts') },
  worker: { summary: 'makes runs for "rein bench --queue" on other machines', load: () => import('./worker.ts') },
}

const usage = (): string => {
  const width = Math.max(...Object.keys(commands).map((name) => name.length))
  const lines = Object.entries(commands).map(([name, { summary }]) => `  rein ${name.padEnd(width)}  ${summary}`)
  return `rein keeps a reasoning model on course while it thinks.\n\n${lines.join('\n')}\n\n"rein COMMAND --help" tells the options of each.\n`
}

/** Runs one command line and gives the exit code: 0 well, 1 failure, 2 usage. Errors are one line on stderr. */
export async function main(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(usage())
    return name === undefined ? 2 : 0
  }
  if (name === '--version' || name === '-V') {
    process.stdout.write(`${JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')).version}\n`)
    return 0
  }
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!entry) {
    process.stderr.write(`rein: there is no command "${name}"; there are: ${Object.keys(commands).join(', ')}\n`)
    return 2
  }
  try {
    const command = (await entry.load())
      .command()
      .name(`rein ${name}`)
      .exitOverride()
      .configureOutput({ outputError: () => {} })
    await command.parseAsync(rest, { from: 'user' })
    return Number(process.exitCode ?? 0)
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0
      process.stderr.write(
        `rein ${name}: ${error.message.replace(/^error: /, '').replaceAll('\n', ' ')} ("rein ${name} --help" tells the options)\n`,
      )
      return 2
    }
    process.stderr.write(`rein ${name}: ${messageOf(error)}\n`)
    if (!(error instanceof UserError) && process.env.REIN_DEBUG) process.stderr.write(`${(error as Error).stack}\n`)
    return error instanceof UserError ? error.exitCode : 1
  }
}
