import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BenchInput, parseConfig, readConfig } from '../../src/bench/config.ts'
import { runBench } from '../../src/bench/run.ts'
import { logPath, readResults } from '../../src/bench/store.ts'
import { summarise } from '../../src/bench/summary.ts'
import { EngineError } from '../../src/engine/errors.ts'
import { isHeldOut } from '../../src/tasks/held-out.ts'
import { readLog } from '../../src/trace/log.ts'
import { type FakeEngineOptions, fakeEngine, fakeParts } from './fake.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'rein-bench-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

let folder = 0
const config = (more: Partial<BenchInput> = {}) =>
  parseConfig({ tasks: ['sums'], methods: ['cot', 'best'], limit: 10, out: join(root, String(++folder)), ...more })
const parts = (options: FakeEngineOptions = {}) => fakeParts(() => fakeEngine(options))
const text = (dir: string, name = 'results.jsonl') => readFileSync(join(dir, name), 'utf8')

describe('a bench', () => {
  it('writes a row a run, in a fixed order, with its log and its timing', async () => {
    const c = config({ seeds: [1, 2] })
    const result = await runBench(c, parts())
    expect(result).toMatchObject({ total: 40, done: 40, made: 40 })
    const { rows, timings } = readResults(c.out)
    expect(rows).toHaveLength(40)
    expect(timings).toHaveLength(40)
    expect(rows.map((row) => `${row.method}/${row.seed}`)).toEqual(
      ['cot/1', 'cot/2', 'best/1', 'best/2'].flatMap((cell) => Array<string>(10).fill(cell)),
    )
    for (const row of rows) {
      expect(row.tokens).toBe(Object.values(row.tokensBy).reduce((a, b) => a + b))
      expect(readLog(join(c.out, logPath(row, 0))).complete).toBe(true)
    }
    const checks = rows.flatMap((row) => row.checks ?? [])
    expect(checks.length).toBe(40)
    expect(checks.every((check) => check.passWrong === 0 && check.failRight === 0)).toBe(true)
  })

  it('gives the same file whatever the concurrency and however many engines', async () => {
    const one = config({ concurrency: 1 })
    await runBench(one, parts())
    const many = config({ concurrency: 7, engine: ['a', 'b', 'c'] })
    const used = new Set<string>()
    await runBench(
      many,
      fakeParts((name) => fakeEngine({ name, delayMs: 1, onStream: () => used.add(name) })),
    )
    expect(text(many.out)).toBe(text(one.out))
    expect(used.size).toBe(3)
  })

  it("keeps all streams of a run on the run's own engine", async () => {
    const seen = new Map<string, Set<string>>()
    const world = fakeParts((name) =>
      fakeEngine({
        name,
        delayMs: 1,
        onStream: (prompt) => seen.set(prompt, (seen.get(prompt) ?? new Set()).add(name)),
      }),
    )
    await runBench(config({ methods: ['best:k=4'], engine: ['a', 'b'], limit: 30 }), world)
    expect([...seen.values()].every((engines) => engines.size === 1)).toBe(true)
  })

  it('refuses engines of different models', async () => {
    const world = fakeParts((name) => fakeEngine({ model: name }))
    await expect(runBench(config({ engine: 'a,b' }), world)).rejects.toThrow(/different models \(a and b\)/)
  })

  it('takes held-out instances only when the engine is nano', async () => {
    const c = config({ limit: 6 })
    await runBench(
      c,
      fakeParts(() => fakeEngine({ name: 'nano' })),
    )
    const { rows } = readResults(c.out)
    expect(rows.length).toBe(12)
    expect(rows.every((row) => isHeldOut(row.instance))).toBe(true)
  })

  it('stops cleanly on a signal and goes on from there', async () => {
    const calm = config({ limit: 30 })
    await runBench(calm, parts())
    const c = config({ limit: 30 })
    const stop = new AbortController()
    let rows = 0
    const first = await runBench(c, parts({ delayMs: 1 }), {
      signal: stop.signal,
      onRow: () => ++rows === 13 && stop.abort(),
    })
    expect(first.done).toBeGreaterThanOrEqual(13)
    expect(first.done).toBeLessThan(60)
    expect((await runBench(c, parts())).made).toBe(60 - first.done)
    expect(text(c.out)).toBe(text(calm.out))
  })
})

