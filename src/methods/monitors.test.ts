import { describe, expect, test } from 'vitest'
import { fakeEngine } from '../../test/fake-engine.ts'
import { steer } from '../steer/steer.ts'
import { game24 } from '../tasks/game24/index.ts'
import type { Event } from '../trace/event.ts'
import { verifyFinal } from './monitors.ts'

const instance = game24.read('4 7 8 8')

/** What was injected as feedback, and where the trace was cut, while the model answers these one after the other. */
async function refutations(answers: readonly string[], options: Parameters<typeof verifyFinal>[2]) {
  let turn = 0
  const engine = fakeEngine({
    say: (text) => `${text.endsWith('\n') ? 'hm\n</think>\n\n' : ''}\\boxed{${answers[turn++] ?? answers.at(-1)}}`,
  })
  const events: Event[] = []
  const run = steer(
    engine,
    'Q',
    [verifyFinal(game24, instance, options)],
    {},
    { onEvent: (event) => events.push(event) },
  )
  const result = await run.result()
  const moves = events.flatMap((e) =>
    e.type === 'intervention' && e.intervention.kind === 'rollback' ? [e.intervention.to ?? 'answer'] : [],
  )
  const told = events.flatMap((e) =>
    e.type === 'inject' && e.origin === 'feedback' ? [e.tokens.map((t) => t.text).join('')] : [],
  )
  return { result, moves, told }
}

describe('a refuted final answer', () => {
  const wrong = ['4 + 7 + 8 + 8', '4 * 7 - 8 + 8', '(7 - 8 / 8) * 4']

  test('is answered again at once', async () => {
    const { result, moves } = await refutations(wrong, { retry: 'answer' })
    expect(moves).toEqual(['answer', 'answer'])
    expect(result).toMatchObject({ status: 'verified', answer: '(7 - 8 / 8) * 4' })
  })

  test('is thought over again', async () => {
    const { result, moves } = await refutations(wrong, { retry: 'thinking' })
    expect(moves).toEqual(['thinking', 'thinking'])
    expect(result.status).toBe('verified')
  })

  test('first the one, then the other, and the second thought knows of both answers', async () => {
    const { result, moves, told } = await refutations(wrong, { retry: 'escalate' })
    expect(moves).toEqual(['answer', 'thinking'])
    expect(told[1]).toContain('4 + 7 + 8 + 8')
    expect(told[1]).toContain('4 * 7 - 8 + 8')
    expect(result.status).toBe('verified')
  })

  test('`thoughts` ends it', async () => {
    const { result, moves } = await refutations(['4 + 7 + 8 + 8'], { retry: 'escalate', thoughts: 2 })
    expect(moves).toEqual(['answer', 'thinking', 'thinking'])
    expect(result).toMatchObject({ status: 'abstained', retries: 3 })
  })
})
