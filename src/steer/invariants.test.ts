import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fakeEngine } from '../../test/fake-engine.ts'
import { hash32 } from '../base/random.ts'
import { EngineError } from '../engine/errors.ts'
import type { Event, Result } from '../trace/event.ts'
import { totalTokens } from '../trace/ledger.ts'
import { decodeEvent, encodeEvent, parseLog, replay } from '../trace/log.ts'
import type { Verdict } from '../trace/words.ts'
import type { AnyMonitor, Monitor, Policy } from './monitor.ts'
import { steer } from './steer.ts'
import { atWord, everyLines, everyTokens, finalAnswer } from './trigger.ts'
import { fail, pass, unknown } from './verdict.ts'

/** The nine invariants of the design. Each test is named after its invariant and fails where the invariant does. */

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))

function monitor(name: string, given: Partial<Monitor> = {}): AnyMonitor {
  return {
    name,
    when: everyLines(1),
    elicit: { suffix: 'So far: ', maxTokens: 4 },
    extract: (text) => text,
    verify: () => pass(),
    intervene: (verdict) =>
      verdict.kind === 'fail' ? { kind: 'rollback', feedback: verdict.feedback, voice: 'model' } : { kind: 'continue' },
    ...given,
  }
}

async function collect(
  engine: ReturnType<typeof fakeEngine>,
  monitors: AnyMonitor[],
  policy: Partial<Policy> = {},
): Promise<{ events: Event[]; result: Result }> {
  const events: Event[] = []
  const run = steer(engine, 'Q', monitors, policy)
  for await (const event of run) events.push(event)
  return { events, result: await run.result() }
}

/** A model that writes pseudo-random lines: what it says next depends on all that stands before it, and on the seed. */
const babbler = (lines = 12) =>
  fakeEngine({
    say: (text, { seed }) => {
      let out = ''
      let written = (text.split('<think>\n').at(-1) ?? '').split('\n').length - 1
      while (written++ < lines)
        out += `${'wait so the value is'.split(' ')[hash32(text + out + seed) % 5]} ${hash32(text + out) % 90}\n`
      return text.includes('</think>') ? `${hash32(text) % 90}` : `${out}</think>\n\n${hash32(text + out) % 90}`
    },
  })

const mainTokens = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === 'token' ? [event.token.id] : []))

describe('invariant 1, silence changes nothing:', () => {
  test('with any set of monitors that never fail, the tokens are those of the run without them', async () => {
    const triggers = [everyLines(1), everyLines(3), everyTokens(4), atWord(['wait']), finalAnswer()]
    await fc.assert(
      fc.asyncProperty(fc.subarray([0, 1, 2, 3, 4]), fc.boolean(), fc.nat(1000), async (chosen, sync, seed) => {
        const alone = await collect(babbler(), [], { sampling: { seed } })
        const watched = chosen.map((i) =>
          monitor(`m${i}`, { when: triggers[i]!, ...(i % 2 ? { verify: () => unknown('?') } : {}) }),
        )
        const together = await collect(babbler(), watched, { sync, sampling: { seed } })
        expect(mainTokens(together.events)).toEqual(mainTokens(alone.events))
        expect(together.result.text).toBe(alone.result.text)
        expect(together.result.ledger.discarded).toBe(0)
      }),
      { numRuns: 60 },
    )
  })
})

