import { Command } from 'commander'
import pc from 'picocolors'
import { InputError } from '../base/errors.ts'
import { type Diagnosis, diagnose } from '../engine/doctor/index.ts'

/** `rein doctor URL`: exit 0 when the server can be used, 1 when a fault breaks a promise, 2 for usage. */
export function command(): Command {
  return new Command()
    .description('Looks a model server over: what it can do, and what is wrong with it.')
    .argument('<url>', 'http://HOST:PORT, or KIND:URL, with #MODEL where it has several')
    .option('--json', 'print the diagnosis as JSON')
    .option('--context <tokens>', "the model's context, where the server does not say")
    .action(async (url: string, options: { json?: boolean; context?: string }) => {
      const context = options.context === undefined ? undefined : Number(options.context)
      if (context !== undefined && !(Number.isInteger(context) && context > 0))
        throw new InputError(`--context wants a number of tokens, not "${options.context}"`)
      const diagnosis = await diagnose(url, context === undefined ? {} : { context })
      process.stdout.write(options.json ? `${JSON.stringify(plain(diagnosis))}\n` : report(diagnosis))
      if (!diagnosis.usable) process.exitCode = 1
    })
}

/** JSON has no Infinity: an unknown context is null. */
function plain(diagnosis: Diagnosis): unknown {
  const { context } = diagnosis.can
  return { ...diagnosis, can: { ...diagnosis.can, context: Number.isFinite(context) ? context : null } }
}

const signs = { ok: pc.green('✓'), warn: pc.yellow('!'), fail: pc.red('✗'), 'n/a': pc.dim('–') } as const

function report({ url, engine, model, can, findings, usable }: Diagnosis): string {
  const width = Math.max(...findings.map(({ probe }) => probe.length))
  const lines = findings.map(({ probe, state, says }) => `  ${signs[state]} ${probe.padEnd(width)}  ${says}`)
  const able = [
    can.ids ? 'token ids' : 'text only',
    can.topLogprobs > 0 ? `top-${can.topLogprobs} logprobs` : 'no logprobs',
    `forks ${can.fork}`,
    can.resume === 'turn' ? 'steered between turns only' : 'steered at any token',
  ].join(', ')
  const end = usable ? 'It can be used.' : pc.red('A promise would be broken on this server: see ✗.')
  return `${pc.bold(`${engine} ${model}`)} at ${url}\n${able}\n\n${lines.join('\n')}\n\n${end}\n`
}
