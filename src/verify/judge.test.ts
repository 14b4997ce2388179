import { describe, expect, it } from 'vitest'
import { judge, readJudgement } from './judge.ts'

describe('readJudgement', () => {
  it.each([
    ['CORRECT', 'correct'],
    ['INCORRECT', 'incorrect'],
    ['Looks CORRECT at first.\nBut 2+2 is 4.\nINCORRECT', 'incorrect'],
    ['It is incorrect to doubt it.\n**CORRECT**.', 'correct'],
    ['Verdict: unsure', 'unsure'],
    ['<think>INCORRECT\n</think>\n\nCORRECT\n', 'correct'],
    ['The answer is CORRECT', undefined],
    ['NOT CORRECT', undefined],
    ['CORRECT or INCORRECT', undefined],
    ['CORRECTLY', undefined],
    ['INCORRECT\nbecause of step 3', undefined],
    ['<think>\nCORRECT', undefined],
    ['', undefined],
  ])('%j is %s', (reply, verdict) => {
    expect(readJudgement(reply)).toBe(verdict)
  })
})

describe('judge', () => {
  const replying = (reply: string) => judge({ ask: async () => reply })

  it('has three verdicts and says that it is unsound', async () => {
    expect(replying('').sound).toBe(false)
    expect((await replying('x\nCORRECT').verify('q', 'a')).kind).toBe('pass')
    expect((await replying('x\nINCORRECT').verify('q', 'a')).kind).toBe('fail')
    expect((await replying('x\nUNSURE').verify('q', 'a')).kind).toBe('unknown')
    expect((await replying('correct, I think').verify('q', 'a')).kind).toBe('unknown')
  })

  it('asks on the bill of the judge and shows the question and the answer', async () => {
    const seen: unknown[] = []
    const ask = async (prompt: unknown, options: unknown): Promise<string> => {
      seen.push(prompt, options)
      return 'CORRECT'
    }
    await judge({ ask }).verify('What is 2 + 2?', '4')
    expect(seen[0]).toContain('What is 2 + 2?')
    expect(seen[0]).toContain('Proposed answer: 4')
    expect(seen[1]).toMatchObject({ purpose: 'judge' })
  })
})