describe('invariant 2, fail closed:', () => {
  const answer = () => fakeEngine({ script: [{ after: '<think>\n', text: 'a\n</think>\n\n4' }] })
  const final = (verify: Monitor['verify']) =>
    monitor('final', { when: finalAnswer(), elicit: undefined as never, verify })

  test('only a passed final answer is verified, and it carries its proof', async () => {
    const { result } = await collect(answer(), [final(() => pass(true))])
    expect(result).toMatchObject({ status: 'verified', proof: [{ monitor: 'final', verdict: { kind: 'pass' } }] })
  })

  test.each<[string, AnyMonitor[], Partial<Policy>, string]>([
    ['no verifier', [], {}, 'unverified'],
    ['a verifier of the thinking only', [monitor('m')], {}, 'unverified'],
    ['an unknown verdict', [final(() => unknown('?'))], {}, 'unverified'],
    ['a verifier that throws', [final(() => Promise.reject(new Error('x')))], {}, 'unverified'],
    [
      'one of two that does not pass',
      [final(() => pass(true)), monitor('other', { when: finalAnswer(), verify: () => unknown('?') })],
      {},
      'unverified',
    ],
    ['the retry limit', [final(() => fail('no'))], { retries: 2 }, 'abstained'],
    ['the token limit', [final(() => pass(true))], { maxTokens: 2 }, 'truncated'],
  ])('%s never yields a verified answer', async (_, monitors, policy, status) => {
    expect((await collect(answer(), monitors, policy)).result.status).toBe(status)
  })

  test('an engine error at any token, in the main stream or in a fork, never yields a plain answer', async () => {
    for (let at = 0; at < 6; at++) {
      const engine = fakeEngine({
        script: [{ after: '<think>\n', text: 'a\n</think>\n\n4' }],
        fault: (_text, { purpose }, produced) => {
          if (purpose === 'main' && produced === at) throw new EngineError('broken', 'the server went away')
        },
      })
      const { result } = await collect(engine, [final(() => pass(true))])
      expect(result).toMatchObject({ status: 'failed', reason: 'the server went away' })
    }
    const forkFails = fakeEngine({
      script: [
        { after: '<think>\n', text: 'a\n</think>\n\n4' },
        { after: 'So far: ', text: 'four' },
      ],
      fault: (_text, { purpose }) => {
        if (purpose === 'fork') throw new EngineError('broken', 'the server went away')
      },
    })
    const { result } = await collect(forkFails, [monitor('final', { when: finalAnswer(), verify: () => pass(true) })])
    expect(result.status).toBe('unverified')
  })

  test('a stream that ends without saying why is a failure', async () => {
    const engine = {
      ...answer(),
      async *stream() {
        yield { id: 1, text: 'x' }
      },
    }
    expect((await collect(engine as never, [final(() => pass(true))])).result).toMatchObject({ status: 'failed' })
  })

  test('a pass is void once the text it was about is gone', async () => {
    let checks = 0
    const { result } = await collect(
      fakeEngine({
        say: (text) => (text.endsWith('no\n') ? '5' : text.endsWith('<think>\n') ? 'a\n</think>\n\n4' : ''),
      }),
      [
        final(() => (checks++ === 0 ? pass(true) : unknown('?'))),
        monitor('other', {
          when: finalAnswer(),
          elicit: undefined as never,
          verify: (z) => (z === '4' ? fail('no') : pass(true)),
        }),
      ],
    )
    expect(result.status).toBe('unverified')
  })
})

describe('invariant 3, token-exact:', () => {
  test('what is continued or forked is the very ids that were generated, never text tokenised again', async () => {
    const engine = babbler()
    const { stream } = engine
    const seen: (number[] | undefined)[] = []
    const generated = new Map<string, number>()
    engine.stream = async function* (prefix, options) {
      seen.push(prefix.ids())
      for await (const token of stream(prefix, options)) {
        // ids that no tokeniser would give for this text: only a trace that keeps ids can send them back
        const id = token.id === undefined ? undefined : 1_000_000 + ((token.id + prefix.length) % 1_000_000)
        if (options.purpose === 'main' && id !== undefined) generated.set(`${prefix.length + generated.size}`, id)
        yield id === undefined ? token : { ...token, id }
      }
    }
    let failed = false
    const once = monitor('m', {
      verify: () => {
        if (failed) return pass()
        failed = true
        return fail('no')
      },
    })
    await collect(engine, [once], { sync: true })
    const ids = new Set(generated.values())
    expect(seen.length).toBeGreaterThan(3)
    for (const prefix of seen.slice(1)) expect(prefix!.some((id) => ids.has(id))).toBe(true)
  })
})

