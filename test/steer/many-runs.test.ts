import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { vllm } from '../../src/engine/vllm.ts'
import type { AnyMonitor } from '../../src/steer/monitor.ts'
import { steer } from '../../src/steer/steer.ts'
import { everyTokens, finalAnswer } from '../../src/steer/trigger.ts'
import { fail, pass } from '../../src/steer/verdict.ts'
import type { Event } from '../../src/trace/event.ts'
import { replay } from '../../src/trace/log.ts'
import { type ScriptedServer, scriptedServer } from '../engine/scripted-server.ts'

const RUNS = 1_000

/** Forks every few tokens; the first look of every other run fails, so half of the runs roll back. */
function monitors(run: number): AnyMonitor[] {
  let looks = 0
  return [
    {
      name: 'thinking',
      when: everyTokens(8),
      elicit: { suffix: 'So far: ', maxTokens: 4 },
      extract: (text) => text,
      verify: async () => (looks++ === 0 && run % 2 === 0 ? fail('that is not so') : pass()),
      intervene: (verdict) =>
        verdict.kind === 'fail'
          ? { kind: 'rollback', feedback: verdict.feedback, voice: 'model' }
          : { kind: 'continue' },
    },
    {
      name: 'final',
      when: finalAnswer(),
      extract: (text) => text,
      verify: () => pass(true),
      intervene: () => ({ kind: 'continue' }),
    },
  ]
}

describe('1,000 runs at once against a server', () => {
  let server: ScriptedServer
  beforeAll(async () => {
    server = await scriptedServer({ dialect: 'vllm', lasting: 24, faults: { tokenMs: 4 } })
  })
  afterAll(() => server.close())

  test('no event is lost, every run replays, and every stream that was left is seen to end by the server', async () => {
    const engine = await vllm(server.url)
    const before = process.memoryUsage().heapUsed
    let interventions = 0
    const runs = Array.from({ length: RUNS }, async (_, i) => {
      const events: Event[] = []
      const run = steer(
        engine,
        `question ${i}`,
        monitors(i),
        { maxConcurrentChecks: 2, sampling: { seed: i } },
        { run: `r${i}`, onEvent: (event) => events.push(event) },
      )
      // Every tenth is given up half-way.
      if (i % 10 === 9) setTimeout(() => run.abort('given up'), 50 + (i % 100))
      const result = await run.result()
      expect(events[0]!.type).toBe('start')
      expect(events.at(-1)!.type).toBe('end')
      expect(replay(events)).toEqual(result)
      const tokens = events.filter((event) => event.type === 'token').length
      expect(result.ledger.main + result.ledger.discarded).toBe(tokens)
      interventions += events.filter((event) => event.type === 'intervention').length
      return result.status
    })
    const statuses = await Promise.all(runs)
    expect(statuses.filter((status) => status === 'failed').length).toBeLessThanOrEqual(RUNS / 10)
    expect(statuses.filter((status) => status === 'verified' || status === 'failed').length).toBe(RUNS)
    expect(interventions).toBeGreaterThan(RUNS / 4)
    expect(await server.idle(5_000)).toBe(true)
    expect(server.live).toBe(0)
    expect(server.begun).toBe(server.finished + server.aborted)
    expect(server.aborted).toBeGreaterThan(0)
    globalThis.gc?.()
    expect((process.memoryUsage().heapUsed - before) / RUNS).toBeLessThan(1_000_000)
  }, 240_000)
})
