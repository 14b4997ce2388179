import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
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
  // also after a test that failed: a worker left over would take the next test's runs
  afterEach(async () => {
    for (const child of workers) child.kill('SIGTERM')
    await Promise.all(workers.splice(0).map(ended))
  })
  afterAll(async () => {
    redis?.kill('SIGKILL')
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
    const alive = [startWorker(), startWorker(), startWorker()]
    // at drawn rows, not at drawn times: a machine of any speed gets all of the trouble while there is work left
    const killAt = new Set(rng.shuffle(Array.from({ length: 120 }, (_, i) => i + 1)).slice(0, 6))
    const redisGoesAt = rng.int(20, 100)
    let rows = 0
    let redisBack: Promise<void> | undefined
    const result = await runBench(config('queued', { queue: queue() }), parts, {
      onRow() {
        rows++
        if (killAt.has(rows)) {
          const at = rng.int(0, alive.length - 1)
          alive[at]!.kill('SIGKILL')
          alive[at] = startWorker()
        }
        if (rows === redisGoesAt) {
          redis.kill('SIGKILL')
          redisBack = ended(redis)
            .then(() => sleep(700))
            .then(async () => {
              redis = await startRedis(port)
              // a worker that was just starting finds nobody there and ends
              for (const [at, worker] of alive.entries()) if (worker.exitCode !== null) alive[at] = startWorker()
            })
        }
      },
    })
    await redisBack
    expect(result.done).toBe(240)
    expect(rows).toBe(240)
    expect(text('queued')).toBe(text('calm'))
  }, 90_000)

  it('a bench that was stopped goes on with what its workers have done meanwhile', async () => {
    const stop = new AbortController()
    let rows = 0
    const c = config('stopped', { queue: queue() })
    startWorker()
    const first = await runBench(c, parts, { signal: stop.signal, onRow: () => ++rows === 40 && stop.abort() })
    expect(first.done).toBeGreaterThanOrEqual(40)
    expect(first.done).toBeLessThan(240)
    expect((await runBench(c, parts)).done).toBe(240)
    expect(text('stopped')).toBe(text('calm'))
  }, 60_000)

  it('says once that no worker takes the runs, and goes on when one does', async () => {
    const notes: string[] = []
    const result = await runBench(config('alone', { queue: queue() }), parts, {
      onNote(text) {
        notes.push(text)
        startWorker('1')
      },
    })
    expect(notes).toEqual([`no worker takes the runs yet: start one with "rein worker ${queue()}"`])
    expect(result.done).toBe(240)
  }, 60_000)

  it('an address where no Redis is says so in one line', async () => {
    const nobody = await freePort()
    const c = config('nowhere', { queue: `redis://127.0.0.1:${nobody}` })
    await expect(runBench(c, parts)).rejects.toThrow(/^cannot reach Redis at redis:\/\/127\.0\.0\.1:\d+: /)
    await expect(runBench(config('wrong', { queue: 'localhost' }), parts)).rejects.toThrow(/not a Redis address/)
  })
})
