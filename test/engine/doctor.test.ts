import { describe, expect, it } from 'vitest'
import { main } from '../../src/cli/main.ts'
import { type Diagnosis, diagnose } from '../../src/engine/doctor/index.ts'
import type { Dialect } from './scripted-dialects.ts'
import { type Faults, scriptedServer } from './scripted-server.ts'

async function seen(dialect: Dialect, faults: Faults = {}): Promise<Diagnosis> {
  const server = await scriptedServer({ dialect, faults, lasting: 1e9 })
  try {
    return await diagnose(server.url, { abortMs: 700 })
  } finally {
    await server.close()
  }
}
const state = ({ findings }: Diagnosis, probe: string) => findings.find((f) => f.probe === probe)?.state

describe('doctor', () => {
  it.each<Dialect>(['vllm', 'sglang', 'llamacpp', 'ollama', 'openai'])('finds a healthy %s usable', async (dialect) => {
    const diagnosis = await seen(dialect)
    expect(diagnosis).toMatchObject({ engine: dialect, usable: true })
    expect(diagnosis.findings.filter((f) => f.state === 'fail')).toEqual([])
    if (diagnosis.can.ids) expect(state(diagnosis, 'prefix replay')).toBe('ok')
    for (const { says } of diagnosis.findings) expect(says).toMatch(/^[^\n]{10,200}$/)
  })

  it.each<[Dialect, Faults, string, string]>([
    ['vllm', { group: 4 }, 'tokens a chunk', 'warn'],
    ['sglang', { group: 4, cumulative: true }, 'tokens a chunk', 'warn'],
    ['vllm', { noDone: true }, 'stream end', 'warn'],
    ['vllm', { doubleBos: true }, 'one BOS', 'fail'],
    ['vllm', { limit: 16 }, 'default length', 'fail'],
    ['llamacpp', { zeroLogprobs: true }, 'drafts', 'fail'],
    ['vllm', { processed: true }, 'logprob mode', 'warn'],
    ['ollama', {}, 'prefix replay', 'warn'],
  ])('%s with %o: %s is %s', async (dialect, faults, probe, want) => {
    const diagnosis = await seen(dialect, faults)
    expect(state(diagnosis, probe)).toBe(want)
    expect(diagnosis.usable).toBe(want !== 'fail')
  })

  it.each<Dialect>(['vllm', 'llamacpp'])(
    'sees on %s that an abort does not arrive',
    async (dialect) => {
      const diagnosis = await seen(dialect, { deaf: true })
      expect(state(diagnosis, 'abort')).toBe('fail')
    },
    30_000,
  )

  it('exits 0, 1 and 2', async () => {
    const written: string[] = []
    const [out, err] = [process.stdout.write, process.stderr.write]
    process.stdout.write = process.stderr.write = (chunk) => written.push(String(chunk)) > 0
    const healthy = await scriptedServer({ dialect: 'vllm' })
    const ill = await scriptedServer({ dialect: 'vllm', faults: { doubleBos: true } })
    const silent = await scriptedServer({ dialect: 'openai', faults: { html: true } })
    try {
      expect(await main(['doctor', healthy.url, '--json'])).toBe(0)
      expect(JSON.parse(written.pop()!)).toMatchObject({ engine: 'vllm', usable: true, findings: expect.any(Array) })
      expect(await main(['doctor', ill.url])).toBe(1)
      expect(written.pop()).toContain('one BOS')
      process.exitCode = 0
      expect(await main(['doctor', `${silent.url}/elsewhere`])).toBe(1)
      expect(written.pop()).toMatch(/^rein doctor: [^\n]+\n$/)
      for (const args of [[], ['nonsense'], ['nano'], [healthy.url, '--context', 'x'], [healthy.url, '--what']])
        expect(await main(['doctor', ...args])).toBe(2)
    } finally {
      process.exitCode = 0
      process.stdout.write = out
      process.stderr.write = err
      await Promise.all([healthy.close(), ill.close(), silent.close()])
    }
  })
})
