import { expect } from 'vitest'
import { parseMethod } from '../src/methods/registry.ts'
import { game24 } from '../src/tasks/game24/index.ts'
import type { Task } from '../src/tasks/task.ts'
import type { Event } from '../src/trace/event.ts'
import { totalTokens } from '../src/trace/ledger.ts'
import { type FakeOptions, fakeEngine } from './fake-engine.ts'

/** One method on one game24 instance with a scripted model. Every such run also checks that the bill is what was generated. */
export const task = game24 as Task
export const instance = { numbers: [1, 2, 3, 4], target: 24 }
export const forkText = 'The expression I have so far (or none yet): \\boxed{'
export const asked = `${task.prompt(instance)}\n[assistant]<think>\n`

export async function go(
  spec: string,
  options: FakeOptions,
  extra: { seed?: number; maxTokens?: number; signal?: AbortSignal } = {},
) {
  const engine = fakeEngine(options)
  const { method, parameters } = parseMethod(spec)
  const events: { event: Event; run: number }[] = []
  const result = await method.run({
    engine,
    task,
    instance,
    seed: 7,
    parameters,
    maxTokens: 5000,
    ...extra,
    onEvent: (event, run) => events.push({ event, run }),
  })
  // one bill: what was generated is what is charged, whatever became of it
  const generated = engine.requests.reduce((sum, r) => sum + r.tokens, 0)
  expect(totalTokens(result.ledger)).toBe(generated)
  const tokens = (run = 0) => events.flatMap((e) => (e.run === run && e.event.type === 'token' ? [e.event.token] : []))
  return { engine, result, events, tokens }
}
