import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packageRoot } from '../../src/base/paths.ts'
import { random } from '../../src/base/random.ts'
import { type BenchInput, parseConfig } from '../../src/bench/config.ts'
import { runBench } from '../../src/bench/run.ts'
import { bundleChild } from './bundle.ts'
import { fakeEngine, fakeParts } from './fake.ts'
import { ended, freePort, redisServer, startRedis } from './redis.ts'

if (!redisServer) console.warn('SKIPPED: the queue tests need redis-server (apt install redis-server)')

describe.skipIf(!redisServer)('a bench over Redis', () => {
  let root: string
  let script: string
  let port: number
  let redis: ChildProcess
  const workers: ChildProcess[] = []
  const parts = fakeParts(() => fakeEngine())

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'rein-queue-'))
    script = await bundleChild('test/bench/worker-child.ts')
    port = await freePort()
    redis = await startRedis(port)
  })
  afterAll(async () => {
    for (const child of [...workers, redis]) child?.kill('SIGKILL')
    rmSync(root, { recursive: true, force: true })
  })

  const startWorker = (delay = '6'): ChildProcess => {
    const child = spawn(process.execPath, [script, `redis://127.0.0.1:${port}`, delay], {
      cwd: packageRoot,
      stdio: 'ignore',
    })
    workers.push(child)
    return child
  }
  const config = (name: string, more: Partial<BenchInput> = {}) =>
    parseConfig({
      tasks: ['sums'],
      methods: ['cot', 'best:k=3'],
      seeds: [1, 2],
      limit: 60,
      out: join(root, name),
      ...more,
    })
  const queue = () => `redis://127.0.0.1:${port}`
  const text = (name: string) => readFileSync(join(root, name, 'results.jsonl'), 'utf8')

  it('workers killed at random and Redis gone and back, empty: the results are those of a calm run, each row once', async () => {
    await runBench(config('calm'), parts)
    const rng = random(Date.now() % 100_000)
    let rows = 0
    let over = false
    const bench = runBench(config('queued', { queue: queue() }), parts, { onRow: () => void rows++ }).finally(() => {
      over = true
    })
    const alive = [startWorker(), startWorker(), startWorker()]
    let kills = 0
    let restarts = 0
    while (!over) {
      await Promise.race([bench, sleep(rng.int(300, 900))])
      if (over) break
      if (kills < 6 && rows > 0) {
        const at = rng.int(0, alive.length - 1)
        alive[at]!.kill('SIGKILL')
        alive[at] = startWorker()
        kills++
      }
      if (kills === 3 && restarts === 0) {
        redis.kill('SIGKILL')
        await ended(redis)
        await sleep(700)
        redis = await startRedis(port)
        restarts++
      }
    }
    const result = await bench
    expect(kills).toBeGreaterThanOrEqual(3)
    expect(restarts).toBe(1)
    expect(result.done).toBe(240)
    expect(rows).toBe(240)
    expect(text('queued')).toBe(text('calm'))
    for (const child of alive) child.kill('SIGTERM')
    await Promise.all(alive.map(ended))
  }, 90_000)

  it('a bench that was stopped goes on with what its workers have done meanwhile', async () => {
    const stop = new AbortController()
    let rows = 0
    const c = config('stopped', { queue: queue() })
    const worker = startWorker('2')
    const first = await runBench(c, parts, { signal: stop.signal, onRow: () => ++rows === 40 && stop.abort() })
    expect(first.done).toBeGreaterThanOrEqual(40)
    expect(first.done).toBeLessThan(240)
    expect((await runBench(c, parts)).done).toBe(240)
    expect(text('stopped')).toBe(text('calm'))
    worker.kill('SIGTERM')
    await ended(worker)
  }, 60_000)

  it('says once that no worker takes the runs, and goes on when one does', async () => {
    const notes: string[] = []
    let worker: ChildProcess | undefined
    const result = await runBench(config('alone', { queue: queue() }), parts, {
      onNote(text) {
        notes.push(text)
        worker = startWorker('1')
      },
    })
    expect(notes).toEqual([`no worker takes the runs yet: start one with "rein worker ${queue()}"`])
    expect(result.done).toBe(240)
    worker?.kill('SIGTERM')
    await ended(worker!)
  }, 60_000)

  it('an address where no Redis is says so in one line', async () => {
    const nobody = await freePort()
    const c = config('nowhere', { queue: `redis://127.0.0.1:${nobody}` })
    await expect(runBench(c, parts)).rejects.toThrow(/^cannot reach Redis at redis:\/\/127\.0\.0\.1:\d+: /)
    await expect(runBench(config('wrong', { queue: 'localhost' }), parts)).rejects.toThrow(/not a Redis address/)
  })
})
