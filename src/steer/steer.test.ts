import { describe, expect, test } from 'vitest'
import { type FakeOptions, fakeEngine } from '../../test/fake-engine.ts'
import type { Event, Result } from '../trace/event.ts'
import { replay } from '../trace/log.ts'
import type { Intervention, Verdict } from '../trace/words.ts'
import type { AnyMonitor, Monitor, Policy } from './monitor.ts'
import { type SteerOptions, steer } from './steer.ts'
import { endOfThinking, everyLines, everyTokens, finalAnswer } from './trigger.ts'
import { fail, pass, unknown } from './verdict.ts'

/** A monitor that reads the trace (or a fork) and says what the test wants. */
function monitor(given: Partial<Monitor> & { judge?: (z: string) => Verdict | Promise<Verdict> }): AnyMonitor {
  return {
    name: 'm',
    when: everyLines(1),
    extract: (text) => text,
    verify: (z) => given.judge?.(z) ?? pass(),
    intervene: (verdict): Intervention =>
      verdict.kind === 'fail' ? { kind: 'rollback', feedback: verdict.feedback, voice: 'model' } : { kind: 'continue' },
    ...given,
  }
}

const final = (judge: (z: string) => Verdict | Promise<Verdict>, more: Partial<Monitor> = {}): AnyMonitor =>
  monitor({ name: 'final', when: finalAnswer(), judge, ...more })

async function run(
  engine: FakeOptions | ReturnType<typeof fakeEngine>,
  monitors: AnyMonitor[] = [],
  policy: Partial<Policy> = {},
  options: SteerOptions = {},
): Promise<{ events: Event[]; result: Result }> {
  const events: Event[] = []
  const steered = steer('stream' in engine ? engine : fakeEngine(engine), 'Q', monitors, policy, options)
  for await (const event of steered) events.push(event)
  return { events, result: await steered.result() }
}

const kinds = (events: readonly Event[], type: Event['type']) => events.filter((event) => event.type === type)
const script = (text: string): FakeOptions => ({ script: [{ after: '<think>\n', text }] })

describe('phases', () => {
  test('thinking and answer are told apart, wherever the tag is cut', async () => {
    const { result } = await run(script('one\ntwo\n</think>\n\nfour'))
    expect(result).toMatchObject({ status: 'unverified', thinking: 'one\ntwo', text: 'four' })
  })

  test('a model that opens its own tag', async () => {
    const own = {
      markers: { thinkOpened: false },
      script: [{ after: '[assistant]', text: '<think>\nhm\n</think>\nyes' }],
    }
    expect((await run(own)).result).toMatchObject({ thinking: 'hm', text: 'yes' })
  })

  test('a tag quoted in an answer changes nothing', async () => {
    const { result } = await run(script('hm</think>the tag <think> opens it'))
    expect(result).toMatchObject({ thinking: 'hm', text: 'the tag <think> opens it' })
  })

  test('a model without tags only answers', async () => {
    const plain = {
      markers: { thinkOpen: '', thinkClose: '', thinkOpened: false },
      script: [{ after: '[assistant]', text: 'a\nb' }],
    }
    expect((await run(plain)).result).toMatchObject({ thinking: '', text: 'a\nb' })
  })
})

