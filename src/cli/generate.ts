import { Command, InvalidArgumentError } from 'commander'
import { InputError } from '../base/errors.ts'
import { random } from '../base/random.ts'
import { getTask } from '../tasks/registry.ts'
import { endQuietlyWithReader, print } from './lines.ts'

/** `rein generate TASK`: instances as JSONL, the same for the same seed; a longer list begins with the shorter one. */
export function command(): Command {
  return new Command()
    .summary('instances of a task, the same for the same seed')
    .argument('<task>', 'game24, chain, ruler, …')
    .option('-n, --count <n>', 'how many', count, 10)
    .option('--seed <s>', 'what they are drawn from', '0')
    .option('--size <k>', "the task's size: numbers, steps, words of context, houses", count)
    .option('--set <key=value...>', 'further options of the task, such as kind=cwe or target=36')
    .action(async (name: string, options: { count: number; seed: string; size?: number; set?: string[] }) => {
      const task = getTask(name)
      if (!task.generate) throw new InputError(`task "${name}" has no generator: its instances are rows of a data set`)
      endQuietlyWithReader()
      const settings = { ...(options.size !== undefined && { size: options.size }), ...extras(options.set ?? []) }
      const root = random(options.seed)
      for (let i = 0; i < options.count; i++) await print(`${JSON.stringify(task.generate(root.split(i), settings))}\n`)
    })
}

function count(text: string): number {
  const n = Number(text)
  if (!/^\d+$/.test(text.trim()) || n < 1 || n > 1e9) throw new InvalidArgumentError('it must be a positive integer.')
  return n
}

function extras(pairs: readonly string[]): Record<string, string | number> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw new InputError(`--set takes key=value, not "${pair}"`)
      const value = pair.slice(at + 1)
      return [pair.slice(0, at), value !== '' && Number.isFinite(Number(value)) ? Number(value) : value]
    }),
  )
}
