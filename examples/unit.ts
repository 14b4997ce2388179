import { everyLines, fail, type Monitor, pass } from 'rein/steer'
import { run, started } from './run.ts'

/** A quantity is given in one unit: a line of thinking that slips into another is answered at once, not at the end. */
export function unit(wanted: string, others: readonly string[]): Monitor {
  const slip = new RegExp(`\\d\\s*(${others.join('|')})\\b`, 'i')
  return {
    name: 'unit',
    when: everyLines(1),
    extract: (text) => text.trimEnd().split('\n').at(-1),
    verify(line) {
      const found = slip.exec(line)
      return found ? fail(`the problem is in ${wanted}, not in ${found[1]}`) : pass()
    },
    intervene: (verdict) =>
      verdict.kind === 'fail'
        ? { kind: 'rollback', feedback: `Wait, ${verdict.feedback}. I say that again in ${wanted}.`, voice: 'model' }
        : { kind: 'continue' },
  }
}

if (started(import.meta.url)) {
  const prompt = 'A train covers 180 km in 1.5 hours. How far does it get in 20 minutes? Think step by step.'
  await run(prompt, [unit('km', ['miles?', 'mi', 'feet', 'ft'])])
}
