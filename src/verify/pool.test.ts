import { spawnSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { build } from '../../scripts/build.js'
import { built } from '../base/paths.ts'
import { type PoolOptions, type VerifierPool, verifierPool } from './pool.ts'

/** Verifiers that misbehave in every way, as a module of its own. */
const registry = `data:text/javascript,${encodeURIComponent(`
  let running = 0
  const tasks = {
    good: () => ({ kind: 'pass', complete: true }),
    forever: () => { for (;;); },
    throws: () => { throw new Error('boom') },
    exits: () => { process.exit(3) },
    greedy: () => { const all = []; for (;;) all.push(new Array(1e5).fill(all.length)) },
    prints: () => { console.log('noise'); return { kind: 'pass', complete: false } },
    slow: async () => {
      if (++running > 1) return { kind: 'fail', feedback: 'two at once' }
      await new Promise((done) => setTimeout(done, 60))
      running--
      return { kind: 'pass', complete: true }
    },
  }
  export const getTask = (name) => ({ verify: tasks[name] })
`)}`

const open: VerifierPool[] = []
const pool = (options: PoolOptions = {}): VerifierPool => {
  const made = verifierPool({ registry, size: 1, timeoutMs: 2000, ...options })
  open.push(made)
  return made
}

beforeAll(() => build(), 120_000)
afterEach(async () => {
  await Promise.all(open.splice(0).map((p) => p.close()))
})

describe('verifierPool', () => {
  it("runs rein's own tasks", async () => {
    const real = verifierPool({ size: 1 })
    open.push(real)
    const game = { numbers: [1, 2, 3, 4], target: 24 }
    expect(await real.verify('game24', game, '(1+2+3)*4', 'final')).toEqual({ kind: 'pass', complete: true })
    expect(await real.verify('nothing', {}, '', 'final')).toMatchObject({ kind: 'unknown' })
  })

  it('kills what overruns its time, says unknown, and goes on', async () => {
    const p = pool({ timeoutMs: 300 })
    const [stuck, after] = await Promise.all([p.verify('forever', {}, '', 'final'), p.verify('good', {}, '', 'final')])
    expect(stuck).toEqual({ kind: 'unknown', reason: 'timed out after 300 ms' })
    expect(after).toEqual({ kind: 'pass', complete: true })
    expect(p.threads).toBe(1)
  })

  it('turns a throw, an exit and a full memory into unknown', async () => {
    const p = pool({ maxMemoryMb: 64, timeoutMs: 20_000 })
    expect(await p.verify('throws', {}, '', 'final')).toEqual({ kind: 'unknown', reason: 'the verifier failed: boom' })
    expect(await p.verify('exits', {}, '', 'final')).toMatchObject({ kind: 'unknown' })
    expect(await p.verify('greedy', {}, '', 'final')).toMatchObject({ kind: 'unknown' })
    expect(await p.verify('good', {}, '', 'final')).toMatchObject({ kind: 'pass' })
  }, 30_000)

  it('never runs two checks at once in a thread', async () => {
    const p = pool({ size: 2 })
    const verdicts = await Promise.all(Array.from({ length: 8 }, () => p.verify('slow', {}, '', 'final')))
    expect(verdicts.every((v) => v.kind === 'pass')).toBe(true)
    expect(p.threads).toBe(2)
  })

  it('lets go at an abort, queued or running, and serves the next', async () => {
    const p = pool({ timeoutMs: 500 })
    const [running, queued] = [new AbortController(), new AbortController()]
    const first = p.verify('forever', {}, '', 'final', running.signal)
    const second = p.verify('good', {}, '', 'final', queued.signal)
    const start = performance.now()
    queued.abort()
    running.abort()
    expect(await second).toEqual({ kind: 'unknown', reason: 'aborted' })
    expect(await first).toEqual({ kind: 'unknown', reason: 'aborted' })
    expect(performance.now() - start).toBeLessThan(450)
    expect(await p.verify('good', {}, '', 'final', AbortSignal.abort())).toMatchObject({ reason: 'aborted' })
    expect(await p.verify('good', {}, '', 'final')).toMatchObject({ kind: 'pass' })
  })

  it('keeps a library’s printing to itself and answers after close', async () => {
    const p = pool()
    expect(await p.verify('prints', {}, '', 'final')).toEqual({ kind: 'pass', complete: false })
    await p.close()
    expect(await p.verify('good', {}, '', 'final')).toMatchObject({ kind: 'unknown' })
    expect(p.threads).toBe(0)
  })

  it('does not keep a process alive that is done', () => {
    const script = `
      import { sharedPool } from ${JSON.stringify(pathToFileURL(built('verify/pool.js')).href)}
      const verdict = await sharedPool().verify('chain', { start: 1, steps: ['+1'] }, '2', 'final')
      console.log(verdict.kind)`
    const done = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      timeout: 30_000,
    })
    expect([done.status, done.stdout.trim()]).toEqual([0, 'pass'])
  }, 40_000)
})
