import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageRoot } from '../src/base/paths.ts'
import type { Task } from '../src/tasks/task.ts'
import { bpe } from './bpe.ts'
import { heldout, suites } from './heldout.ts'
import { authors } from './mix.ts'
import { documents } from './shards.ts'
import { split } from './split.ts'

const tokenizer = bpe(JSON.parse(readFileSync(join(packageRoot, 'model/weights/tokenizer.json'), 'utf8')))

/** The very documents of the last stage's first shards, made again from its seed. */
function trained(process: number, n: number) {
  const out = []
  const docs = documents('2', process, 'all', tokenizer)
  while (out.length < n) out.push(docs.next().value!)
  return out
}

describe('train and test', () => {
  const docs = [...trained(0, 900), ...trained(13, 300)]

  test('no document that nano was trained on is of a test instance', () => {
    for (const { task, instance } of docs) expect(split(authors[task].task as Task<unknown>, instance)).toBe('train')
  })

  test('every held-out instance is a test instance, and none of its ids was trained on', () => {
    const ids = new Set(docs.map((d) => `${d.task} ${d.id}`))
    for (const [name, { task }] of Object.entries(suites)) {
      const family = authors[task].task as unknown as Task<unknown>
      const held = heldout(name, 40)
      expect(held).toHaveLength(40)
      for (const instance of held) {
        expect(split(family, instance)).toBe('test')
        expect(ids.has(`${task} ${family.id(instance)}`)).toBe(false)
      }
    }
  })

  test('all arrangements of the same numbers are on the same side', () => {
    const { task } = authors.game24
    for (const numbers of [
      [4, 7, 8, 8],
      [1, 5, 5, 5],
      [3, 3, 8, 8],
      [2, 9, 10, 12],
    ]) {
      const side = split(task, { numbers, target: 24 })
      expect(split(task, { numbers: [...numbers].reverse(), target: 24 })).toBe(side)
      expect(split(task, { numbers: [numbers[1]!, numbers[3]!, numbers[0]!, numbers[2]!], target: 24 })).toBe(side)
    }
  })

  test('about a tenth of what the generators make is kept back for reports, and a tenth for tuning', () => {
    const { task } = authors.chain
    const sides = Array.from({ length: 4000 }, (_, i) =>
      split(task, { start: i % 100, steps: [`+${1 + (i % 97)}`, `*${1 + (i % 89)}`] }),
    )
    for (const kept of ['test', 'tune']) {
      const share = sides.filter((s) => s === kept).length / sides.length
      expect(share).toBeGreaterThan(0.07)
      expect(share).toBeLessThan(0.13)
    }
  })
})
