import { describe, expect, test } from 'vitest'
import { fakeEngine } from '../../test/fake-engine.ts'
import { steer } from '../steer/steer.ts'
import { game24 } from '../tasks/game24/index.ts'
import { maze } from '../tasks/maze/index.ts'
import type { Task } from '../tasks/task.ts'
import type { Event } from '../trace/event.ts'
import { verifyFinal } from './monitors.ts'

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