describe('interventions', () => {
  const wrong = { after: '<think>\n', text: 'x = 5\nso 5\n</think>\n\n5' }
  const right = { after: 'no, not 5\n', text: 'x = 4\n</think>\n\n4' }

  test('rollback drops the text after the fork point and goes on with feedback', async () => {
    const judge = (z: string) => (/x = 5\n$/.test(z) ? fail('no, not 5') : pass())
    const { result, events } = await run({ script: [wrong, right] }, [monitor({ judge })])
    expect(result).toMatchObject({ thinking: 'x = 5\nno, not 5\nx = 4', text: '4', retries: 1 })
    expect(kinds(events, 'intervention')).toHaveLength(1)
  })

  test('a refuted answer is thought over again from the end of the thinking', async () => {
    const { result } = await run({ script: [wrong, right] }, [
      final((z) => (z === '4' ? pass(true) : fail('no, not 5')), {
        intervene: (v) =>
          v.kind === 'fail'
            ? { kind: 'rollback', feedback: v.feedback, voice: 'model', to: 'thinking' }
            : { kind: 'continue' },
      }),
    ])
    expect(result).toMatchObject({
      status: 'verified',
      thinking: 'x = 5\nso 5\nno, not 5\nx = 4',
      text: '4',
      answer: '4',
    })
  })

  test('feedback as a turn of the user opens a new thinking', async () => {
    const { result, events } = await run(
      { say: (text) => (text.includes('[user]no') ? 'x = 4\n</think>\n\n4' : wrong.text) },
      [
        final((z) => (z === '4' ? pass(true) : fail('no')), {
          intervene: (v) =>
            v.kind === 'fail' ? { kind: 'rollback', feedback: 'no', voice: 'user' } : { kind: 'continue' },
        }),
      ],
    )
    expect(result).toMatchObject({ status: 'verified', text: '4', thinking: expect.stringMatching(/x = 4$/) })
    expect(kinds(events, 'inject').at(-1)).toMatchObject({ turn: { role: 'user', content: 'no' } })
  })

  test('conclude says it, closes the thinking and lets the model answer', async () => {
    const { result, events } = await run(
      {
        script: [
          { after: '<think>\n', text: 'a\nb\nc\nd\n</think>\n\nlong' },
          { after: 'Answer: ', text: '24' },
        ],
      },
      [monitor({ when: everyLines(2), intervene: () => ({ kind: 'conclude', text: 'That is it.' }) })],
      { answerPrefix: 'Answer: ' },
    )
    expect(result).toMatchObject({ thinking: 'a\nb\nThat is it.', text: 'Answer: 24' })
    expect(events.filter((e) => e.type === 'phase').map((e) => e.type === 'phase' && e.phase)).toEqual([
      'think',
      'answer',
    ])
  })

  test('rectify starts afresh from a new prompt', async () => {
    let done = false
    const { result } = await run(
      {
        script: [
          { after: 'Q\n[assistant]<think>\n', text: 'a\nb\nc\n' },
          { after: 'state 7', text: '\n</think>\n\n8' },
        ],
      },
      [
        monitor({
          intervene: () => {
            if (done) return { kind: 'continue' }
            done = true
            return { kind: 'rectify', prompt: 'go on', text: 'state 7', state: '7' }
          },
        }),
      ],
    )
    expect(result).toMatchObject({ rectifications: 1, text: '8', thinking: 'state 7' })
  })

  test('abstain ends the run', async () => {
    const { result } = await run(script('a\nb'), [
      monitor({ intervene: () => ({ kind: 'abstain', reason: 'no use' }) }),
    ])
    expect(result).toMatchObject({ status: 'abstained', reason: 'no use' })
  })

  test('monitors that fail at the same point speak together', async () => {
    const judge = (note: string) => (z: string) => (z.includes('ok') ? pass() : fail(note))
    const { events } = await run(
      {
        script: [
          { after: '<think>\n', text: 'a\nb\n' },
          { after: 'two\n', text: 'ok\n' },
        ],
      },
      [monitor({ name: 'a', judge: judge('one') }), monitor({ name: 'b', judge: judge('two') })],
    )
    expect(kinds(events, 'intervention')).toMatchObject([{ retry: 1, intervention: { feedback: 'one\ntwo' } }])
  })
})

