import { describe, expect, test } from 'vitest'
import { babble, type FakeOptions } from '../../test/fake-engine.ts'
import { asked, forkText, go, instance, task } from '../../test/run-method.ts'
import { totalTokens } from '../trace/ledger.ts'

/** Thinks without sense for a while; forks and probes say "none yet". */
const rambling: FakeOptions = {
  say: (text, options) => (options.purpose === 'fork' ? 'none yet}\n' : babble(160)(text, options)),
  top: () => Array.from({ length: 10 }, (_, i) => ({ text: String.fromCharCode(97 + i), logprob: Math.log(0.1) })),
}

describe('silence changes nothing', () => {
  test.each([
    'interwhen:k=1,share=0',
    'interwhen:k=3,warmup=2,share=0.5',
    'interwhen:k=4,sync=true',
    'interwhen-adaptive:gap=1,k=4,share=0',
    'k-stable',
    'k-stable+verify',
    'eat:at=lines,every=1',
    'deer',
    'budget:max=100000',
  ])('%s writes token for token what cot writes', async (spec) => {
    for (const seed of [7, 8]) {
      const alone = await go('cot', rambling, { seed })
      const watched = await go(spec, rambling, { seed })
      expect(watched.tokens().map((t) => [t.id, t.text])).toEqual(alone.tokens().map((t) => [t.id, t.text]))
      expect(watched.result.output).toBe(alone.result.output)
      expect(watched.result.ledger.main).toBe(alone.result.ledger.main)
      expect(watched.result.ledger.discarded).toBe(0)
    }
  })

  test('the comparison is not empty: forks were made, and other seeds differ', async () => {
    const { result, tokens } = await go('interwhen:k=1,share=0', rambling)
    expect(result.ledger.fork).toBeGreaterThan(10)
    expect((await go('cot', rambling, { seed: 8 })).tokens()).not.toEqual(tokens())
  })
})

/** Believes in a wrong expression, and mends it when told. */
const mending: FakeOptions = {
  script: [
    {
      after: asked,
      text: `Let me try.\n(1+2)*3*4 looks good.\n${'I keep looking.\n'.repeat(20)}</think>\n\n\\boxed{(1+2)*3*4}`,
    },
    {
      after: 'I try something else.\n',
      text: `1+2+3 is 6.\n6*4 = 24.\n${'I check it.\n'.repeat(20)}</think>\n\n\\boxed{(1+2+3)*4}`,
    },
    { after: `try.\n(1+2)*3*4 looks good.\n</think>\n\n${forkText}`, text: '(1+2)*3*4}\n' },
    {
      after: `try.\n(1+2)*3*4 looks good.\nI keep looking.\nI keep looking.\n</think>\n\n${forkText}`,
      text: '(1+2)*3*4}\n',
    },
    { after: `1+2+3 is 6.\n6*4 = 24.\n</think>\n\n${forkText}`, text: '(1+2+3)*4}\n' },
    { after: 'I am done.\n</think>\n\nThe expression is \\boxed{', text: '(1+2+3)*4}' },
    { after: 'Give another expression in \\boxed{}.]\nThe expression is \\boxed{', text: '4*(1+2+3)}' },
  ],
}

describe('interwhen', () => {
  test('rolls back to the fork with feedback, concludes on a whole right answer, and is verified', async () => {
    const { result, events } = await go('interwhen:k=2,share=0,sync=true', mending)
    expect(result).toMatchObject({ status: 'verified', answer: '(1+2+3)*4', figures: { retries: 1, thinks: true } })
    const kinds = events.flatMap(({ event }) => (event.type === 'intervention' ? [event.intervention.kind] : []))
    expect(kinds).toEqual(['rollback', 'conclude'])
    // the feedback says what is wrong and not what is right
    const feedback = events.flatMap(({ event }) =>
      event.type === 'inject' && event.origin === 'feedback' ? event.tokens : [],
    )
    expect(feedback.map((t) => t.text).join('')).not.toContain('(1+2+3)*4')
  })

  test('text after the fork is thrown away and stays on the bill', async () => {
    const { result } = await go('interwhen:k=2,share=0', {
      ...mending,
      delay: ({ purpose }) => (purpose === 'fork' ? 1 : 0),
    })
    expect(result.status).toBe('verified')
    expect(result.ledger.discarded).toBeGreaterThan(0)
  })

  test('a wrong final answer gets feedback; after the last correction the answer is still checked', async () => {
    const once = await go('interwhen:k=1000,retries=1,retry=answer', mending)
    expect(once.result).toMatchObject({ status: 'verified', answer: '4*(1+2+3)' })
    const never = await go('interwhen:k=1000,retries=0', mending)
    expect(never.result).toMatchObject({ status: 'abstained', output: '', answer: undefined })
  })

  test('a refuted answer can be thought over again', async () => {
    const { result, events } = await go('interwhen:k=1000,retry=thinking', mending)
    expect(result.status).toBe('verified')
    const injected = events.flatMap(({ event }) =>
      event.type === 'inject' && event.origin === 'feedback' ? [event.at] : [],
    )
    expect(injected).toHaveLength(1)
  })

  test('a model without think tags is steered in its answer', async () => {
    const plain: FakeOptions = {
      markers: { thinkOpen: '', thinkClose: '', thinkOpened: false },
      script: [
        {
          after: `${task.prompt(instance)}\n[assistant]`,
          text: `Let me try.\n(1+2)*3*4 looks good.\n${'Looking.\n'.repeat(9)}\\boxed{(1+2)*3*4}`,
        },
        { after: `looks good.\n${forkText}`, text: '(1+2)*3*4}\n' },
        {
          after: 'I try something else.\n',
          text: `1+2+3 is 6.\n6*4 = 24.\n${'Checking.\n'.repeat(9)}\\boxed{(1+2+3)*4}`,
        },
        { after: `6*4 = 24.\n${forkText}`, text: '(1+2+3)*4}\n' },
        { after: 'I am done.\nThe expression is \\boxed{', text: '(1+2+3)*4}\nDone.\nDone.\nDone.\nDone.\n' },
        { after: `Done.\n${forkText}`, text: '(1+2+3)*4}\n' },
      ],
    }
    const { result, events } = await go('interwhen:k=2,share=0,sync=true', plain)
    expect(result).toMatchObject({ status: 'verified', answer: '(1+2+3)*4', figures: { thinks: false } })
    expect(
      events.filter(({ event }) => event.type === 'intervention' && event.intervention.kind === 'conclude'),
    ).toHaveLength(1)
  })

  test('a broken engine never gives an answer', async () => {
    const { result } = await go('interwhen:k=2,share=0', {
      ...mending,
      fault: (_text, { purpose }, produced) => {
        if (purpose === 'main' && produced === 9) throw new Error('connection reset')
      },
    })
    expect(result).toMatchObject({ status: 'failed', output: '', answer: undefined })
  })

  test('an abort arrives at every stream', async () => {
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 30)
    const { result, engine } = await go(
      'interwhen:k=1,share=0',
      { ...rambling, delay: () => 2 },
      { signal: stop.signal },
    )
    expect(result.status).toBe('failed')
    expect(engine.requests.every((r) => r.state !== 'running')).toBe(true)
  })
})

