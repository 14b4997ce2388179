import type { CheckView, Monitor } from '../steer/monitor.ts'
import { everyLines } from '../steer/trigger.ts'
import { pass, unknown } from '../steer/verdict.ts'
import type { Intervention, Verdict } from '../trace/words.ts'
import { type Extractor, type Stability, type Statement, stability } from './statement.ts'

export interface KStableOptions {
  readonly stated: Extractor
  /** interwhen: k = 2 works well across tasks */
  readonly k?: number
  /** asks a model whether two statements that are spelt differently mean the same (code) */
  readonly judge?: (a: string, b: string, view: CheckView) => Promise<boolean>
  /** k-stable with verification: a stable answer ends the thinking only when it passes */
  readonly verify?: (answer: string, view: CheckView) => Verdict | Promise<Verdict>
  /** what a verdict of `verify` leads to; without it a fail just lets the model go on */
  readonly intervene?: (verdict: Verdict, answer: string, view: CheckView) => Intervention
}

/**
 * interwhen, section 4.3: the thinking ends when the same answer has been stated k times in a row. No fork: the model's own
 * words are read at each line end. The state is the text itself, so a roll-back needs nothing put back.
 * @example kStable({ stated: choice(options), k: 2 })
 */
export function kStable({ stated, k = 2, judge, verify, intervene }: KStableOptions): Monitor<Stability> {
  const judged = new Map<string, boolean>()
  return {
    name: 'k-stable',
    when: everyLines(1),
    extract: (text) => {
      const statements = stated(text)
      const last = statements.at(-1)
      // a look is worth something only when the newest line states an answer
      if (!last || text.slice(last.end).trim() !== '') return undefined
      const found = stability(statements, k, (a, b) => a.key === b.key || (judged.get(pair(a, b)) ?? false))
      return found.stable || judge ? found : undefined
    },
    show: (found) => found.answer ?? '',
    async verify(found, view) {
      const stable = judge ? await judgedStability(stated(view.trace.written), k, judged, judge, view) : found
      view.gauge('repeats', stable.count)
      if (!stable.stable || stable.answer === undefined)
        return unknown(`stated ${stable.count} times in a row, not ${k}`)
      return verify ? await verify(stable.answer, view) : pass(true)
    },
    intervene: (verdict, found, view) => {
      if (verify && intervene && found?.answer !== undefined) return intervene(verdict, found.answer, view)
      return verdict.kind === 'pass' ? { kind: 'conclude', text: '' } : { kind: 'continue' }
    },
  }
}

const pair = (a: Statement, b: Statement): string => `${a.key}\u0000${b.key}`

/** Only the last k statements of a part are compared, each pair at most once in a run. */
async function judgedStability(
  statements: readonly Statement[],
  k: number,
  judged: Map<string, boolean>,
  judge: NonNullable<KStableOptions['judge']>,
  view: CheckView,
): Promise<Stability> {
  for (const part of new Set(statements.map((s) => s.part))) {
    const last = statements.filter((s) => s.part === part).slice(-k)
    for (const [i, b] of last.entries()) {
      const a = last[i - 1]
      if (!a || a.key === b.key || judged.has(pair(a, b))) continue
      judged.set(pair(a, b), await judge(a.answer, b.answer, view))
    }
  }
  return stability(statements, k, (a, b) => a.key === b.key || (judged.get(pair(a, b)) ?? false))
}
