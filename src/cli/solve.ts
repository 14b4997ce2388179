import { Command } from 'commander'
import { InputError } from '../base/errors.ts'
import { random } from '../base/random.ts'
import { openEngine } from '../engine/index.ts'
import type { MethodResult } from '../methods/method.ts'
import { assertServes, parseMethod } from '../methods/registry.ts'
import { gradeOf } from '../tasks/grade-of.ts'
import { getTask } from '../tasks/registry.ts'
import { totalTokens } from '../trace/ledger.ts'
import { createLog, type LogWriter } from '../trace/log.ts'
import { integer, number } from './numbers.ts'
import { runsOnScreen } from './runs.ts'
import { standardScreen } from './terminal.ts'

interface Options {
  engine: string
  method: string
  seed: number
  temperature: number
  maxTokens: number
  json?: boolean
  log?: string
  random?: boolean
  size?: number
}

export function command(): Command {
  return new Command()
    .description('One run, live in the terminal: text, forks, verdicts, withdrawn text struck out.')
    .argument('<task>', 'game24, maze, spatialmap, zebralogic, chain …')
    .argument('[instance]', 'the problem, as JSON or as the task writes it ("4 7 8 8")')
    .option('--engine <spec>', 'nano, or a server: vllm:URL, sglang:URL, llamacpp:URL, ollama:URL, openai:URL', 'nano')
    .option('--method <spec>', 'how to steer, with parameters: interwhen:k=10,retries=5', 'interwhen')
    .option('--seed <n>', 'the same seed gives the same run', integer('--seed', 0), 0)
    .option('--temperature <t>', 'sampling temperature', number('--temperature', 0), 0.6)
    .option('--max-tokens <n>', 'tokens of every purpose', integer('--max-tokens', 1), 32_768)
    .option('--random', 'make an instance with the seed instead of giving one')
    .option('--size <n>', 'size of the random instance', integer('--size', 1))
    .option('--json', 'print the result object and nothing else')
    .option('--log <file>', 'keep the run’s events')
    .action(solve)
}

async function solve(taskName: string, raw: string | undefined, options: Options): Promise<void> {
  const task = getTask(taskName)
  const { method, parameters, spec } = parseMethod(options.method)
  const instance = readInstance(task, raw, options)
  const engine = await openEngine(options.engine)
  const logs = new Map<number, LogWriter>()
  try {
    assertServes({ method, parameters, spec }, engine, task)
    if (options.log !== undefined) logs.set(0, createLog(options.log))
    const show = options.json ? undefined : runsOnScreen(standardScreen())
    const stop = new AbortController()
    process.once('SIGINT', () => stop.abort(new Error('interrupted')))
    const result = await method.run({
      engine,
      task,
      instance,
      seed: options.seed,
      parameters,
      sampling: { temperature: options.temperature },
      maxTokens: options.maxTokens,
      signal: stop.signal,
      onEvent(event, run) {
        if (options.log !== undefined) {
          if (!logs.has(run)) logs.set(run, createLog(`${options.log}.${run}`))
          logs.get(run)!.write(event)
        }
        show?.(event, run)
      },
    })
    report(
      result,
      {
        task: task.name,
        instance: task.id(instance),
        method: spec,
        engine: engine.name,
        model: engine.model,
        seed: options.seed,
      },
      await gradeOf(task, instance, result.output, stop.signal),
      options,
    )
    if (result.status === 'failed') process.exitCode = 1
  } finally {
    for (const log of logs.values()) log.close()
    await engine.close?.()
  }
}

function readInstance(task: ReturnType<typeof getTask>, raw: string | undefined, options: Options): unknown {
  if (options.random) {
    if (!task.generate) throw new InputError(`${task.name} has no generator: give an instance`)
    return task.generate(random(options.seed), options.size === undefined ? {} : { size: options.size })
  }
  if (raw === undefined)
    throw new InputError(`give an instance of ${task.name}, or --random for one made from the seed`)
  const text = raw.trim()
  if (!text.startsWith('{')) return task.read(raw)
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw new InputError('the instance begins like JSON but is not: check its quotes and brackets')
  }
  return task.read(parsed)
}

function report(
  result: MethodResult,
  about: Record<string, unknown>,
  correct: boolean | undefined,
  { json }: Options,
): void {
  const { main, discarded, fork, compress, judge } = result.ledger
  const row = {
    ...about,
    status: result.status,
    answer: result.answer ?? null,
    correct: correct ?? null,
    output: result.output,
    tokens: totalTokens(result.ledger),
    tokensBy: { main, discarded, fork, compress, judge },
    ledger: result.ledger,
    ...result.figures,
  }
  if (json) process.stdout.write(`${JSON.stringify(row)}\n`)
  else process.stdout.write(`\n${result.status}: ${result.answer ?? 'no answer'} (${row.tokens} tokens in all)\n`)
}