describe('what can go wrong', () => {
  const line = async (act: () => unknown): Promise<string> => {
    const error = await Promise.resolve()
      .then(act)
      .then(
        () => new Error('nothing was thrown'),
        (e: Error) => e,
      )
    expect(error.message).not.toContain('\n')
    return error.message
  }

  it('an unknown task, method, parameter or field is one line that names it', async () => {
    expect(await line(() => runBench(config({ tasks: ['chess'] }), parts()))).toBe(
      'there is no task "chess"; there are: sums, files',
    )
    expect(await line(() => runBench(config({ methods: ['magic'] }), parts()))).toContain('no method "magic"')
    expect(await line(() => runBench(config({ methods: ['best:q=1'] }), parts()))).toContain('no parameter "q"')
    expect(await line(() => config({ limt: 3 } as unknown as BenchInput))).toContain('unknown field "limt"')
    expect(await line(() => config({ sampling: { temp: 1 } } as unknown as BenchInput))).toContain('"sampling.temp"')
    expect(await line(() => config({ limit: -1 }))).toContain('field "limit"')
    expect(await line(() => parseConfig({ tasks: ['sums'], methods: ['cot'] }))).toContain('"out"')
    expect(await line(() => config({ methods: [] }))).toContain('no methods')
    expect(await line(() => runBench(config({ data: { chess: 'x.csv' } }), parts()))).toContain('data.chess')
    expect(await line(() => runBench(config({ recall: true }), parts()))).toContain('recall is for nano')
    expect(await line(() => config({ recall: true, async: true }))).toContain('not with async')
    expect(await line(() => config({ recall: true, queue: 'redis://x' }))).toContain('not with queue')
    expect(await line(() => readConfig(join(root, 'absent.json')))).toContain('cannot read the config')
    writeFileSync(join(root, 'bad.json'), '{"tasks": [')
    expect(await line(() => readConfig(join(root, 'bad.json')))).toContain('is not JSON')
    expect(await line(() => runBench(config({ tasks: ['files'] }), parts()))).toContain('--data files=FILE')
  })

  it('an output folder of another run, or of anything else, is refused and left as it is', async () => {
    const c = config()
    await runBench(c, parts())
    const before = text(c.out)
    expect(await line(() => runBench({ ...c, seeds: [2] }, parts()))).toContain('holds another run')
    expect(await line(() => runBench(c, parts({ model: 'other' })))).toContain('model fake-1')
    const later = parts()
    const method: typeof later.method = (spec) => {
      const given = later.method(spec)
      return { ...given, parameters: { ...given.parameters, newDefault: 2 } }
    }
    expect(await line(() => runBench(c, { ...later, method }))).toContain('holds another run')
    expect(text(c.out)).toBe(before)
    const foreign = join(root, 'foreign')
    mkdirSync(foreign)
    writeFileSync(join(foreign, 'thesis.tex'), 'x')
    expect(await line(() => runBench({ ...c, out: foreign }, parts()))).toContain('is not empty')
    expect(readdirSync(foreign)).toEqual(['thesis.tex'])
  })

  it('a folder that a living bench writes is not written by a second one', async () => {
    const c = config({ limit: 40 })
    const first = runBench(c, parts({ delayMs: 3 }))
    while (!existsSync(join(c.out, 'bench.lock'))) await new Promise((r) => setTimeout(r, 5))
    expect(await line(() => runBench(c, parts()))).toContain('in use by another bench')
    expect((await first).done).toBe(80)
  })

  it('an engine that goes away half-way: one line, and the run goes on from there', async () => {
    const calm = config({ limit: 25 })
    await runBench(calm, parts())
    const c = config({ limit: 25, concurrency: 3 })
    let left = 120
    const gate = (): void => {
      if (left-- <= 0) throw new EngineError('unreachable', 'connection refused')
    }
    const message = await line(() => runBench(c, parts({ gate }), { patience: [1] }))
    expect(message).toMatch(/the engine fake went away \(connection refused\): .* start the same command again/)
    const kept = readResults(c.out).rows
    expect(kept.length).toBeGreaterThan(5)
    expect(kept.length).toBeLessThan(50)
    expect(kept.every((row) => row.status !== 'failed')).toBe(true)
    await runBench(c, parts())
    expect(text(c.out)).toBe(text(calm.out))
  })

  it('one of two engines goes away: the other does the work', async () => {
    const calm = config({ limit: 25 })
    await runBench(calm, parts())
    const c = config({ limit: 25, engine: 'good,bad', concurrency: 2 })
    let left = 60
    const gate = (): void => {
      if (left-- <= 0) throw new EngineError('broken', 'reset')
    }
    const world = fakeParts((name) => fakeEngine({ name, delayMs: 1, ...(name === 'bad' && { gate }) }))
    expect((await runBench(c, world, { patience: [1] })).done).toBe(50)
    expect(text(c.out)).toBe(text(calm.out))
  })

  it('an instance that the engine cannot serve is a failed row, not the end', async () => {
    const c = config({ methods: ['brittle'], limit: 30 })
    await runBench(c, parts())
    const { rows } = readResults(c.out)
    const failed = rows.filter((row) => row.status === 'failed')
    expect(rows).toHaveLength(30)
    expect(failed.length).toBeGreaterThan(3)
    expect(failed.every((row) => row.correct === false && row.error === 'the prompt is too long for this model')).toBe(
      true,
    )
  })

  it('a full disk: one line, no torn row, and the run goes on when there is room', async () => {
    const calm = config({ limit: 25 })
    await runBench(calm, parts())
    const c = config({ limit: 25, logs: 'none' })
    let bytes = 4000
    const { writeSync } = await import('node:fs')
    const write = (fd: number, out: Uint8Array, at: number): number => {
      const room = Math.min(bytes, out.length - at)
      if (room <= 0) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
      bytes -= room
      return writeSync(fd, out, at, room)
    }
    expect(await line(() => runBench(c, parts(), { write }))).toMatch(/disk of .* is full: all finished runs are kept/)
    const partial = text(c.out)
    expect(partial.endsWith('\n')).toBe(true)
    expect(partial.split('\n').length).toBeGreaterThan(3)
    await runBench(c, parts())
    expect(text(c.out)).toBe(text(calm.out))
  })

  const small = join(tmpdir(), `rein-small-${process.pid}`)
  const mounted = (() => {
    if (process.getuid?.() !== 0) return false
    mkdirSync(small, { recursive: true })
    return spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', small]).status === 0
  })()
  afterAll(() => {
    if (mounted) spawnSync('umount', [small])
    rmSync(small, { recursive: true, force: true })
  })
  it.skipIf(!mounted)('a disk that is really full (64 kB; SKIPPED where no tmpfs can be mounted)', async () => {
    const out = join(small, 'out')
    const c = config({ limit: 60, out })
    expect(await line(() => runBench(c, parts()))).toMatch(/is full/)
    const kept = readResults(out).rows.length
    expect(kept).toBeGreaterThan(0)
    expect(spawnSync('mount', ['-o', 'remount,size=8m', small]).status).toBe(0)
    expect(await runBench(c, parts())).toMatchObject({ done: 120, made: 120 - kept })
  })
})

