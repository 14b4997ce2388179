import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { openEngine } from 'rein/engine'
import { type AnyMonitor, type Policy, steer } from 'rein/steer'

/** What the examples share: `npx tsx examples/NAME.ts [--engine nano|URL] [--prompt TEXT] [--seed N]`. */
export async function run(
  prompt: string,
  monitors: readonly AnyMonitor[],
  policy: Partial<Policy> = {},
): Promise<void> {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string', default: 'nano' },
      prompt: { type: 'string' },
      seed: { type: 'string', default: '1' },
    },
  })
  const engine = await openEngine(values.engine).catch((error: Error) => {
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  })
  const sampling = { temperature: 0.6, seed: Number(values.seed) }
  const running = steer(engine, values.prompt ?? prompt, monitors, { maxTokens: 2000, ...policy, sampling })
  for await (const event of running) {
    if (event.type === 'token') process.stdout.write(event.token.text)
    if (event.type === 'verdict') process.stdout.write(`\n  [${event.monitor}: ${event.verdict.kind}]\n`)
    if (event.type === 'intervention') process.stdout.write(`\n  [${event.monitor}: ${event.intervention.kind}]\n`)
  }
  const { status, reason, tokens } = await running.result()
  process.stdout.write(`\n\n${status} (${reason}), ${tokens} tokens\n`)
  await engine.close?.()
}

/** True when this file was started by itself and not imported. */
export const started = (url: string): boolean =>
  process.argv[1] !== undefined && url === pathToFileURL(process.argv[1]).href
