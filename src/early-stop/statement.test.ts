import { describe, expect, test } from 'vitest'
import type { Option } from '../verify/choice.ts'
import { assignment } from './assignment.ts'
import { choice } from './choice.ts'
import { code, normalCode } from './code.ts'
import { expression } from './expression.ts'
import { answerKey, mathAnswer } from './number.ts'
import { stability } from './statement.ts'

const options = (...texts: string[]): Option[] => texts.map((text, i) => ({ letter: 'ABCDEFGHIJ'[i]!, text }))
const count = options('4', '5', '6', '7')
const yesNo = options('Yes', 'No')
const said = (line: string, of = count) => choice(of)(line)[0]?.answer

describe('multiple choice', () => {
  test.each([
    ['The answer is B', '5'],
    ['FINAL Answer: B', '5'],
    ['So the answer is **B**.', '5'],
    ['The answer is \\boxed{B}', '5'],
    ['**Answer:** B', '5'],
    ['Therefore, the correct answer is (C).', '6'],
    ['The answer should be option D, since there are seven turns.', '7'],
    ['Thus the answer is A.', '4'],
    ['The answer is A because it has four turns.', '4'],
    ['So option B is correct.', '5'],
    ['I will go with C.', '6'],
    ['The answer is 5 right turns.', '5'],
    ['The answer is B, a significant result.', '5'],
    ['The options are 4, 5, 6 and 7, and the answer is B.', '5'],
    ['Now the answer is B.', '5'],
  ])('%s', (line, answer) => {
    expect(said(line)).toBe(answer)
  })

  test.each([
    'The answer is a bit unclear',
    'Maybe the answer is a different one',
    'A different answer is possible',
    'The answer: A number that I have to find',
    'The answer is a',
    'The answer is not B',
    "The answer isn't B",
    'Is the answer B?',
    'If the answer is B then there are five turns',
    'The answer is either B or C',
    'The answer is B or C',
    'The answer is 55',
    'The answer is 5.5',
    'The answer is 5/2',
    'The answer cannot be B',
    'Option B is not correct',
  ])('nothing is stated by: %s', (line) => {
    expect(said(line)).toBeUndefined()
  })

  test('yes and no are words of their own', () => {
    expect(said('The answer is no.', yesNo)).toBe('No')
    expect(said('The answer is now clear', yesNo)).toBeUndefined()
    expect(said('The answer is no longer open', yesNo)).toBeUndefined()
    expect(said('The answer is not clear', yesNo)).toBeUndefined()
  })

  test('a number inside another is not an option', () => {
    expect(said('The answer is 10', options('1', '10', '2', '3'))).toBe('10')
    expect(said('The answer is 10', options('1', '2', '3', '4'))).toBeUndefined()
    expect(said('The answer is 2.5', options('2.5', '3.5', '1', '4'))).toBe('2.5')
  })
})

describe('expressions', () => {
  const of = (numbers: number[], text: string) => expression({ numbers, target: 24 })(text)
  test('only the exact value with exactly the numbers counts', () => {
    expect(of([1, 2, 3, 4], 'So the expression is (1+2)*3*4')).toEqual([])
    expect(of([1, 2, 3, 4], 'So (1+2+3)*4 = 24.')[0]?.answer).toBe('(1+2+3)*4')
    expect(of([1, 2, 3, 4], '3. (1 + 2 + 3) × 4 = 24')[0]?.answer).toBe('(1 + 2 + 3) × 4')
    expect(of([3, 3, 8, 8], '\\boxed{\\frac{8}{3-\\frac{8}{3}}}')).toHaveLength(1)
    expect(of([4, 6], 'we have (4*6)')).toHaveLength(1)
    expect(of([4, 6], 'that is (since 4*6) enough')).toHaveLength(1)
    expect(of([4, 6, 1], '4*6 = 24')).toEqual([])
  })
  test('order does not matter', () => {
    expect(stability(of([1, 2, 3, 4], '(1+2+3)*4 = 24\n4*(3+2+1) = 24'), 2).stable).toBe(true)
    expect(stability(of([1, 2, 3, 4], '(1+2+3)*4 = 24\n1*2*3*4 = 24'), 2).stable).toBe(false)
    expect(stability(of([2, 6, 10, 10], '10+10-(2-6) = 24\n10+10+6-2'), 2).stable).toBe(true)
  })
})

describe('mathematics', () => {
  test.each([
    ['The answer is 42.', '42'],
    ['So, the answer should be 6.17%.', '6.17'],
    ['**Final Answer**: \\boxed{\\frac{3}{4}}', '\\frac{3}{4}'],
    ['#### 1,234', '1,234'],
    ['The final answer is $\\frac{1}{2}$.', '\\frac{1}{2}'],
    ['Answer: -3', '-3'],
  ])('%s', (line, answer) => {
    expect(mathAnswer(line)[0]?.answer).toBe(answer)
  })
  test.each(['The answer is 3 or 4', 'Is the answer 3?', 'if the answer is 3', 'The answer is not 3', 'a result of 3'])(
    'nothing is stated by: %s',
    (line) => expect(mathAnswer(line)).toEqual([]),
  )
  test('spellings of one value', () => {
    expect(answerKey('\\frac{1}{2}')).toBe(answerKey('0.5'))
    expect(answerKey('1,000')).toBe(answerKey('1000'))
    expect(answerKey('$12\\%$')).toBe(answerKey('12'))
    expect(answerKey('(3, \\frac{\\pi}{2})')).toBe(
      answerKey('\\left( 3, \\dfrac{\\pi}{2} \\right)'.replace('\\dfrac', '\\frac')),
    )
  })
})

describe('assignments', () => {
  const whole = assignment({ cells: 4 })
  test('JSON and lists of the same grid are the same answer', () => {
    const text = [
      '```json',
      '{"House 1": {"Name": "Eric", "Pet": "Cat"}, "House 2": {"Name": "Peter", "Pet": "dog"}}',
      '```',
      'House 1: Eric, cat',
      'House 2: Peter, dog',
    ].join('\n')
    expect(stability(whole(text), 2)).toMatchObject({ stable: true, count: 2 })
  })
  test('a part of the grid is not an answer, nor is broken JSON', () => {
    expect(whole('{"House 1": {"Name": "Eric"}, "House 2": {}}')).toEqual([])
    expect(whole('{"House 1": {"Name": "Eric", "Pet": ')).toEqual([])
    expect(whole('{"House 1": null}')).toEqual([])
    expect(whole('{'.repeat(3000))).toEqual([])
  })
})

describe('code', () => {
  test('comments and spacing do not matter', () => {
    expect(normalCode('  let y := x + 1 -- add\n  y * 2')).toBe(normalCode('let y:=x+1\n\ny*2'))
    expect(stability(code('[CODE]\nx + 1\n[/CODE] hm [CODE] x+1 [/CODE]'), 2).stable).toBe(true)
    expect(stability(code('```lean\na\n```\n```lean\nb\n```'), 2).stable).toBe(false)
  })
  test('a specification is stable when both of its halves are', () => {
    const one = '[PRECOND]True[/PRECOND][POSTCOND]r = 1[/POSTCOND]'
    const other = '[PRECOND]True[/PRECOND][POSTCOND]r = 2[/POSTCOND]'
    expect(stability(code(one + one), 2).stable).toBe(true)
    expect(stability(code(one + other), 2).stable).toBe(false)
  })
})
