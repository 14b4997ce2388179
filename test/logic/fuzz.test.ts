import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { random } from '../../src/base/random.ts'
import { maze, spatialmap, zebralogic } from '../../src/tasks/index.ts'
import type { Task } from '../../src/tasks/task.ts'

/** Whatever a model writes, and whatever stands in a row: a verdict or an InputError, soon, and never a throw. */
const mb = 1_000_000
const garbage: Record<string, string> = {
  nothing: '',
  'null bytes': '\0'.repeat(5000),
  'one long word': 'a'.repeat(mb),
  'one long word and a mark': `${'a'.repeat(mb)}!`,
  blanks: ' '.repeat(mb),
  'blanks and a word': `${' '.repeat(mb)}x`,
  'line breaks': '\n'.repeat(mb),
  braces: '{'.repeat(mb),
  'open objects': '{"House 1":'.repeat(50_000),
  'open boxes': '\\boxed{'.repeat(100_000),
  'deep lists': `{"House 1":${'['.repeat(200_000)}`,
  moves: '(1,1) -> (1,2) right R=0 L=0\n'.repeat(30_000),
  'one line of moves': '(1,1) -> (1,2) '.repeat(60_000),
  claims: 'A is to the North of B. '.repeat(40_000),
  'of of of': ' is to the of'.repeat(80_000),
  walls: '#'.repeat(mb),
  'rows of walls': '###\n'.repeat(200_000),
  'a maze of nothing': `#####\n${'#   #\n'.repeat(50_000)}#S E#\n#####`,
  clues: '1. a is b\n'.repeat(50_000),
  'mixed scripts': '‏שלום 漢字 🧩 e\u0301 ﬀ ½ ‹3› '.repeat(20_000),
  surrogates: '\ud800\udc00\ud800'.repeat(50_000),
  escapes: '\\"\\\\'.repeat(100_000),
  prototype: '{"__proto__": {"House 1": {"Name": "x"}}, "constructor": {"House 1": {"__proto__": "x"}}}',
}

const all = { maze, spatialmap, zebralogic } as unknown as Record<string, Task>

describe.each(Object.entries(all))('%s', (_, task) => {
  const instance = task.generate!(random(1), {})
  it.each(Object.keys(garbage))('survives as an output: %s', (name) => {
    for (const kind of ['partial', 'final'] as const) {
      const began = performance.now()
      const answer = task.extract(instance, garbage[name]!, kind)
      const verdicts = [garbage[name]!, ...(answer === undefined ? [] : [answer])].map((a) =>
        task.verify(instance, a, kind),
      )
      task.grade(instance, garbage[name]!)
      for (const v of verdicts) expect(v.kind === 'pass' && v.complete).toBe(false)
      expect(performance.now() - began).toBeLessThan(5000)
    }
  })
  it.each(Object.keys(garbage))('survives as a row: %s', (name) => {
    const field = 'puzzle' in (instance as object) ? 'puzzle' : 'prompt'
    for (const text of [garbage[name]!, `${(instance as Record<string, string>)[field]}\n${garbage[name]}`]) {
      const began = performance.now()
      try {
        const read = task.read({ [field]: text })
        expect(['unknown', 'fail', 'pass']).toContain(
          task.verify(read, '\\boxed{A} {"House 1": {"Name": "Eric"}}', 'final').kind,
        )
        task.prompt(read)
        task.elicit(read)
        task.difficulty!(read)
      } catch (error) {
        expect((error as Error).name).toBe('InputError')
      }
      expect(performance.now() - began).toBeLessThan(5000)
    }
  })
  it('survives random text and cut or spliced answers', () => {
    const right = task.prompt(instance) as string
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 200 }),
        fc.nat(right.length),
        fc.nat(right.length),
        (noise, from, to) => {
          for (const text of [noise, right.slice(from, to), right.slice(0, from) + noise + right.slice(to)])
            for (const kind of ['partial', 'final'] as const) {
              const said = task.extract(instance, text, kind)
              if (said !== undefined) task.verify(instance, said, kind)
              task.grade(instance, text)
              try {
                task.verify(task.read(text), noise, kind)
              } catch (error) {
                expect((error as Error).name).toBe('InputError')
              }
            }
        },
      ),
      { numRuns: 300 },
    )
  })
  it('names the field of a bad row', () => {
    for (const raw of [undefined, null, 7, {}, [], { prompt: 7, puzzle: 7 }, { prompt: '', puzzle: '' }, 'no puzzle'])
      expect(() => task.read(raw)).toThrow(/field "(?:prompt|puzzle)"/)
  })
})
