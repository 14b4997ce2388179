import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Random } from '../../src/base/random.ts'
import { loadInstances } from '../../src/bench/dataset.ts'
import { isHeldOut } from '../../src/tasks/held-out.ts'
import { getTask, tasks } from '../../src/tasks/registry.ts'
import type { Task } from '../../src/tasks/task.ts'
import { sharedDir } from '../shared.ts'
import { sums } from './fake.ts'

const shared = sharedDir()
if (!shared) console.warn('SKIPPED: real benchmark rows are not beside this checkout (REIN_SHARED names their folder)')

const options = { limit: 50, seed: 1 }

describe.skipIf(!shared)('real files in their own formats', () => {
  const files: [task: string, file: string, rows: number][] = [
    ['game24', 'game24/24.csv', 50],
    ['gsm8k', 'gsm8k/test.jsonl', 50],
    ['math', 'math/math500.jsonl', 50],
    ['omni', 'omni_math/omni_math_rule_half.jsonl', 50],
    ['spatialmap', 'spatialmap/spatialmap_tqa_1500_half.jsonl', 50],
    ['zebralogic', 'zebralogic/grid_mode_test_1000_half.jsonl', 50],
    ['verina', 'verina/verina_189_half.jsonl', 50],
  ]
  it.each(files)('%s reads %s', async (name, file, count) => {
    if (!Object.hasOwn(tasks, name)) return expect(name).toBe('verina')
    const path = join(shared!, 'data', file)
    expect(existsSync(path)).toBe(true)
    const task = getTask(name)
    const instances = await loadInstances(task, { ...options, file: path })
    expect(instances).toHaveLength(count)
    expect(new Set(instances.map((instance) => instance.id)).size).toBe(count)
    for (const { data } of instances) expect(JSON.stringify(task.prompt(data)).length).toBeGreaterThan(20)
  })
})

describe('generators', () => {
  const names = Object.keys(tasks).filter((name) => getTask(name).generate)
  it.each(names)('%s: distinct, repeatable, and held out where asked', async (name) => {
    const task = getTask(name)
    const few = { limit: 6, seed: 3, side: 'test' as const }
    const first = await loadInstances(task, few)
    expect(first.length).toBeGreaterThan(0)
    expect(new Set(first.map((instance) => instance.id)).size).toBe(first.length)
    expect(first.every((instance) => isHeldOut(instance.id))).toBe(true)
    expect(await loadInstances(task, few)).toEqual(first)
  })

  it('a family that runs out gives what there is', async () => {
    const few = { ...sums, generate: (rng: Random) => ({ a: rng.int(1, 30), b: 1 }) } as Task
    expect(await loadInstances(few, { limit: 2000, seed: 1 })).toHaveLength(30)
  })
})

describe('what is missing', () => {
  it('says where to get it', async () => {
    const absent = { ...options, file: 'absent.csv' }
    await expect(loadInstances(getTask('game24'), absent)).rejects.toThrow(
      /24\.csv from github\.com\/princeton-nlp.*--data game24=FILE/,
    )
  })
})
