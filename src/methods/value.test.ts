import { expect, test } from 'vitest'
import { readCritic } from './critic.ts'
import { readValue } from './value.ts'

test.each([
  ['unlikely', 0.3],
  ['impossible', 0.1],
  ['Let me ensure I check each step.\nVerdict: impossible', 0.1],
  ['I am uncertain; doubtful', 0.3],
  ['sure', 0.9],
  ['**Confidence:** likely (7)\nIt is possible that the sum is off.', 0.7],
  ['Confidence: sure (9) because it is impossible to fail', 0.9],
  ['It is sure to be long.\nSo: likely', 0.7],
  ['not likely', 0.3],
  ['not possible', 0.1],
  ['I am unsure', undefined],
  ['', undefined],
  ['Probably right', 0.7],
])('value of %j is %s', (text, value) => {
  expect(readValue(text)).toBe(value)
})

test.each([
  ['VERDICT: INCORRECT', false],
  ['VERDICT: CORRECT', true],
  ['The answer is correct in part.\nINCORRECT', false],
  ['**Verdict:** Correct.', true],
  ['This is not correct.', false],
  ['End with CORRECT or INCORRECT', undefined],
  ['I corrected it', undefined],
  ['', undefined],
])('critic %j is %s', (text, correct) => {
  expect(readCritic(text)).toBe(correct)
})
