import { describe, expect, test } from 'vitest'
import { fakeEngine } from '../../test/fake-engine.ts'
import { steer } from '../steer/steer.ts'
import { game24 } from '../tasks/game24/index.ts'
import { maze } from '../tasks/maze/index.ts'
import type { Task } from '../tasks/task.ts'
import type { Event } from '../trace/event.ts'
import { patience, verifyFinal, verifyThinking } from './monitors.ts'

const instance = game24.read('4 7 8 8')

/** What was injected as feedback, and where the trace was cut, while the model answers these one after the other. */
async function refutations<I>(
  answers: readonly string[],
  options: Parameters<typeof verifyFinal>[2],
  { task, of, thinking = 'hm' }: { task: Task<I>; of: I; thinking?: string } = {
    task: game24 as never,
    of: instance as I,
  },
) {
  let turn = 0
  const engine = fakeEngine({
    say: (text) =>
      `${text.endsWith('\n') ? `${thinking}\n</think>\n\n` : ''}\\boxed{${answers[turn++] ?? answers.at(-1)}}`,
  })
  const events: Event[] = []
  const run = steer(engine, 'Q', [verifyFinal(task, of, options)], {}, { onEvent: (event) => events.push(event) })
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

  test('a corrected run that goes on and on is given up, one that was never corrected is not', async () => {
    const right = '(7 - 8 / 8) * 4'
    const run = (first: string, firstLines: number, secondLines: number) => {
      let thought = 0
      const engine = fakeEngine({
        say: (text) => {
          if (!text.endsWith('\n')) return `\\boxed{${first}}`
          const lines = thought++ === 0 ? firstLines : secondLines
          return `${'hm hm hm hm\n'.repeat(lines)}</think>\n\n\\boxed{${thought > 1 ? right : first}}`
        },
      })
      const monitors = [verifyFinal(game24, instance, { retry: 'thinking' }), patience(4)]
      return steer(engine, 'Q', monitors, { sync: true }).result()
    }
    expect(await run('4 + 7 + 8 + 8', 10, 60)).toMatchObject({
      status: 'abstained',
      reason: 'corrected, and no answer after 4 times the tokens until then',
    })
    expect(await run('4 + 7 + 8 + 8', 10, 20)).toMatchObject({ status: 'verified' })
    expect(await run('4 + 7 + 8 + 8', 100, 60)).toMatchObject({ status: 'verified' })
    expect(await run(right, 100, 0)).toMatchObject({ status: 'verified', retries: 0 })
  })

  describe('to a question that lists options', () => {
    // S (3,1), one move to (3,2), one to E (3,3): no turn, option B
    const of = maze.read({
      prompt: `Here is a Maze represented in ASCII code:
#####
#   #
### #
#SXE#
#####, where the symbols have the following meanings:
- # represents walls that are impassable barriers.
- S denotes the starting point of the maze.
- E marks the endpoint or the exit of the maze.
- X marks the specific route you should follow.
How many right turns are there in the provided path (marked by X) from S to E? Available options:
A. 5
B. 0
C. 6
D. 1.`,
    })

    test('the others are tried before it is thought over', async () => {
      const { result, moves } = await refutations(['A', 'C', 'D', 'B'], { retry: 'escalate' }, { task: maze, of })
      expect(moves).toEqual(['answer', 'answer', 'answer'])
      expect(result).toMatchObject({ status: 'verified', answer: 'B' })
    })

    test('one that repeats itself is thought over', async () => {
      const stubborn = ['A', 'A', 'A', 'A', 'B']
      const { result, moves } = await refutations(stubborn, { retry: 'escalate' }, { task: maze, of })
      expect(moves).toEqual(['answer', 'answer', 'answer', 'thinking'])
      expect(result).toMatchObject({ status: 'verified', answer: 'B' })
    })

    test('thinking that reads as right and whole is not thought over', async () => {
      const thinking = 'S (3,1)\n(3,1) -> (3,2) right R=0 L=0\n(3,2) -> (3,3) right R=0 L=0'
      const stubborn = ['A', 'A', 'A', 'A', 'A', 'B']
      const { moves } = await refutations(stubborn, { retry: 'escalate' }, { task: maze, of, thinking })
      expect(moves).toEqual(['answer', 'answer', 'answer', 'answer', 'answer'])
      const wrong = thinking.replace('(3,3) right', '(2,2) up')
      const { moves: thought } = await refutations(stubborn, { retry: 'escalate' }, { task: maze, of, thinking: wrong })
      expect(thought).toContain('thinking')
    })
  })
})

describe('a refuted fork that is made again', () => {
  /** Corrections of one line of thinking, when the fork says these one after the other, and what the forks cost. */
  async function corrected(said: readonly string[], confirm: number) {
    let forks = 0
    const engine = fakeEngine({
      say(text, { purpose }) {
        if (purpose === 'fork') return `${said[forks++] ?? said.at(-1)}}`
        return `${text.includes('First.') ? '' : 'First.\n'}</think>\n\n\\boxed{(7 - 8 / 8) * 4}`
      },
    })
    const events: Event[] = []
    const monitors = [verifyThinking(game24, instance, { k: 1, confirm }), verifyFinal(game24, instance)]
    const sampling = { seed: 5, temperature: 0.6 }
    const { result } = steer(engine, 'Q', monitors, { sampling, sync: true }, { onEvent: (e) => events.push(e) })
    const { retries, ledger, status } = await result()
    const asked = engine.requests.filter((r) => r.options.purpose === 'fork').map(({ options }) => options)
    const verdict = events.find((e) => e.type === 'verdict')!.verdict
    expect(ledger.fork).toBe(engine.requests.reduce((n, r) => n + (r.options.purpose === 'fork' ? r.tokens : 0), 0))
    expect(status).toBe('verified')
    return { retries, asked, verdict }
  }
  const wrong = '8 * 8'

  test('is corrected when the model says the same each time, and every fork is drawn anew and billed', async () => {
    const { retries, asked, verdict } = await corrected([wrong], 2)
    expect(verdict.kind).toBe('fail')
    expect(retries).toBe(1)
    expect(asked.map((o) => o.temperature)).toEqual([0, 1, 1])
    expect(new Set(asked.map((o) => o.seed)).size).toBe(3)
  })

  test('is let alone when the model says something else, right or wrong or nothing', async () => {
    for (const other of ['8 / 8', '7 * 8', 'none yet']) {
      const { retries, asked, verdict } = await corrected([wrong, other], 2)
      expect(verdict).toEqual({ kind: 'unknown', reason: 'asked again, the model said something else' })
      expect([retries, asked.length]).toEqual([0, 2])
    }
    expect(await corrected([wrong, wrong, '8 / 8'], 2)).toMatchObject({ retries: 0, verdict: { kind: 'unknown' } })
  })

  test('is corrected at once with no confirmation, as in the paper', async () => {
    expect(await corrected([wrong, '8 / 8'], 0)).toMatchObject({ retries: 1, verdict: { kind: 'fail' } })
  })

  test('a fork that holds is not made again', async () => {
    const { asked, retries } = await corrected(['8 / 8'], 2)
    expect([asked.length, retries]).toEqual([1, 0])
  })
})
