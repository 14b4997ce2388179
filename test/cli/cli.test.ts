import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packageRoot } from '../../src/base/paths.ts'
import { type ScriptedServer, scriptedServer } from '../engine/scripted-server.ts'

/** The command line through its public door: the launcher, with exit codes and one-line errors. */
const dir = mkdtempSync(join(tmpdir(), 'rein-cli-'))
let server: ScriptedServer
beforeAll(async () => {
  server = await scriptedServer({ dialect: 'vllm', lasting: 30 })
})
afterAll(async () => {
  await server.close()
  rmSync(dir, { recursive: true })
})

function rein(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [join(packageRoot, 'bin', 'rein.js'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let err = ''
  child.stdout.on('data', (data) => (out += data))
  child.stderr.on('data', (data) => (err += data))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })))
}

describe('a user’s mistake is one line and exit 2', () => {
  const cases: [string, string[], RegExp][] = [
    ['an unknown command', ['sovle'], /there is no command "sovle"; there are: .*solve/],
    ['an unknown flag', ['solve', 'game24', '1 2 3 4', '--fast'], /unknown option '--fast'/],
    ['an unknown task', ['solve', 'game42', '1 2 3 4'], /there is no task "game42"; there are: game24/],
    [
      'an unknown method',
      ['solve', 'game24', '1 2 3 4', '--method', 'magic'],
      /there is no method "magic"; there are: cot/,
    ],
    [
      'an unknown parameter',
      ['solve', 'game24', '1 2 3 4', '--method', 'interwhen:q=1'],
      /interwhen has no parameter "q"/,
    ],
    ['an unknown engine', ['solve', 'game24', '1 2 3 4', '--engine', 'magic'], /there is no engine "magic"/],
    ['an instance that is none', ['solve', 'game24', '{"numbers":"x"}'], /numbers/],
    ['JSON that is none', ['solve', 'game24', '{"numbers":'], /begins like JSON but is not/],
    ['no instance', ['solve', 'game24'], /give an instance of game24/],
    ['a number that is none', ['solve', 'game24', '1 2 3 4', '--seed', 'x'], /--seed wants a number/],
    ['a missing log', ['replay', join(dir, 'none.jsonl')], /cannot read the log/],
    [
      'a calibration of a task that cannot be',
      ['calibrate', '--task', 'gsm8k'],
      /cannot tell where a chain of thought collapses/,
    ],
  ]
  test.each(cases)('%s', async (_, args, message) => {
    const { code, out, err } = await rein(...args)
    expect(err).toMatch(message)
    expect(err.trim().split('\n')).toHaveLength(1)
    expect({ code, out }).toEqual({ code: 2, out: '' })
  })

  test('a server that is not there is a failure, exit 1', async () => {
    const { code, err } = await rein('solve', 'game24', '1 2 3 4', '--engine', 'vllm:http://127.0.0.1:9')
    expect(err).toMatch(/cannot be reached/)
    expect(err.trim().split('\n')).toHaveLength(1)
    expect(code).toBe(1)
  })

  test('a foreign file as a log', async () => {
    const path = join(dir, 'foreign.jsonl')
    writeFileSync(path, '{"hello":"world"}\n')
    const { code, err } = await rein('replay', path)
    expect({ code, err: /not a rein log/.test(err) }).toEqual({ code: 2, err: true })
  })
})

test('help and version', async () => {
  expect((await rein('--help')).out).toMatch(/rein solve/)
  expect((await rein('solve', '--help')).out).toMatch(/--engine/)
  expect((await rein('--version')).out.trim()).toBe(
    JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')).version,
  )
})

describe('solve and replay', () => {
  test('a run on a server, its log, and the same result from the log alone', async () => {
    const log = join(dir, 'run.jsonl')
    const args = ['solve', 'game24', '4 7 8 8', '--engine', `vllm:${server.url}`, '--max-tokens', '200', '--seed', '3']
    const solved = await rein(...args, '--json', '--log', log)
    expect(solved.err).toBe('')
    const row = JSON.parse(solved.out)
    expect(row).toMatchObject({ task: 'game24', method: 'interwhen', seed: 3, tokensBy: expect.any(Object) })
    const replayed = await rein('replay', log, '--json')
    expect(JSON.parse(replayed.out)).toMatchObject({ status: row.status, ledger: row.ledger, tokens: row.tokens })

    const shown = await rein('replay', log)
    expect(shown.out).toMatch(/answer/)

    const again = await rein(...args, '--log', log)
    expect(again).toMatchObject({ code: 2, err: expect.stringMatching(/already there/) })
    expect(existsSync(log)).toBe(true)
  })

  test('a log that was cut off opens, and says so', async () => {
    const log = join(dir, 'cut.jsonl')
    await rein('solve', 'game24', '4 7 8 8', '--engine', `vllm:${server.url}`, '--json', '--log', log)
    truncateSync(log, readFileSync(log).length - 30)
    const { code, err } = await rein('replay', log, '--json')
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/the run was cut off/) })
  })
})
