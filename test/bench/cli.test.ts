import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { packageRoot } from '../../src/base/paths.ts'
import { parseConfig } from '../../src/bench/config.ts'
import { runBench } from '../../src/bench/run.ts'
import { command as bench } from '../../src/cli/bench.ts'
import { main } from '../../src/cli/main.ts'
import { command as worker } from '../../src/cli/worker.ts'
import { fakeEngine, fakeParts } from './fake.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'rein-bench-cli-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const bin = join(packageRoot, 'bin', 'rein.js')
const rein = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], { encoding: 'utf8', cwd: root })
  return { status, stdout, stderr }
}

/** The same without a process: what `bin/rein.js` calls. */
async function inProcess(...args: string[]) {
  let stdout = ''
  let stderr = ''
  const out = vi.spyOn(process.stdout, 'write').mockImplementation((text) => !!(stdout += text))
  const err = vi.spyOn(process.stderr, 'write').mockImplementation((text) => !!(stderr += text))
  try {
    const status = await main(args)
    return { status, stdout, stderr }
  } finally {
    out.mockRestore()
    err.mockRestore()
  }
}

describe('rein bench on the command line', () => {
  it.each([
    [
      'an unknown task',
      ['--tasks', 'chess', '--methods', 'cot', '--out', 'x'],
      /^rein bench: there is no task "chess"; there are: /,
    ],
    [
      'an unknown method',
      ['--tasks', 'game24', '--methods', 'magic', '--out', 'x'],
      /^rein bench: there is no method "magic"/,
    ],
    ['an unknown parameter', ['--tasks', 'game24', '--sweep', 'interwhen:q=1,2', '--out', 'x'], /no parameter "q"/],
    [
      'an unknown engine',
      ['--tasks', 'game24', '--methods', 'cot', '--engine', 'abacus', '--out', 'x'],
      /no engine "abacus"/,
    ],
    ['an unknown flag', ['--task', 'game24'], /unknown option '--task'/],
    ['a missing flag', ['--methods', 'cot', '--out', 'x'], /--tasks is missing/],
    ['a config that is not there', ['absent.json'], /cannot read the config absent\.json/],
    ['a folder without a run', ['--report', 'absent'], /absent is not the output folder of a bench/],
  ])('%s: one line, exit 2, nothing written', async (_, args, message) => {
    const { status, stdout, stderr } = await inProcess('bench', ...args)
    expect(stderr).toMatch(message)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(existsSync('x')).toBe(false)
  })

  it('an unknown field in a config file', async () => {
    const file = join(root, 'c.json')
    writeFileSync(file, JSON.stringify({ tasks: ['game24'], methods: ['cot'], out: 'x', sedes: [1] }))
    expect(await inProcess('bench', file)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^rein bench: .*c\.json: unknown field "sedes"; there are: .*\n$/),
    })
  })

  it('Ctrl-C ends it cleanly, and the same command goes on to the table and the report', async () => {
    const out = join(root, 'out')
    const args = [
      'bench',
      '--tasks',
      'spatialmap',
      '--methods',
      'cot',
      '--limit',
      '6',
      '--max-tokens',
      '400',
      '--out',
      out,
      '--concurrency',
      '1',
    ]
    const child = spawn(process.execPath, [bin, ...args], { cwd: root })
    let heard = ''
    child.stderr.on('data', (chunk) => {
      heard += chunk
      if (/^1\/6 runs/m.test(heard) && !heard.includes('stopping')) child.kill('SIGINT')
    })
    const code = await new Promise((resolve) => child.on('exit', resolve))
    expect(heard).toMatch(/stopped: \d of 6 runs are kept in .*; the same command goes on from there/)
    expect(code).toBe(130)
    const kept = readFileSync(join(out, 'results.jsonl'), 'utf8')
    const second = rein(...args)
    expect(second.stderr).toMatch(/going on: \d of 6 runs are already there/)
    expect(second.stdout).toMatch(/spatialmap\s+cot\s+6/)
    expect(second.status).toBe(0)
    const lines = readFileSync(join(out, 'results.jsonl'), 'utf8').trim().split('\n')
    expect(lines).toHaveLength(6)
    for (const line of kept.trim().split('\n')) expect(lines).toContain(line)
    for (const file of ['summary.json', 'report.html', 'tables.md', 'tables.tex'])
      expect(existsSync(join(out, file))).toBe(true)
    expect(JSON.parse(readFileSync(join(out, 'summary.json'), 'utf8')).rows[0]).toMatchObject({
      task: 'spatialmap',
      method: 'cot',
      n: 6,
      tokensPct: 100,
    })
  }, 120_000)

  it('puts the tables of several folders beside each other', async () => {
    const dirs = ['small', 'large'].map((model) => join(root, model))
    for (const out of dirs) {
      const config = parseConfig({ tasks: ['sums'], methods: ['cot', 'best'], limit: 5, logs: 'none', out })
      await runBench(
        config,
        fakeParts(() => fakeEngine({ model: basename(out) })),
      )
    }
    const { status, stdout } = await inProcess('bench', '--report', dirs.join(','))
    expect(stdout).toContain('| Dataset | Metric | small CoT | small best | large CoT | large best |')
    expect(status).toBe(0)
  })

  it('a dry run says what it would cost and writes nothing', () => {
    const { status, stdout } = rein(
      'bench',
      '--tasks',
      'spatialmap',
      '--methods',
      'cot',
      '--limit',
      '50',
      '--max-tokens',
      '300',
      '--dry-run',
    )
    expect(stdout).toMatch(
      /spatialmap × cot: 50 runs of about \d+ tokens and [\d.]+ s\nin all 50 runs, about [\d,]+ tokens, /,
    )
    expect(status).toBe(0)
  }, 60_000)
})

describe('docs/bench.md', () => {
  const text = readFileSync(join(packageRoot, 'docs', 'bench.md'), 'utf8')
  it('has a config that is right', () => {
    const [, json] = /```json\n([\s\S]*?)```/.exec(text)!
    expect(parseConfig(JSON.parse(json!)).limit).toBe(100)
  })

  it('has commands whose flags exist', () => {
    const lines = [...text.matchAll(/^rein (bench|worker) (.*)$/gm)]
    expect(lines.length).toBeGreaterThanOrEqual(5)
    for (const [, name, rest] of lines) {
      const args = rest!
        .replace(/#.*/, '')
        .trim()
        .split(/\s+/)
        .map((word) => word.replaceAll('"', ''))
      const { unknown } = (name === 'bench' ? bench() : worker()).parseOptions(args)
      expect(unknown).toEqual([])
    }
  })
})