describe('invariant 4, one bill:', () => {
  test('every token that any stream yielded is counted once, the thrown-away ones too', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(7), fc.boolean(), fc.nat(1000), async (failing, sync, seed) => {
        const engine = babbler()
        const { stream } = engine
        let yielded = 0
        engine.stream = async function* (prefix, options) {
          for await (const token of stream(prefix, options)) {
            yielded += token.count ?? 1
            yield token
          }
        }
        let look = 0
        const m = monitor('m', { verify: () => (look++ === failing ? fail('no') : pass()) })
        const { result } = await collect(engine, [m], { sync, sampling: { seed } })
        const { ledger } = result
        expect(totalTokens(ledger)).toBe(yielded)
        expect(result.tokens).toBe(yielded)
        if (failing < 5 && !sync) expect(ledger.discarded).toBeGreaterThanOrEqual(0)
      }),
      { numRuns: 40 },
    )
  })
})

describe('invariant 5, trace order:', () => {
  test('verdicts that come back in any order lead to the same outcome', async () => {
    const outcome = async (delays: readonly number[], failing: readonly boolean[]) => {
      let look = 0
      const judged = new Map<number, number>()
      const m = monitor('m', {
        verify: async (_z, view) => {
          // the n-th fork point of this stretch, whatever came back before
          const n = judged.get(view.at) ?? look++
          judged.set(view.at, n)
          const lines = view.trace.written.split('\n').length
          await pause(delays[lines % delays.length]!)
          return failing[lines % failing.length] && view.retries < 2 ? fail(`line ${lines} is wrong`) : pass()
        },
      })
      const { result, events } = await collect(babbler(), [m], { retries: 2 })
      const steps = events.flatMap((e) =>
        e.type === 'intervention' ? [`${e.to}:${JSON.stringify(e.intervention)}`] : [],
      )
      return { steps, thinking: result.thinking, text: result.text, retries: result.retries }
    }
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { minLength: 3, maxLength: 6 }),
        fc.array(fc.nat(12), { minLength: 3, maxLength: 7 }),
        async (failing, delays) => {
          expect(await outcome(delays, failing)).toEqual(await outcome([0], failing))
        },
      ),
      { numRuns: 25 },
    )
  })

  test('an earlier error wins over a later one that came back first, and the later fork is cancelled', async () => {
    const engine = fakeEngine({
      script: [
        { after: '<think>\n', text: 'one\ntwo\nthree\n' },
        { after: 'no\n', text: '</think>\n\n4' },
      ],
      delay: () => 2,
    })
    const m = monitor('m', {
      elicit: undefined as never,
      verify: async (z) => {
        await pause(z.endsWith('one\n') ? 30 : 0)
        return z.includes('no\n') ? pass() : fail('no')
      },
    })
    const { result, events } = await collect(engine, [m])
    expect(result.thinking).toBe('one\nno')
    expect(events.filter((e) => e.type === 'cancelled').length).toBeGreaterThan(0)
  })

  test('a fork never blocks the main stream', async () => {
    const engine = fakeEngine({
      script: [
        { after: '<think>\n', text: 'one\ntwo\nthree\n</think>\n\n4' },
        { after: 'So far: ', text: 'four' },
      ],
      delay: ({ purpose }) => (purpose === 'fork' ? 40 : 0),
    })
    const { events } = await collect(engine, [monitor('m')])
    const firstVerdict = events.findIndex((e) => e.type === 'verdict')
    expect(events.slice(0, firstVerdict).filter((e) => e.type === 'token').length).toBeGreaterThan(6)
  })
})

describe('invariant 6, everything is an event:', () => {
  test('any run replays from its log to the identical result, and any part of the log opens', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(6), fc.boolean(), fc.nat(1000), async (failing, conclude, seed) => {
        let look = 0
        const m = monitor('m', {
          verify: () => (look++ === failing ? fail('no') : pass(look > 8)),
          intervene: (v) =>
            v.kind === 'fail'
              ? { kind: 'rollback', feedback: v.feedback, voice: look % 2 ? 'model' : 'user' }
              : v.kind === 'pass' && v.complete && conclude
                ? { kind: 'conclude', text: 'Done.' }
                : { kind: 'continue' },
        })
        const final = monitor('final', {
          when: finalAnswer(),
          elicit: undefined as never,
          verify: (z) => (Number(z) % 2 ? pass(true) : unknown('?')),
        })
        const { events, result } = await collect(babbler(), [m, final], { sampling: { seed } })
        const stored = events.map(encodeEvent)
        expect(replay(stored.map(decodeEvent))).toEqual(result)
        const file = `{"rein":"log","version":1}\n${stored.join('\n')}\n`
        for (let i = 0; i < 50; i++) {
          const cut = hash32(`${seed}/${i}`) % file.length
          expect(() => parseLog(file.slice(0, cut))).not.toThrow()
        }
      }),
      { numRuns: 30 },
    )
  })
})

