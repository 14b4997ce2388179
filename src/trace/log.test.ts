import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { InputError } from '../base/errors.ts'
import type { Event } from './event.ts'
import { createLog, decodeEvent, encodeEvent, parseLog, readLog, replay } from './log.ts'

const dir = mkdtempSync(join(tmpdir(), 'rein-log-'))
afterAll(() => rmSync(dir, { recursive: true }))

const events: Event[] = [
  {
    type: 'start',
    run: 'r',
    engine: 'e',
    model: 'm',
    prompt: 'Q',
    seed: 7,
    monitors: ['f'],
    verifiedBy: ['f'],
    policy: {},
  },
  { type: 'inject', origin: 'prompt', at: 0, tokens: [{ id: 1, text: 'Q' }] },
  { type: 'phase', at: 1, offset: 1, from: 1, phase: 'answer' },
  { type: 'request', purpose: 'main', id: 'r-0', prompt: 1 },
  {
    type: 'token',
    at: 1,
    token: { id: 2, text: 'fo', logprob: -0.5, attention: { mean: 1.5, heads: Float32Array.of(1, 2) } },
  },
  {
    type: 'token',
    at: 2,
    token: { id: 3, text: '', bytes: Uint8Array.of(0xc3), top: [{ text: 'é', logprob: -Infinity }] },
  },
  { type: 'token', at: 3, token: { id: 4, text: '', bytes: Uint8Array.of(0xa9) } },
  { type: 'check', check: 0, monitor: 'f', at: 4, epoch: 0, phase: 'answer', final: true },
  { type: 'verdict', check: 0, monitor: 'f', answer: 'foé', verdict: { kind: 'pass', complete: true }, ms: 1 },
  { type: 'end', status: 'verified', reason: 'passed f', ms: 5 },
]

function stored(): { path: string; text: string } {
  const path = join(dir, `${Math.floor(performance.now() * 1e6)}.jsonl`)
  const log = createLog(path)
  for (const event of events) log.write(event)
  log.close()
  return { path, text: readFileSync(path, 'utf8') }
}

describe('the event log', () => {
  test('reads back equal, binary fields too, and replays to the result', () => {
    const { path } = stored()
    expect(readLog(path)).toEqual({ events, torn: false, complete: true })
    expect(replay(readLog(path).events)).toMatchObject({ status: 'verified', text: 'foé', answer: 'foé', tokens: 3 })
  })

  test('opens at every byte at which the process may have been killed', () => {
    const bytes = Buffer.from(stored().text)
    let most = 0
    for (let cut = 0; cut <= bytes.length; cut++) {
      const { events: kept, complete } = parseLog(bytes.subarray(0, cut).toString('utf8'))
      expect(kept).toEqual(events.slice(0, kept.length))
      expect(kept.length).toBeGreaterThanOrEqual(most)
      expect(complete).toBe(kept.length === events.length)
      most = kept.length
    }
    expect(most).toBe(events.length)
  })

  test('never writes over a file that is there', () => {
    const { path } = stored()
    expect(() => createLog(path)).toThrow(/already there/)
    expect(() => createLog(join(dir, 'no', 'such', 'folder.jsonl'))).toThrow(InputError)
  })

  test.each([
    ['an empty object', '{}\n', /not a rein log/],
    ['another text', 'hello\nworld\n', /not a rein log/],
    ['a text without an end of line', 'hello', /not a rein log/],
    ['a later version', '{"rein":"log","version":99}\n', /version 99; this rein reads version 1/],
    ['a damaged line in the middle', '{"rein":"log","version":1}\n{"type":\n{}\n', /damaged at line 2/],
  ])('refuses %s in one line', (_, text, message) => {
    const path = join(dir, 'foreign.jsonl')
    writeFileSync(path, text)
    expect(() => readLog(path)).toThrow(message)
    expect(() => readLog(path)).toThrow(InputError)
  })

  test('a log that says verified with nothing to show for it does not replay', () => {
    const forged = events.filter((event) => event.type !== 'verdict')
    expect(() => replay(forged)).toThrow(/without the verdicts it needs/)
    expect(() => replay(events.slice(0, 5))).toThrow(/no end/)
  })

  test('any event survives the round trip', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.double(), fc.uint8Array(), (text, logprob, bytes) => {
        const event: Event = { type: 'token', at: 1, token: { id: 1, text, logprob, bytes } }
        expect(decodeEvent(encodeEvent(event))).toEqual(event)
      }),
    )
  })
})
