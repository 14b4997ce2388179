import { describe, expect, test } from 'vitest'
import { fakeEngine } from '../../test/fake-engine.ts'
import { InputError } from '../base/errors.ts'
import { chain } from '../tasks/chain/index.ts'
import { game24 } from '../tasks/game24/index.ts'
import { gsm8k } from '../tasks/gsm8k/index.ts'
import { maze } from '../tasks/maze/index.ts'
import { spatialmap } from '../tasks/spatialmap/index.ts'
import type { Task } from '../tasks/task.ts'
import { verinaCode } from '../tasks/verina-code/index.ts'
import { zebralogic } from '../tasks/zebralogic/index.ts'
import { assertServes, methods, parseMethod } from './registry.ts'

const error = (run: () => unknown): string => {
  try {
    run()
  } catch (e) {
    expect(e).toBeInstanceOf(InputError)
    const { message } = e as Error
    expect(message).not.toContain('\n')
    return message
  }
  throw new Error('nothing was thrown')
}

describe('parseMethod', () => {
  test('reads a name and parameters of the right types', () => {
    const { method, parameters, spec } = parseMethod('interwhen:k=7,retries=2,sync=true')
    expect(method.name).toBe('interwhen')
    expect(parameters).toMatchObject({ k: 7, retries: 2, sync: true, by: 'lines' })
    expect(spec).toBe('interwhen:k=7,retries=2,sync=true')
  })

  test('defaults and order make no difference to the spec', () => {
    expect(parseMethod('interwhen:retries=5').spec).toBe('interwhen')
    expect(parseMethod('interwhen:warmup=4,k=7').spec).toBe(parseMethod('interwhen: k=7 , warmup=4').spec)
    expect(parseMethod('deer:threshold=0.9').spec).toBe('deer:threshold=0.9')
  })

  test('every method parses with its own defaults written out', () => {
    for (const method of Object.values(methods)) {
      const pairs = Object.entries(method.parameters).map(([k, v]) => `${k}=${v}`)
      const text = pairs.length === 0 ? method.name : `${method.name}:${pairs.join(',')}`
      expect(parseMethod(text)).toMatchObject({ spec: method.name, parameters: method.parameters })
    }
  })

  test.each([
    ['beam-of-light', 'there is no method "beam-of-light"; there are: cot'],
    ['', 'there is no method ""'],
    ['interwhen:j=3', 'interwhen has no parameter "j"; it takes: k=20'],
    ['cot:k=3', 'cot has no parameter "k"; it takes none'],
    ['interwhen:k=', 'k="" is not'],
    ['interwhen:k', 'has no value; write k=VALUE'],
    ['interwhen:k=0', 'k="0" is not a number from 1 on'],
    ['interwhen:k=-3', 'is not a number from 1 on'],
    ['interwhen:k=2.5', 'is not a whole number'],
    ['interwhen:k=ten', 'is not a number'],
    ['interwhen:k=Infinity', 'is not a number'],
    ['interwhen:sync=maybe', 'is not true or false'],
    ['interwhen:by=pages', 'is not one of lines, paragraphs'],
    ['interwhen:k=2,k=3', 'is given twice'],
    ['interwhen:', 'has no parameter ""'],
    ['__proto__', 'there is no method'],
    ['interwhen:__proto__=1', 'has no parameter'],
  ])('%s', (text, message) => {
    expect(error(() => parseMethod(text))).toContain(message)
  })
})

describe('what an engine cannot serve', () => {
  const task = game24 as Task
  test('a method that reads certainty needs logprobs', () => {
    const engine = fakeEngine({ can: { topLogprobs: 0 } })
    const message = error(() => assertServes(parseMethod('eat'), engine, task))
    expect(message).toMatch(/^eat: fake gives no token logprobs.*possible here: cot, interwhen/)
    expect(message).not.toMatch(/possible here:.*deer/)
    expect(() => assertServes(parseMethod('interwhen'), engine, task)).not.toThrow()
  })
  test('a method that takes the first tokens for the answer needs answers that are not tables', () => {
    const engine = fakeEngine()
    for (const name of ['eat', 'deer']) {
      const message = error(() => assertServes(parseMethod(name), engine, zebralogic as Task))
      expect(message).toMatch(
        /^\w+: the first tokens of an answer to zebralogic only open a table; possible here: .*k-stable/,
      )
      for (const answers of [game24, maze, spatialmap, gsm8k, chain, verinaCode] as Task[])
        expect(() => assertServes(parseMethod(name), engine, answers)).not.toThrow()
    }
  })
  test('a method that watches needs more than turns', () => {
    const engine = fakeEngine({ can: { resume: 'turn' } })
    expect(error(() => assertServes(parseMethod('k-stable'), engine, task))).toContain('between turns')
  })
})