describe('invariant 7, feedback tells what is wrong, never the answer:', () => {
  test('the loop adds nothing of its own to a monitor’s words', async () => {
    const { events } = await collect(
      fakeEngine({
        script: [
          { after: '<think>\n', text: 'five\n</think>\n\n5' },
          { after: 'Not five.\n', text: 'four\n</think>\n\n4' },
        ],
      }),
      [
        monitor('m', {
          elicit: undefined as never,
          verify: (z) => (z.endsWith('five\n') ? fail('Not five.') : pass()),
        }),
      ],
    )
    const injected = events.flatMap((e) =>
      e.type === 'inject' && e.origin === 'feedback' ? [e.tokens.map((t) => t.text).join('')] : [],
    )
    expect(injected).toEqual(['Not five.\n'])
  })
})

describe('invariant 8, nothing model-written is trusted:', () => {
  test('a verifier that does not come back is unknown when its time is up, and hears of it', async () => {
    let told = false
    const stuck = monitor('final', {
      when: finalAnswer(),
      elicit: undefined as never,
      timeoutMs: 30,
      verify: (_z, view) =>
        new Promise<Verdict>(() => {
          view.signal.addEventListener('abort', () => {
            told = true
          })
        }),
    })
    const { result, events } = await collect(fakeEngine({ script: [{ after: '<think>\n', text: 'a</think>4' }] }), [
      stuck,
    ])
    expect(result.status).toBe('unverified')
    expect(events.find((e) => e.type === 'verdict')).toMatchObject({
      verdict: { kind: 'unknown', reason: 'no verdict within 30 ms' },
    })
    expect(told).toBe(true)
  })
})

describe('invariant 9, abort arrives:', () => {
  test('cancelling a run stops the main stream and every fork at the engine', async () => {
    const engine = fakeEngine({ say: () => 'word\n'.repeat(10_000), delay: () => 2 })
    const run = steer(engine, 'Q', [monitor('m', { elicit: { suffix: 's', maxTokens: 5_000 } })])
    const result = run.result()
    await pause(60)
    run.abort('enough')
    expect(await result).toMatchObject({ status: 'failed', reason: 'enough' })
    expect(engine.requests.length).toBeGreaterThan(2)
    expect(engine.requests.filter((r) => r.state === 'running')).toEqual([])
    const produced = engine.requests.map((r) => r.tokens)
    await pause(30)
    expect(engine.requests.map((r) => r.tokens)).toEqual(produced)
  })

  test('so does the caller’s signal, also before the first token', async () => {
    const engine = fakeEngine({ say: () => 'word\n'.repeat(10_000), delay: () => 2 })
    const stop = new AbortController()
    stop.abort(new Error('changed my mind'))
    const result = await steer(engine, 'Q', [], {}, { signal: stop.signal }).result()
    expect(result).toMatchObject({ status: 'failed', reason: 'changed my mind' })
  })

  test('a roll-back stops the forks of the text it withdraws', async () => {
    const engine = fakeEngine({
      script: [
        { after: '<think>\n', text: 'one\ntwo\nthree\nfour\n' },
        { after: 'no\n', text: '</think>\n\n4' },
      ],
      say: undefined as never,
      delay: ({ purpose }) => (purpose === 'fork' ? 30 : 3),
    })
    const slow = monitor('slow', { when: everyLines(2) })
    const quick = monitor('quick', {
      elicit: undefined as never,
      verify: async (z) => {
        await pause(10)
        return z.includes('no') ? pass() : fail('no')
      },
    })
    const { result, events } = await collect(engine, [slow, quick])
    expect(result.text).toBe('4')
    expect(engine.requests.filter((r) => r.state === 'running')).toEqual([])
    expect(events.at(-1)!.type).toBe('end')
  })
})
