/**
 * Held-out accuracy of plain chain of thought on the embedded engine, by suite, with 95% intervals.
 *   npm run accuracy -- --n 60 [--suites game24,maze-3] [--temperature 0.6] [--weights DIR]
 */
import { parseArgs } from 'node:util'
import { deriveSeed } from '../src/base/random.ts'
import { nano } from '../src/engine/nano/index.ts'
import type { Task } from '../src/tasks/task.ts'
import { grade } from './grade.ts'
import { heldout, suites } from './heldout.ts'
import { authors } from './mix.ts'

const { values } = parseArgs({
  options: {
    n: { type: 'string', default: '60' },
    suites: { type: 'string', default: Object.keys(suites).join(',') },
    temperature: { type: 'string', default: '0.6' },
    'top-p': { type: 'string', default: '0.95' },
    'max-tokens': { type: 'string', default: '2200' },
    concurrency: { type: 'string', default: '32' },
    seed: { type: 'string', default: '1' },
    weights: { type: 'string' },
  },
})

const engine = await nano({ ...(values.weights && { weights: values.weights }) })
const jobs = values.suites.split(',').flatMap((suite) => {
  const { task } = suites[suite]!
  return heldout(suite, Number(values.n)).map((instance, i) => ({ suite, task, instance, i }))
})
const rows: Parameters<typeof grade>[0][number][] = []

async function work(): Promise<void> {
  for (let job = jobs.shift(); job; job = jobs.shift()) {
    const { suite, task, instance, i } = job
    const family = (authors[task] as unknown as { task: Task<unknown> }).task
    let output = ''
    let tokens = 0
    for await (const token of engine.stream(await engine.begin(family.prompt(instance)), {
      temperature: Number(values.temperature),
      topP: Number(values['top-p']),
      seed: deriveSeed(Number(values.seed), suite, i),
      maxTokens: Number(values['max-tokens']),
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
await Promise.all(Array.from({ length: Number(values.concurrency) }, work))
await engine.close?.()
const order = values.suites.split(',')
console.table(grade(rows.sort((a, b) => order.indexOf(a.suite) - order.indexOf(b.suite))))
const total = rows.reduce((sum, r) => sum + r.tokens, 0)
console.log(`${total} tokens in ${((performance.now() - started) / 1000).toFixed(1)} s`)
