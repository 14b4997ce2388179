/**
 * Held-out instances, one fixed list for every measurement: none of them, by the hash of its id, was ever trained on.
 *   npx tsx model/heldout.ts --n 200 > prompts.jsonl    (rows with token ids, for sample.py)
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readFlags } from '../bench/flags.ts'
import { packageRoot } from '../src/base/paths.ts'
import { random } from '../src/base/random.ts'
import type { GenerateOptions, Task } from '../src/tasks/task.ts'
import { bpe } from './bpe.ts'
import { render } from './doc.ts'
import { authors } from './mix.ts'
import { split } from './split.ts'

export interface Suite {
  readonly task: keyof typeof authors
  readonly options: GenerateOptions
}

/** What is measured: each task at the sizes that the training mix holds in the middle, and chains beyond the horizon. */
export const suites: Readonly<Record<string, Suite>> = {
  game24: { task: 'game24', options: { size: 4 } },
  'maze-3': { task: 'maze', options: { size: 3 } },
  'maze-5': { task: 'maze', options: { size: 5 } },
  spatialmap: { task: 'spatialmap', options: { size: 6 } },
  'zebra-3x3': { task: 'zebralogic', options: { size: 3, features: 3 } },
  'zebra-4x3': { task: 'zebralogic', options: { size: 4, features: 3 } },
  'zebra-4x4': { task: 'zebralogic', options: { size: 4, features: 4 } },
  'chain-8': { task: 'chain', options: { size: 8 } },
  'chain-12': { task: 'chain', options: { size: 12 } },
  'chain-16': { task: 'chain', options: { size: 16 } },
  'chain-20': { task: 'chain', options: { size: 20 } },
  'chain-28': { task: 'chain', options: { size: 28 } },
  'ruler-vt': { task: 'ruler-vt', options: { size: 200, chains: 2, hops: 4 } },
}

/** The first n instances of a suite that stand on the test side. */
export function heldout(name: string, n: number, seed = 1): unknown[] {
  const { task, options } = suites[name]!
  const { task: family } = authors[task] as unknown as { task: Task<unknown> }
  const out = new Map<string, unknown>()
  for (let i = 0; out.size < n && i < 200 * n; i++) {
    const instance = family.generate!(random(`heldout/${seed}/${name}/${i}`), options)
    if (split(family, instance) === 'test') out.set(family.id(instance), instance)
  }
  return [...out.values()]
}

if (process.argv[1]?.endsWith('heldout.ts')) {
  const flags = readFlags({ n: 100 })
  const tokenizer = bpe(JSON.parse(readFileSync(join(packageRoot, 'model/weights/tokenizer.json'), 'utf8')))
  for (const [suite, { task }] of Object.entries(suites)) {
    const family = (authors[task] as unknown as { task: Task<unknown> }).task
    for (const instance of heldout(suite, flags.n)) {
      const ids = tokenizer.encode(render(family.prompt(instance)))
      process.stdout.write(`${JSON.stringify({ suite, task, instance, ids })}\n`)
    }
  }
}