describe('retries', () => {
  const again = {
    say: (text: string) => (text.endsWith('\n') ? 'no\n</think>\n\n5' : ''),
  }
  const insist = (answer: string, reopen: 'thinking' | undefined = 'thinking') =>
    final((z) => (z === answer ? pass(true) : fail('again')), {
      intervene: (v) =>
        v.kind === 'fail'
          ? { kind: 'rollback', feedback: v.feedback, voice: 'model', ...(reopen && { to: reopen }) }
          : { kind: 'continue' },
    })

  test('R corrections, then the run abstains', async () => {
    const { result, events } = await run(again, [insist('4')], { retries: 3 })
    expect(result).toMatchObject({ status: 'abstained', retries: 3 })
    expect(kinds(events, 'verdict')).toHaveLength(4)
  })

  test('the answer after the last allowed feedback is still checked', async () => {
    const lastly = {
      say: (text: string) => ((text.match(/again/g) ?? []).length < 2 ? again.say(text) : 'ah\n</think>\n\n4'),
    }
    expect((await run(lastly, [insist('4')], { retries: 2 })).result).toMatchObject({
      status: 'verified',
      answer: '4',
      retries: 2,
    })
  })

  test('once retries are used up a thinking monitor lets the model finish, and the answer is judged', async () => {
    const stubborn = { say: (text: string) => (text.endsWith('\n') ? 'bad\n</think>\n\n4' : '') }
    const { result } = await run(stubborn, [monitor({ judge: () => fail('bad') }), insist('4')], { retries: 2 })
    expect(result).toMatchObject({ status: 'verified', retries: 2 })
  })
})

describe('budgets', () => {
  const endless = { say: () => 'word '.repeat(10_000) }

  test('tokens', async () => {
    const { result } = await run(endless, [], { maxTokens: 50 })
    expect(result).toMatchObject({ status: 'truncated', reason: 'out of tokens', tokens: 50 })
  })

  test('forks count against the tokens', async () => {
    const forking = monitor({ when: everyTokens(5), elicit: { suffix: 'so: ', maxTokens: 20 } })
    const { result } = await run(endless, [forking], { maxTokens: 60, sync: true })
    expect(result.status).toBe('truncated')
    expect(result.tokens).toBeGreaterThanOrEqual(60)
    expect(result.tokens).toBeLessThanOrEqual(80)
  })

  test('number of forks', async () => {
    const forking = monitor({ when: everyTokens(5), elicit: { suffix: 'so: ', maxTokens: 2 } })
    const { events } = await run(endless, [forking], { maxTokens: 100, maxForks: 3 })
    expect(kinds(events, 'forked')).toHaveLength(3)
    expect(kinds(events, 'error')).toMatchObject([{ where: 'budget' }])
  })

  test('time', async () => {
    const { result } = await run({ ...endless, delay: () => 5 }, [], { maxMs: 60 })
    expect(result).toMatchObject({ status: 'truncated', reason: 'out of time' })
  })

  test('context', async () => {
    const { result } = await run({ ...endless, can: { context: 40 } })
    expect(result.status).toBe('truncated')
    const tooLong = await run({ ...endless, can: { context: 3 } })
    expect(tooLong.result).toMatchObject({ status: 'failed', reason: expect.stringMatching(/prompt has \d+ tokens/) })
  })
})

describe('engines that can do less', () => {
  test('a serial engine pauses for its forks and goes on where it was', async () => {
    const engine = fakeEngine({ ...script('a\nb\nc\n</think>\n\n4'), can: { fork: 'serial' } })
    const { result } = await run(engine, [monitor({ elicit: { suffix: 'so: ', maxTokens: 3 } })])
    expect(result).toMatchObject({ thinking: 'a\nb\nc', text: '4' })
    expect(engine.requests.filter((request) => request.options.purpose === 'main')).toHaveLength(4)
  })

  test('an engine that works in turns is told instead of made to think', async () => {
    const engine = fakeEngine({
      say: (text) => (text.includes('[user]no') ? 'x\n</think>\n\n4' : 'x\n</think>\n\n5'),
      can: { resume: 'turn' },
    })
    const { result, events } = await run(engine, [monitor({}), final((z) => (z === '4' ? pass(true) : fail('no')))])
    expect(result).toMatchObject({ status: 'verified', text: '4' })
    expect(kinds(events, 'check').every((event) => event.type === 'check' && event.final)).toBe(true)
  })
})

