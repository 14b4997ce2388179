import { spawn, spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packageRoot } from '../../src/base/paths.ts'
import { random } from '../../src/base/random.ts'
import { bundleChild } from './bundle.ts'

let root: string
let script: string
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'rein-resume-'))
  script = await bundleChild('test/bench/child.ts')
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const limit = '120'

describe('a bench that is killed', () => {
  it('after 50 random SIGKILLs has the results of an undisturbed run, row for row', async () => {
    const calm = join(root, 'calm')
    const done = spawnSync(process.execPath, [script, calm, limit, '0'], { cwd: packageRoot, encoding: 'utf8' })
    expect(done.stderr).toBe('')
    expect(done.status).toBe(0)

    const out = join(root, 'killed')
    const seed = Date.now() % 100_000
    const rng = random(seed)
    let kills = 0
    let finished = false
    const rows: number[] = []
    while (kills < 50) {
      const child = spawn(process.execPath, [script, out, limit, '24'], { cwd: packageRoot, stdio: 'ignore' })
      const ended = new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)))
      // every other one at any moment of the start, the rest while rows are being written
      const moment =
        kills % 2 === 0 ? sleep(rng.int(5, 400)) : nextRow(out, countRows(out)).then(() => sleep(rng.int(0, 60)))
      const winner = await Promise.race([ended, moment.then(() => 'time' as const)])
      if (winner !== 'time') {
        finished = winner === 0
        break
      }
      child.kill('SIGKILL')
      await ended
      kills++
      if (rng.chance(0.5)) tear(out)
      rows.push(countRows(out))
    }
    expect(finished, `the run ended before 50 kills (seed ${seed})`).toBe(false)
    expect(rows).toEqual([...rows].sort((a, b) => a - b))
    const last = spawnSync(process.execPath, [script, out, limit, '0'], { cwd: packageRoot, encoding: 'utf8' })
    expect(last.status).toBe(0)
    expect(readFileSync(join(out, 'results.jsonl'), 'utf8'), `seed ${seed}`).toBe(
      readFileSync(join(calm, 'results.jsonl'), 'utf8'),
    )
    expect(countRows(out)).toBe(Number(limit) * 4)
    expect(countLogs(out)).toEqual(countLogs(calm))
    expect(rows.at(-1)).toBeGreaterThan(0)
  }, 300_000)

  it('is left as it is when it is already done', () => {
    const calm = join(root, 'calm')
    const before = readFileSync(join(calm, 'timings.jsonl'), 'utf8')
    expect(spawnSync(process.execPath, [script, calm, limit, '0'], { cwd: packageRoot }).status).toBe(0)
    expect(readFileSync(join(calm, 'timings.jsonl'), 'utf8')).toBe(before)
  })
})

async function nextRow(out: string, before: number): Promise<void> {
  while (countRows(out) <= before) await sleep(10)
}

/** The end of a line that a kill cut short, as a slower disk would leave it. */
function tear(out: string): void {
  try {
    if (countRows(out) > 0) appendFileSync(join(out, 'results.jsonl'), '{"task":"sums","meth')
  } catch {}
}

function countRows(out: string): number {
  try {
    return readFileSync(join(out, 'results.jsonl'), 'utf8').split('\n').length - 1
  } catch {
    return 0
  }
}

function countLogs(out: string): string[] {
  return readdirSync(join(out, 'logs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
    .map((entry) => entry.name)
    .sort()
}