test('interwhen-meta verifies the notes where they stand, without a fork', async () => {
  const { result, engine } = await go('interwhen-meta', {
    script: [
      {
        after: 'go on in that format.\n[assistant]<think>\n',
        text: `Hm.\n${forkText}(1+2)*3*4}\nNow I go on.\nAnd on.\n</think>\n\n\\boxed{(1+2)*3*4}`,
      },
      {
        after: 'I try something else.\n',
        text: `${forkText}(1+2+3)*4}\nI go on.\nAnd on.\nAnd on.\n</think>\n\n\\boxed{1}`,
      },
      { after: 'I am done.\n</think>\n\nThe expression is \\boxed{', text: '(1+2+3)*4}' },
    ],
  })
  expect(result).toMatchObject({ status: 'verified', answer: '(1+2+3)*4', figures: { retries: 1 } })
  expect(engine.requests.every((r) => r.options.purpose === 'main')).toBe(true)
})

test('interwhen-adaptive concludes on a stated right answer without a fork', async () => {
  const { result, engine } = await go('interwhen-adaptive', {
    script: [
      {
        after: asked,
        text: `Let me try 1*2.\nSo (1+2+3)*4 = 24.\n${'I check it again.\n'.repeat(30)}</think>\n\n\\boxed{1}`,
      },
      { after: 'I am done.\n</think>\n\nThe expression is \\boxed{', text: '(1+2+3)*4}' },
    ],
  })
  expect(result).toMatchObject({ status: 'verified', answer: '(1+2+3)*4' })
  expect(engine.requests.filter((r) => r.options.purpose === 'fork')).toHaveLength(0)
})

/** States the right answer three times, then goes on checking. */
const settled: FakeOptions = {
  script: [
    {
      after: asked,
      text: `Try 1*2.\n(1+2+3)*4 = 24\nSo 4*(1+2+3) = 24.\n${'I check it again.\n\n'.repeat(30)}</think>\n\n\\boxed{(1+2+3)*4}`,
    },
    { after: '</think>\n\nThe expression is \\boxed{', text: '(1+2+3)*4}' },
  ],
}

describe('early stopping', () => {
  test.each(['k-stable', 'k-stable+verify', 'deer', 'eat', 'eat:at=lines', 'budget:max=40'])(
    '%s saves tokens',
    async (spec) => {
      const alone = await go('cot', settled)
      const { result, engine } = await go(spec, settled)
      expect(result.answer).toBe('(1+2+3)*4')
      expect(totalTokens(result.ledger)).toBeLessThan(0.8 * totalTokens(alone.result.ledger))
      // the question is part of every probe's context
      for (const r of engine.requests) expect(r.text).toContain(task.prompt(instance))
      for (const r of engine.requests.filter((r) => r.options.purpose === 'fork'))
        expect(r.options.maxTokens).toBeLessThanOrEqual(20)
    },
  )

  test('k-stable+verify is verified, k-stable never says so', async () => {
    expect((await go('k-stable', settled)).result.status).toBe('unverified')
    expect((await go('k-stable+verify', settled)).result.status).toBe('verified')
  })

  test('a steady high entropy stops nothing', async () => {
    const even = Array.from({ length: 20 }, (_, i) => ({ text: String(i), logprob: Math.log(1 / 20) }))
    const { result } = await go('eat:at=lines', { ...settled, top: () => even })
    expect(result.ledger.discarded).toBe(0)
  })

  test('budget forcing keeps a short thought going', async () => {
    const { result } = await go('budget:min=50,max=0,waits=1', {
      script: [
        { after: asked, text: 'Easy.\n</think>\n\n\\boxed{1}' },
        { after: 'Easy.\nWait\n', text: '(1+2+3)*4 = 24.\n</think>\n\n\\boxed{(1+2+3)*4}' },
      ],
    })
    expect(result).toMatchObject({ answer: '(1+2+3)*4', figures: { waits: 1 } })
  })
})
