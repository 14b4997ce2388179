import { Command, InvalidArgumentError } from 'commander'
import { InputError } from '../base/errors.ts'

/** `rein worker`: makes runs for a bench on another machine. */
export function command(): Command {
  return new Command()
    .summary('makes runs for "rein bench --queue" on other machines')
    .description(
      'Takes runs from Redis, makes them and hands them back, until stopped. Any number of workers may come and go.',
    )
    .argument('[redis-url]', 'redis://host:port, the same as the bench was given')
    .option('--queue <redis-url>', 'the same, as the bench spells it')
    .option('--engine <list>', 'engines of this machine, in place of those that the bench names', (text) =>
      text.split(','),
    )
    .option('--concurrency <n>', 'runs at a time', count)
    .action(async (given: string | undefined, flags: { queue?: string; engine?: string[]; concurrency?: number }) => {
      const url = given ?? flags.queue
      if (url === undefined) throw new InputError('say where the runs are: rein worker redis://host:port')
      const { reinParts } = await import('../bench/rein-parts.ts')
      const { runWorker } = await import('../bench/queue/worker.ts')
      const stop = new AbortController()
      const end = (): void => stop.abort()
      process.on('SIGINT', end).on('SIGTERM', end)
      let made = 0
      let trouble = ''
      process.stderr.write(`waiting for runs at ${url.replace(/\/\/[^@/]*@/, '//')}\n`)
      try {
        await runWorker(url, reinParts, {
          ...(flags.engine && { engines: flags.engine }),
          ...(flags.concurrency && { concurrency: flags.concurrency }),
          signal: stop.signal,
          onRow: ({ row }) =>
            process.stderr.write(`${++made} ${row.task} ${row.method} ${row.instance} ${row.status}\n`),
          onTrouble(message) {
            // a server that is away says so many times a second
            if (message !== trouble) process.stderr.write(`${message}\n`)
            trouble = message
          },
        })
      } finally {
        process.off('SIGINT', end).off('SIGTERM', end)
      }
    })
}

function count(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('it must be a positive whole number.')
  return value
}
