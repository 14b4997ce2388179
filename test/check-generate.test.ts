import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { build } from '../scripts/build.js'
import { packageRoot } from '../src/base/paths.ts'

const rein = (args: string[], input = '') => {
  const done = spawnSync(process.execPath, [join(packageRoot, 'bin', 'rein.js'), ...args], {
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  const rows = done.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  return { code: done.status, rows, error: done.stderr.trim() }
}
const row = (output: string, phase = 'final', instance: unknown = { numbers: [4, 7, 8, 8] }): string =>
  JSON.stringify({ instance, output, phase })

beforeAll(() => build(), 120_000)

describe('rein check', () => {
  it('gives one verdict a row, in order', () => {
    const outputs = ['</think>\n\\boxed{(7-8/8)*4}', '\\boxed{4+7+8+8}', '\\boxed{none}', '\\boxed{(4*7*8*8}']
    const { code, rows, error } = rein(['check', 'game24'], outputs.map((o) => row(o)).join('\n'))
    expect([code, error]).toEqual([0, ''])
    expect(rows.map((r) => r.verdict)).toEqual(['pass', 'fail', 'unknown', 'unknown'])
    expect(rows[0]).toEqual({
      verdict: 'pass',
      complete: true,
      answer: '(7-8/8)*4',
      feedback: null,
      ms: expect.any(Number),
    })
    expect(rows[1]).toMatchObject({ complete: false, answer: '4+7+8+8', feedback: 'it gives 27, not 24' })
    expect(rows[2]).toMatchObject({ answer: null, feedback: null })
  })

  it('takes a fork’s text or a bare answer as partial', () => {
    const partial = [row('7-8/8}', 'partial'), row('7-8/8', 'partial', '4 7 8 8'), row('none yet}', 'partial')]
    const { rows } = rein(['check', 'game24'], partial.join('\n'))
    expect(rows.map((r) => [r.verdict, r.complete])).toEqual([
      ['pass', false],
      ['pass', false],
      ['unknown', false],
    ])
  })

  it('keeps order over thousands of rows', () => {
    const input = Array.from({ length: 3000 }, (_, i) => row(`\\boxed{${i}}`, 'final', { answer: '7' })).join('\n')
    const { rows } = rein(['check', 'gsm8k'], input)
    expect(rows).toHaveLength(3000)
    expect(rows.map((r) => r.answer)).toEqual(Array.from({ length: 3000 }, (_, i) => String(i)))
    expect(rows.filter((r) => r.verdict === 'pass')).toHaveLength(1)
  })

  it.each([
    ['not JSON', 'oops', 'row 2'],
    ['not an object', '[1]', 'row 2'],
    ['no instance', '{"output":"x","phase":"final"}', '"instance"'],
    ['no output', '{"instance":"4 7 8 8","phase":"final"}', '"output"'],
    ['no phase', '{"instance":"4 7 8 8","output":"x"}', '"phase"'],
    ['a wrong phase', '{"instance":"4 7 8 8","output":"x","phase":"middle"}', '"phase"'],
    ['an output that is no text', '{"instance":"4 7 8 8","output":7,"phase":"final"}', '"output"'],
    ['numbers of another type', '{"instance":{"numbers":"x"},"output":"x","phase":"final"}', '"numbers"'],
    ['numbers missing', '{"instance":{},"output":"x","phase":"final"}', '"numbers"'],
  ])('%s: one line that names row and field, exit 2, the rows before stay', (_name, bad, names) => {
    const { code, rows, error } = rein(['check', 'game24'], [row('\\boxed{(7-8/8)*4}'), bad, row('x')].join('\n'))
    expect(code).toBe(2)
    expect(rows).toHaveLength(1)
    expect(error.split('\n')).toHaveLength(1)
    expect(error).toContain('row 2')
    expect(error).toContain(names)
  })

  it('refuses an unknown task and lists those there are', () => {
    const { code, rows, error } = rein(['check', 'chess'], row('x'))
    expect([code, rows.length]).toEqual([2, 0])
    expect(error).toMatch(/no task "chess".*game24/)
  })

  it('bears a line of a megabyte, null bytes and an empty input', () => {
    const noise = [`\\boxed{${'('.repeat(1_000_000)}}`, '\u0000\\boxed{\u0000}', '\ud800']
    const { code, rows } = rein(['check', 'game24'], noise.map((o) => row(o)).join('\n'))
    expect(code).toBe(0)
    expect(rows.every((r) => r.verdict === 'unknown' || r.verdict === 'fail')).toBe(true)
    expect(rein(['check', 'game24'], '')).toMatchObject({ code: 0, rows: [] })
  })
})

describe('rein generate', () => {
  it.each(['game24', 'chain', 'ruler', 'ruler-cwe', 'ruler-fwe'])('%s: the same for the same seed', (task) => {
    const three = rein(['generate', task, '-n', '3', '--seed', '7']).rows
    expect(three).toHaveLength(3)
    expect(rein(['generate', task, '-n', '2', '--seed', '7']).rows).toEqual(three.slice(0, 2))
    expect(rein(['generate', task, '-n', '3', '--seed', '8']).rows).not.toEqual(three)
  })

  it('takes a size and further options', () => {
    expect(rein(['generate', 'chain', '-n', '1', '--seed', '1', '--size', '200']).rows[0].steps).toHaveLength(200)
    expect(rein(['generate', 'ruler', '-n', '1', '--set', 'kind=fwe']).rows[0].kind).toBe('fwe')
    expect(rein(['generate', 'game24', '-n', '1', '--size', '5', '--set', 'target=36']).rows[0].numbers).toHaveLength(5)
  })

  it.each([
    [['generate', 'chess'], 'no task "chess"'],
    [['generate', 'gsm8k'], 'no generator'],
    [['generate', 'game24', '-n', 'x'], 'positive integer'],
    [['generate', 'game24', '--size', '0'], 'positive integer'],
    [['generate', 'game24', '--size', '99'], 'size'],
    [['generate', 'game24', '--set', 'target'], 'key=value'],
    [['generate'], 'task'],
  ])('%j: one line, exit 2, nothing written', (args, message) => {
    const { code, rows, error } = rein(args)
    expect([code, rows.length]).toEqual([2, 0])
    expect(error).toContain(message)
    expect(error.split('\n')).toHaveLength(1)
  })
})
