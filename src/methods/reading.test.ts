import { describe, expect, test } from 'vitest'
import { fakeEngine } from '../../test/fake-engine.ts'
import { steer } from '../steer/steer.ts'
import { game24 } from '../tasks/game24/index.ts'
import { verinaCode } from '../tasks/verina-code/index.ts'
import { zebralogic } from '../tasks/zebralogic/index.ts'
import { concludeWhenRight, verifyFinal } from './monitors.ts'
import { answerReader, isWhole, readVerdict } from './reading.ts'

const instance = game24.read('4 7 8 8')

describe('readVerdict', () => {
  const puzzle = zebralogic.read({
    puzzle: `There are 2 houses, numbered 1 to 2 from left to right.
 - Each person has a unique name: \`Eric\`, \`Arnold\`
 - Each person has a unique type of pet: \`cat\`, \`dog\`

## Clues:
1. Eric is in the first house.
2. The person who has a dog is Arnold.`,
  })

  test('judges what stands in the format of the fork, and nothing else', () => {
    const read = (text: string) => readVerdict(zebralogic, puzzle, text)
    expect(read('Let me see. Eric is in house 1.')).toBeUndefined()
    expect(read('So {"House 1": {"Name": "Eric"}}')).toMatchObject({ kind: 'pass', complete: false })
    expect(read('So {"House 1": {"Name": "Arnold"}}')).toMatchObject({ kind: 'fail' })
    const whole = 'So {"House 1": {"Name": "Eric", "Pet": "cat"}, "House 2": {"Name": "Arnold", "Pet": "dog"}}'
    expect(isWhole(read(whole))).toBe(true)
  })

  test('leaves a verifier that has a process of its own alone', () => {
    expect(readVerdict(verinaCode, {} as never, '[CODE]\n0\n[/CODE]')).toBeUndefined()
  })
})

describe('answerReader', () => {
  const written = async (thinking: string) => {
    const engine = fakeEngine({
      say: (text) => `${text.includes('</think>') ? '' : `${thinking}\n</think>\n\n`}\\boxed{(7 - 8 / 8) * 4}`,
    })
    const monitors = [
      concludeWhenRight(game24, instance, answerReader(game24, instance)),
      verifyFinal(game24, instance),
    ]
    const { thinking: thought, status } = await steer(engine, game24.prompt(instance), monitors, {
      sync: true,
    }).result()
    return { text: thought, status }
  }

  test('a right answer that the model states ends the thinking there', async () => {
    const { text, status } = await written('8 / 8 = 1.\n(7 - 8 / 8) * 4 = 24\nAnd on and on.\nAnd on.')
    expect(status).toBe('verified')
    expect(text).not.toContain('And on')
  })

  test('a wrong one is left alone', async () => {
    const { text } = await written('(7 + 8 / 8) * 4 = 24\nAnd on and on.')
    expect(text).toContain('And on and on.')
  })
})
