import { describe, expect, test } from 'vitest'
import type { FakeOptions } from '../../test/fake-engine.ts'
import { go, instance, task } from '../../test/run-method.ts'
import { methods } from './registry.ts'

/** What a sample answers depends on its seed; a critic knows what is right. */
const sampling: FakeOptions = {
  say: (text, { seed = 0 }) => {
    if (/CORRECT or INCORRECT/.test(text))
      return text.includes('answers (1+2+3)*4') ? 'It holds.\nCORRECT' : 'INCORRECT'
    if (/one word: sure/.test(text)) return text.includes('1 + 2 = 3') ? 'likely' : 'impossible'
    if (/one next step/.test(text)) return seed % 2 === 0 ? '1 + 2 = 3' : '2 - 1 = 1'
    if (/reviewer|attempt|These steps/i.test(text)) return '</think>\n\n\\boxed{(1+2+3)*4}'
    return seed % 4 === 0 ? '</think>\n\n\\boxed{(1+2+3)*4}' : '</think>\n\n\\boxed{1+2+3+4}'
  },
}

describe('baselines', () => {
  test('best-of-k is an oracle and says so; it bills every sample', async () => {
    const { result } = await go('best-of-k:k=12', sampling)
    expect(methods['best-of-k']!.summary).toContain('ORACLE')
    expect(result.figures).toMatchObject({ oracle: true, samples: 12 })
    expect(task.grade(instance, result.output)).toBe(true)
    expect(result.ledger.requests).toBe(12)
  })
  test('best-of-k-critic takes the first that the critic accepts', async () => {
    const { result } = await go('best-of-k-critic:k=12', sampling)
    expect(result.answer).toBe('(1+2+3)*4')
    expect(result.ledger.judge).toBeGreaterThan(0)
    expect(result.status).toBe('unverified')
  })
  test('generate-test-critic answers again with the critique in hand', async () => {
    const { result } = await go('generate-test-critic', sampling)
    expect(result).toMatchObject({ answer: '(1+2+3)*4', figures: { rounds: 2, accepted: true } })
  })
  test('self-consistency stops when the rest cannot matter', async () => {
    const { result } = await go('self-consistency:k=9', { say: () => '</think>\n\n\\boxed{(1+2+3)*4}' })
    expect(result.figures).toMatchObject({ samples: 5, votes: 5 })
    const all = await go('self-consistency:k=9,early=false', { say: () => '</think>\n\n\\boxed{(1+2+3)*4}' })
    expect(all.result.figures).toMatchObject({ samples: 9, votes: 9 })
  })
  test.each(['tot', 'tot:search=bfs,branch=5,beam=5,depth=3', 'got', 'cot-pe', 'adacot', 'cot-valve'])(
    '%s comes to an answer',
    async (spec) => {
      const { result } = await go(spec, sampling)
      expect(['(1+2+3)*4', '1+2+3+4']).toContain(result.answer)
      expect(result.status).toBe('unverified')
    },
  )
  test('tree of thoughts prunes what is impossible', async () => {
    const { result, engine } = await go('tot:search=bfs,branch=8,beam=9,depth=2', sampling)
    const second = engine.requests.filter(
      (r) => /Steps so far: 2 - 1 = 1[,.]/.test(r.text) && /one next step/.test(r.text),
    )
    expect(second).toHaveLength(0)
    expect(result.figures?.nodes).toBe(16)
  })
  test('deepconf gives up samples that lose confidence', async () => {
    const sure = (token: string) => !token.includes('mumble')
    let samples = 0
    const { result } = await go('deepconf:k=6,warmup=2,window=4,consensus=1.1', {
      say: () =>
        samples++ < 2 ? 'clear </think>\n\n\\boxed{(1+2+3)*4}' : `${' mumble'.repeat(40)}</think>\n\n\\boxed{1}`,
      top: (token) => [
        { text: token, logprob: sure(token) ? -0.01 : -1 },
        { text: '?', logprob: sure(token) ? -9 : -1 },
      ],
    })
    expect(result).toMatchObject({ answer: '(1+2+3)*4', figures: { samples: 6, dropped: 4 } })
    expect(result.ledger.main + result.ledger.discarded).toBeLessThan(120)
  })
})

test('every method gives a result, a bill and no stack for a model that says nothing', async () => {
  for (const name of Object.keys(methods).filter((n) => !n.startsWith('halo'))) {
    const { result } = await go(name, { say: () => '' }, { maxTokens: 50 })
    expect(['unverified', 'truncated']).toContain(result.status)
    expect(result.answer).toBeUndefined()
  }
})
