import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openEngine } from '../../src/engine/index.ts'
import { expected } from './scripted-model.ts'
import { scriptedServer } from './scripted-server.ts'

it('1,000 streams at once: no token lost, every abort seen by the server, nothing left open', async () => {
  let release = (): void => {}
  const hold = new Promise<void>((resolve) => (release = resolve))
  const server = await scriptedServer({ dialect: 'vllm', lasting: 1e9, faults: { hold, tokenMs: 40, group: 3 } })
  const engine = await openEngine(server.url)
  const trace = await engine.begin('how?')
  const aborted = new Set<number>()
  const run = async (n: number): Promise<void> => {
    const stop = new AbortController()
    const ids: number[] = []
    // those that will be aborted would go on for long
    const maxTokens = n % 4 === 0 ? 50_000 : 24
    const stream = engine.stream(trace, {
      maxTokens,
      purpose: 'main',
      seed: n,
      signal: stop.signal,
      requestId: `r-${n}`,
    })
    for await (const token of stream) {
      ids.push(token.id!)
      if (n % 4 === 0 && ids.length === 9) {
        aborted.add(n)
        stop.abort()
      }
    }
    const want = expected(trace.ids()!, n, 1e9, 24)
    expect(ids).toEqual(n % 4 === 0 ? want.slice(0, 9) : want)
  }
  const runs = Promise.all(Array.from({ length: 1_000 }, (_, n) => run(n)))
  // none speaks before all are connected
  while (server.begun < 1_000) await sleep(10)
  release()
  await runs
  expect(await server.idle()).toBe(true)
  expect(server).toMatchObject({ begun: 1_000, aborted: aborted.size, finished: 1_000 - aborted.size, live: 0 })
  expect(aborted.size).toBe(250)
  expect(server.peak).toBe(1_000)
  await engine.close?.()
  await server.close()
}, 240_000)
