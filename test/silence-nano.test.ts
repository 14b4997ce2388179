import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packageRoot } from '../src/base/paths.ts'
import { random } from '../src/base/random.ts'
import type { Engine } from '../src/engine/engine.ts'
import { nano } from '../src/engine/nano/index.ts'
import { nanoShape, writeRandomModel } from '../src/engine/nano/random-model.ts'
import { verifyFinal, verifyThinking } from '../src/methods/monitors.ts'
import { steer } from '../src/steer/steer.ts'
import { anyOf, everyLines, everyTokens } from '../src/steer/trigger.ts'
import { unknown } from '../src/steer/verdict.ts'
import { tasks } from '../src/tasks/registry.ts'
import type { Task } from '../src/tasks/task.ts'

/** Invariant 1 on the embedded model: forks that find nothing leave the text as it would have been, for every task. */
const folder = mkdtempSync(join(tmpdir(), 'rein-silence-'))
const trained = readdirSync(join(packageRoot, 'model', 'weights')).some((f) => f.endsWith('.safetensors'))
let engine: Engine

beforeAll(async () => {
  const { build } = await import('../scripts/build.js' as string)
  build()
  process.env.REIN_CACHE = join(folder, 'cache')
  // the weights that ship, or random ones in their shape: identity does not depend on sense
  if (!trained) writeRandomModel(join(folder, 'weights'), { ...nanoShape, num_hidden_layers: 2 })
  engine = await nano(trained ? {} : { weights: join(folder, 'weights') })
})
afterAll(async () => {
  await engine?.close?.()
  delete process.env.REIN_CACHE
  rmSync(folder, { recursive: true, force: true })
})

async function tokensOf(task: Task, instance: unknown, watched: boolean, seed: number) {
  const mute: Task = { ...task, verify: () => unknown('asked not to judge') }
  delete (mute as { verifyAsync?: unknown }).verifyAsync
  const monitors = watched
    ? [verifyThinking(mute, instance, { when: anyOf(everyLines(2), everyTokens(23)) }), verifyFinal(mute, instance)]
    : []
  const ids: (number | undefined)[] = []
  let forks = 0
  const policy = { maxTokens: watched ? 3000 : 120, sampling: { temperature: 0.9, seed } }
  const running = steer(engine, task.prompt(instance), monitors, policy, {
    onEvent(event) {
      if (event.type === 'token' && ids.length < 120) ids.push(event.token.id)
      if (event.type === 'token' && watched && ids.length >= 120) running.abort('seen enough')
      if (event.type === 'forked') forks++
    },
  })
  await running.result()
  return { ids, forks }
}

describe(`nano (${trained ? 'trained' : 'random weights'})`, () => {
  const generated = Object.entries(tasks).filter(([, task]) => task.generate)
  test.each(generated)('%s: watched and alone are the same, token by token', async (_name, task) => {
    const instance = task.generate!(random('silence'), _name.startsWith('ruler') ? { size: 300 } : {})
    for (const seed of [1, 2]) {
      const alone = await tokensOf(task, instance, false, seed)
      const watched = await tokensOf(task, instance, true, seed)
      expect(watched.ids.slice(0, alone.ids.length)).toEqual(alone.ids.slice(0, watched.ids.length))
      expect(watched.ids.length).toBeGreaterThan(10)
      if (watched.ids.length > 60) expect(watched.forks).toBeGreaterThan(0)
    }
  })
})
