import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { packageRoot } from '../src/base/paths.ts'
import { random } from '../src/base/random.ts'
import { nano } from '../src/engine/nano/index.ts'
import { parseMethod } from '../src/methods/registry.ts'
import { type ChainInstance, chain } from '../src/tasks/chain/index.ts'
import { isHeldOut } from '../src/tasks/held-out.ts'
import { getTask } from '../src/tasks/registry.ts'

/** The shipped weights with their own calibrations, beyond nano's horizon. docs/results/halo-length.md has the figures. */
const there = existsSync(join(packageRoot, 'model', 'weights', 'model.safetensors'))

beforeAll(async () => {
  const { build } = await import('../scripts/build.js' as string)
  build()
})

function heldOut(count: number, size: number): ChainInstance[] {
  const found: ChainInstance[] = []
  for (let i = 0; found.length < count; i++) {
    const instance = chain.generate!(random(`halo-nano/${i}`), { size })
    if (isHeldOut(chain.id(instance))) found.push(instance)
  }
  return found
}

test.skipIf(!there)(
  'chains of 24 steps: cot loops, halo gets through, halo+verify says verified',
  { timeout: 120_000 },
  async () => {
    const engine = await nano()
    const instances = heldOut(2, 24)
    const solve = async (spec: string) => {
      const { method, parameters } = parseMethod(spec)
      const results = await Promise.all(
        instances.map((instance, i) =>
          method.run({
            engine,
            task: getTask('chain'),
            instance,
            seed: i,
            parameters,
            sampling: { temperature: 0.7 },
            maxTokens: 700,
            sync: true,
          }),
        ),
      )
      const right = results.filter((result, i) => chain.grade(instances[i]!, result.output)).length
      return { right, statuses: results.map((result) => result.status), resets: results.map((r) => r.figures?.resets) }
    }
    try {
      expect((await solve('cot')).right).toBe(0)
      const halo = await solve('halo:signal=predictive')
      expect(halo.right).toBe(2)
      expect(halo.resets.every((resets) => resets !== '')).toBe(true)
      const checked = await solve('halo+verify')
      expect(checked.statuses).toEqual(['verified', 'verified'])
      expect(checked.right).toBe(2)
    } finally {
      await engine.close?.()
    }
  },
)
