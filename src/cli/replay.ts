import { Command } from 'commander'
import { readLog, replay } from '../trace/log.ts'
import { standardScreen, terminal } from './terminal.ts'

export function command(): Command {
  return new Command()
    .description('A stored run again: from its log alone, with no engine, to the identical result.')
    .argument('<log>', 'a file that --log wrote')
    .option('--json', 'print the result object and nothing else')
    .action((path: string, options: { json?: boolean }) => {
      const { events, complete, torn } = readLog(path)
      if (!options.json) {
        const show = terminal(standardScreen())
        for (const event of events) show(event)
      }
      if (!complete) {
        process.stderr.write(
          `${path}: the run was cut off ${torn ? 'in the middle of an event' : 'before its end'}; ${events.length} events are there\n`,
        )
        process.exitCode = 1
        return
      }
      const result = replay(events)
      process.stdout.write(
        options.json
          ? `${JSON.stringify(result)}\n`
          : `\n${result.status}: ${result.answer ?? 'no answer'} (${result.tokens} tokens in all)\n`,
      )
    })
}