describe('bad monitors', () => {
  test('two with one name, or a needed one that checks nothing, are refused', () => {
    const engine = fakeEngine(script('a'))
    expect(() => steer(engine, 'Q', [monitor({}), monitor({})])).toThrow(/two monitors are called "m"/)
    expect(() => steer(engine, 'Q', [monitor({})], { verifiedBy: ['m'] })).toThrow(/checks no final answer/)
    expect(() => steer(engine, 'Q', [], { retries: -1 })).toThrow(/policy.retries/)
  })

  test('a trigger that throws is switched off, the run goes on', async () => {
    const broken = monitor({
      when: {
        name: 'x',
        watch: () => ({
          state: 0,
          push: () => {
            throw new Error('oops')
          },
        }),
      },
    })
    const { result, events } = await run(script('a\n</think>\n\n4'), [broken])
    expect(result.text).toBe('4')
    expect(kinds(events, 'error')).toMatchObject([{ where: 'monitor', message: 'm is switched off: oops' }])
  })

  test.each([
    [
      'an extractor that throws',
      {
        extract: () => {
          throw new Error('oops')
        },
      },
    ],
    [
      'a verifier that throws',
      {
        verify: () => {
          throw new Error('oops')
        },
      },
    ],
    [
      'a verifier that rejects',
      {
        verify: async () => {
          throw new Error('oops')
        },
      },
    ],
    ['a verifier that returns nonsense', { verify: () => ({ kind: 'passed' }) as unknown as Verdict }],
    ['a verifier that never answers', { verify: () => new Promise<Verdict>(() => {}), timeoutMs: 30 }],
  ])('%s is unknown: no crash and no pass', async (_, given) => {
    const { result, events } = await run(script('a\n</think>\n\n4'), [
      final(() => pass(true), given as Partial<Monitor>),
    ])
    expect(result.status).toBe('unverified')
    expect(kinds(events, 'verdict')).toMatchObject([{ verdict: { kind: 'unknown' } }])
  })

  test.each([
    ['has its own time, however slow the model is that it asks', 0, 'fail'],
    ['has no more than that', 1000, 'unknown'],
  ])('a verifier that asks the model %s', async (_, own, verdict) => {
    const engine = fakeEngine({
      script: [
        { after: '<think>\n', text: 'a\n</think>\n\n4' },
        { after: 'So:', text: ' one two three four five six seven eight nine ten' },
      ],
      delay: ({ purpose }) => (purpose === 'main' ? 0 : 20),
    })
    const { events } = await run(engine, [
      monitor({
        when: endOfThinking(),
        elicit: { suffix: 'So:', maxTokens: 20 },
        timeoutMs: 100,
        async verify(_z, view) {
          const [again, asked] = [await view.again(), await view.ask(view.trace, { maxTokens: 2, purpose: 'judge' })]
          await new Promise((resolve) => setTimeout(resolve, own))
          return fail(`${again}, ${asked}`)
        },
        intervene: () => ({ kind: 'continue' }),
      }),
    ])
    expect(kinds(events, 'verdict')).toMatchObject([{ verdict: { kind: verdict } }])
  })

  test('an intervention that throws changes nothing', async () => {
    const { result } = await run(script('a\n</think>\n\n4'), [
      monitor({
        intervene: () => {
          throw new Error('oops')
        },
      }),
    ])
    expect(result.text).toBe('4')
  })
})

test('a sink that cannot write ends the run with its error', async () => {
  const full = () => {
    throw new Error('disk full')
  }
  await expect(steer(fakeEngine(script('a')), 'Q', [], {}, { onEvent: full }).result()).rejects.toThrow('disk full')
})

test('end of thinking fires once', async () => {
  const { events } = await run(script('a\n</think>\n\n4 5 6'), [monitor({ when: endOfThinking() })])
  expect(kinds(events, 'check')).toHaveLength(1)
})

test('the live result and the replayed one are the same object', async () => {
  const { result, events } = await run(script('a\nb\n</think>\n\n4'), [
    monitor({ elicit: { suffix: 's', maxTokens: 3 } }),
    final(() => unknown('cannot say')),
  ])
  expect(replay(events)).toEqual(result)
})
