import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { random } from '../../base/random.ts'
import { type ChainInstance, chain, chainLine, chainValues } from './index.ts'

const instance = chain.read({ start: 37, steps: ['+15', '*3', '-98', '*7'] })

/** An oracle that keeps the whole number and takes its last two digits only at the end of each prefix. */
function oracle({ start, steps }: ChainInstance, upTo: number): number {
  let value = BigInt(start)
  for (const step of steps.slice(0, upTo)) {
    const n = BigInt(step.slice(1))
    value = step[0] === '+' ? value + n : step[0] === '-' ? value - n : value * n
  }
  return Number(((value % 100n) + 100n) % 100n)
}

/** Thinking without a slip. */
const lines = (i: ChainInstance): string[] => {
  const values = chainValues(i)
  return i.steps.map((_, at) => chainLine(i, at + 1, values[at]!))
}

describe('chain', () => {
  it('computes and writes its lines', () => {
    expect(chainValues(instance)).toEqual([37, 52, 56, 58, 6])
    expect(lines(instance)).toEqual([
      '1: 37 + 15 = 52',
      '2: 52 * 3 = 156 -> 56',
      '3: 56 - 98 = -42 -> 58',
      '4: 58 * 7 = 406 -> 6',
    ])
  })

  it('reads instances and names the field that is wrong', () => {
    expect(() => chain.read({ steps: ['+1'] })).toThrow('"start"')
    expect(() => chain.read({ start: 1 })).toThrow('"steps"')
    expect(() => chain.read({ start: 1, steps: ['+1', '/2'] })).toThrow('item 2')
    expect(() => chain.read('x')).toThrow('chain instance')
  })

  it('judges a state of a fork, and knows none', () => {
    const at = (text: string) => {
      const answer = chain.extract(instance, text, 'partial')
      return answer === undefined ? undefined : chain.verify(instance, answer, 'partial')
    }
    expect(at('2: 56\n')).toEqual({ kind: 'pass', complete: false })
    expect(at('4: 6')).toEqual({ kind: 'pass', complete: true })
    expect(at('3: 42')).toEqual({
      kind: 'fail',
      feedback: 'after step 3 the value is not 42. I redo the steps from 1 on',
    })
    expect(at('1: 52, 2: 56, 3: 42')).toMatchObject({
      feedback: 'after step 3 the value is not 42. I redo the steps from 3 on',
    })
    expect(at('none')).toBeUndefined()
    expect(at('56')).toBeUndefined()
    expect(at('9: 56')).toBeUndefined()
  })

  it('judges the final value', () => {
    expect(chain.grade(instance, '4: 58 * 7 = 406 -> 6\n</think>\n\nThe last value is \\boxed{6}')).toBe(true)
    expect(chain.grade(instance, '\\boxed{7}')).toBe(false)
    expect(chain.grade(instance, '</think>\n\nthe answer is 6.')).toBe(true)
    expect(chain.verify(instance, '7', 'final')).toEqual({ kind: 'fail', feedback: 'the last value is not 7' })
    expect(chain.verify(instance, 'x', 'final').kind).toBe('unknown')
  })

  it('begins again with only what remains', () => {
    const { restart, state, progress, verify } = chain.rectify!
    expect(state(instance, '2: 56\n')).toBe('2: 56')
    expect(restart(instance, '2: 56').prompt).toMatch(/^Start: 56\. Steps: 3\) -98 4\) \*7\n/)
    expect(restart(instance, '4: 6').prompt).toMatch(/^Start: 6\. Steps: none\n/)
    expect(progress(instance, '2: 56')).toBe(2)
    expect(verify(instance, '2: 57').kind).toBe('fail')
  })

  it('what remains is a chain of its own, and its states are states of the whole', () => {
    const { after: remains, whole } = chain.rectify!.rest!
    const remaining = remains(instance, '2: 56')
    expect(remaining).toEqual({ start: 56, steps: ['-98', '*7'] })
    expect(chain.prompt(remaining)).toMatch(/^Start: 56\. Steps: 1\) -98 2\) \*7\n/)
    expect(whole('2: 56', '1: 58')).toBe('3: 58')
    expect(chain.verify(instance, whole('2: 56', '2: 6'), 'partial')).toEqual({ kind: 'pass', complete: true })
    expect(chain.prompt(remains(instance, '4: 6'))).toMatch(/Steps: none/)
  })

  it('finds the first wrong line', () => {
    const right = lines(instance)
    const { collapse } = chain.rectify!
    expect(collapse!(instance, right.join('\n'))).toBeUndefined()
    expect(collapse!(instance, ['Let me see.', right[0], '2: 52 * 3 = 166 -> 66', right[2]].join('\n'))).toBe(2)
    expect(collapse!(instance, `${right[0]}\n2: 53 * 3 = 159 -> 59`)).toBe(1)
    expect(collapse!(instance, '1: 37 - 15 = 22')).toBe(0)
    expect(collapse!(instance, '5: 6 + 1 = 7')).toBe(0)
    // a doubt about a step that was right
    expect(collapse!(instance, [right[0], right[1], 'Wait, step 2 is wrong. Again from there.'].join('\n'))).toBe(2)
  })

  it('a slip never heals: every generated step is a bijection modulo 100', () => {
    const generated = chain.generate!(random(3), { size: 300 })
    for (const step of new Set(generated.steps)) {
      const images = new Set(Array.from({ length: 100 }, (_, v) => chainValues({ start: v, steps: [step] })[1]))
      expect(images.size).toBe(100)
    }
    expect(generated).toEqual(chain.generate!(random(3), { size: 300 }))
  })
})

describe('against the oracle', () => {
  const any = fc.record({
    seed: fc.nat(),
    size: fc.integer({ min: 1, max: 30 }),
    at: fc.nat(),
    value: fc.integer({ min: 0, max: 99 }),
  })

  it('10,000 states and final values', () => {
    fc.assert(
      fc.property(any, ({ seed, size, at, value }) => {
        const i = chain.generate!(random(seed), { size })
        const step = at % (size + 1)
        expect(chain.verify(i, `${step}: ${value}`, 'partial').kind).toBe(value === oracle(i, step) ? 'pass' : 'fail')
        expect(chain.verify(i, `${step}: ${oracle(i, step)}`, 'partial')).toEqual({
          kind: 'pass',
          complete: step === size,
        })
        expect(chain.grade(i, `\\boxed{${value}}`)).toBe(value === oracle(i, size))
      }),
      { numRuns: 10_000 },
    )
  })

  it('10,000 slips: the first wrong line is the one that was changed', () => {
    fc.assert(
      fc.property(any, fc.integer({ min: 1, max: 99 }), ({ seed, size, at }, slip) => {
        const i = chain.generate!(random(seed), { size })
        const step = 1 + (at % size)
        const thinking = lines(i).slice(0, step)
        const from = oracle(i, step - 1)
        thinking[step - 1] = chainLine({ ...i, steps: i.steps }, step, (from + slip) % 100)
        for (let s = step + 1; s <= size; s++) thinking.push(chainLine(i, s, oracle(i, s - 1)))
        expect(chain.rectify!.collapse!(i, thinking.join('\n'))).toBe(step - 1)
      }),
      { numRuns: 10_000 },
    )
  })

  it('noise never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        for (const kind of ['partial', 'final'] as const) {
          const answer = chain.extract(instance, text, kind)
          if (answer !== undefined) chain.verify(instance, answer, kind)
          chain.verify(instance, text, kind)
        }
        chain.rectify!.collapse!(instance, text)
        chain.grade(instance, text)
      }),
      { numRuns: 10_000 },
    )
  })
})