describe('the summary', () => {
  it('counts by hand', async () => {
    const c = config({ limit: 40, methods: ['cot'], sweep: ['best:k=3,5'] })
    await runBench(c, parts())
    const { manifest, rows, timings } = readResults(c.out)
    const summary = summarise({
      model: manifest.model,
      date: manifest.created,
      methods: manifest.methods,
      rows,
      timings,
    })
    const cot = summary.rows.find((row) => row.method === 'cot')!
    const best = summary.rows.find((row) => row.method === 'best:k=5')!
    const right = (method: string) => rows.filter((row) => row.method === method && row.correct).length
    expect(cot).toMatchObject({ n: 40, graded: 40, accuracy: right('cot') / 40, tokensPct: 100, vsCot: null })
    expect(best.accuracy).toBe(right('best:k=5') / 40)
    expect(best.tokensPct).toBeCloseTo((100 * best.tokens) / cot.tokens, 9)
    expect(best.vsCot!.gained - best.vsCot!.lost).toBe(right('best:k=5') - right('cot'))
    expect(best.tokensBy.judge).toBe(5)
    expect(best.verifier!.precision).toBe(1)
    expect(summary.sweeps).toMatchObject([{ task: 'sums', method: 'best', axes: ['k'] }])
    expect(summary.sweeps[0]!.points.map((p) => p.values[0])).toEqual([3, 5])
    expect(best.figures).toEqual({ k: 5 })
  })
})
