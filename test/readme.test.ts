import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageRoot } from '../src/base/paths.ts'

const readme = readFileSync(join(packageRoot, 'README.md'), 'utf8')

function node(args: string[], input = ''): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, args, { cwd: packageRoot, input, encoding: 'utf8', timeout: 60_000 })
}

describe('the README', () => {
  test('its library example is a file that runs on the embedded model', () => {
    const [, file, code] = /<!-- (\S+) -->\n```ts\n([\s\S]*?)```/.exec(readme)!
    expect(readFileSync(join(packageRoot, file!), 'utf8')).toBe(code)
    const { stdout, stderr, status } = node(['--import', 'tsx', file!])
    expect(stderr).toBe('')
    expect(stdout.trim().split('\n').at(-1)).toMatch(/^(verified|abstained) /)
    expect(status).toBe(0)
  })

  test('its check example passes', () => {
    const [, json] = /echo '(.+)' \| npx rein check game24/.exec(readme)!
    const { stdout } = node(['bin/rein.js', 'check', 'game24'], `${json!.replaceAll('\\\\', '\\\\')}\n`)
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'pass', complete: true, answer: '(7-8/8)*4' })
  })

  test('its solve example is verified on the embedded model', () => {
    const { stdout, status } = node(['bin/rein.js', 'solve', 'game24', '4 7 8 8', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ status: 'verified', correct: true })
    expect(status).toBe(0)
  })

  test.each([
    'README.md',
    'docs/monitors.md',
    'docs/halo.md',
    'docs/bench.md',
    'docs/engines.md',
    'docs/tasks.md',
    'model/README.md',
  ])('every file that %s links to is there', (page) => {
    const text = readFileSync(join(packageRoot, page), 'utf8')
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map((m) => m[1]!)
    const missing = links.filter((link) => !existsSync(join(packageRoot, dirname(page), link)))
    expect(missing).toEqual([])
  })
})
