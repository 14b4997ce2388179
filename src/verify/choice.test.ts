import { describe, expect, it } from 'vitest'
import { chosenOption, lastBoxed, readOptions } from './choice.ts'

const options = readOptions('Available options:\nA. 4\nB. 5\nC. 6\nD. 7.')

describe('readOptions', () => {
  it('drops the full stop glued to the last option', () => {
    expect(options).toEqual([
      { letter: 'A', text: '4' },
      { letter: 'B', text: '5' },
      { letter: 'C', text: '6' },
      { letter: 'D', text: '7' },
    ])
  })
  it('reads options on one line and two options', () => {
    expect(readOptions('How many? A. 2 B. 5 C. 0 D. 4').map((o) => o.text)).toEqual(['2', '5', '0', '4'])
    expect(readOptions('Available options:\nA. No\nB. Yes.').map((o) => o.text)).toEqual(['No', 'Yes'])
  })
  it('keeps full stops inside an option', () => {
    expect(readOptions("Available options:\nA. St. Mary's\nB. Mr. B. Goode.").map((o) => o.text)).toEqual([
      "St. Mary's",
      'Mr. B. Goode',
    ])
  })
})

describe('chosenOption', () => {
  it.each([
    ['So \\boxed{B}', 'B'],
    ['\\boxed{\\text{B}}', 'B'],
    ['\\boxed{(b)}', 'B'],
    ['\\boxed{B. 5}', 'B'],
    ['\\boxed{5}', 'B'],
    ['{B}', 'B'],
    ['First \\boxed{A}, no: \\boxed{C}', 'C'],
    ['The answer is **D**.', 'D'],
    ['FINAL Answer: B', 'B'],
    ['A. 4\n\nBecause of this.', 'A'],
    ['B (5) is the correct answer', 'B'],
    ['B', 'B'],
  ])('reads %s', (text, letter) => {
    expect(chosenOption(text, options)).toBe(letter)
  })
  it.each([
    'I think **B** fits.\nthe answer is \\boxed{no solution}',
    'The answer cannot be found.\nthe answer is \\boxed{no solution}',
    'The answer is a bit unclear',
    'Maybe the answer is a different one',
    'The answer is not B',
    'B) is wrong',
    '\\boxed{E}',
    '\\boxed{B. 6}',
    '\\boxed{B',
    '',
  ])('finds no answer in %s', (text) => {
    expect(chosenOption(text, options)).toBeUndefined()
  })
})

it('matches brackets in a box', () => {
  expect(lastBoxed('\\boxed{\\frac{1}{2}} ok')).toBe('\\frac{1}{2}')
})
