/**
 * Held-out accuracy of plain chain of thought on the embedded engine, by suite, with 95% intervals.
 *   npm run accuracy -- --n 60 [--suites game24,maze-3] [--temperature 0.6] [--weights DIR]
 */
import { readFlags, refuse } from '../bench/flags.ts'
import { deriveSeed } from '../src/base/random.ts'
import { nano } from '../src/engine/nano/index.ts'
import type { Task } from '../src/tasks/task.ts'
import { grade } from './grade.ts'
import { heldout, suites } from './heldout.ts'
import { authors } from './mix.ts'

const flags = readFlags({
  n: 60,
  suites: Object.keys(suites).join(','),
  temperature: 0.6,
  'top-p': 0.95,
  'max-tokens': 2200,
  concurrency: 32,
  seed: 1,
  weights: '',
})
const order = flags.suites.split(',')
const unknown = order.find((suite) => !(suite in suites))
if (unknown !== undefined) refuse(`there is no suite "${unknown}"; there are: ${Object.keys(suites).join(', ')}`)

const engine = await nano({ ...(flags.weights && { weights: flags.weights }) })
const jobs = order.flatMap((suite) => {
  const { task } = suites[suite]!
  return heldout(suite, flags.n).map((instance, i) => ({ suite, task, instance, i }))
})
const rows: Parameters<typeof grade>[0][number][] = []

async function work(): Promise<void> {
  for (let job = jobs.shift(); job; job = jobs.shift()) {
    const { suite, task, instance, i } = job
    const family = (authors[task] as unknown as { task: Task<unknown> }).task
    let output = ''
    let tokens = 0
    for await (const token of engine.stream(await engine.begin(family.prompt(instance)), {
      temperature: flags.temperature,
      topP: flags['top-p'],
      seed: deriveSeed(flags.seed, suite, i),
      maxTokens: flags['max-tokens'],
      purpose: 'main',
    })) {
      output += token.text
      tokens += token.count ?? 1
      if (token.finish && token.finish !== 'length') output += '<|end|>'
    }
    rows.push({ suite, task, instance, tokens, output })
  }
}

const started = performance.now()
await Promise.all(Array.from({ length: flags.concurrency }, work))
await engine.close?.()
console.table(grade(rows.sort((a, b) => order.indexOf(a.suite) - order.indexOf(b.suite))))
const total = rows.reduce((sum, r) => sum + r.tokens, 0)
console.log(`${total} tokens in ${((performance.now() - started) / 1000).toFixed(1)} s`)
