import type { Event } from '../trace/event.ts'
import { type Fold, fold } from '../trace/fold.ts'
import type { Confusion } from './row.ts'
import { noChecks } from './stats/verifier.ts'

/**
 * Holds the verifier to account: each final verdict is set against the grade of the very text that it judged, also where
 * that text was rolled back afterwards.
 */
export interface FinalChecks {
  see(event: Event, run: number): void
  total(): Confusion
  /** an engine error was among the events */
  readonly engineFailed: boolean
}

interface State {
  readonly fold: Fold
  /** where the text after the thinking begins */
  answerFrom: number | undefined
  readonly texts: Map<number, string>
}

export function finalChecks(grade: (text: string) => boolean | undefined): FinalChecks {
  const runs: State[] = []
  let engineFailed = false
  const count = { ...noChecks }
  const judge = (text: string, verdict: 'pass' | 'fail' | 'unknown'): void => {
    const right = grade(text)
    if (right === undefined) return
    if (verdict === 'unknown') count.unknown++
    else count[`${verdict}${right ? 'Right' : 'Wrong'}`]++
  }
  return {
    see(event, run) {
      if (event.type === 'error' && event.where === 'engine') engineFailed = true
      const state = (runs[run] ??= { fold: fold(), answerFrom: undefined, texts: new Map() })
      state.fold.apply(event)
      if (event.type === 'phase') state.answerFrom = event.phase === 'answer' ? event.offset : undefined
      if (event.type === 'intervention' && event.intervention.kind === 'rectify') state.answerFrom = undefined
      if (event.type === 'check' && event.final) {
        const { trace } = state.fold
        state.texts.set(event.check, trace.slice(state.answerFrom ?? trace.promptTextLength))
      }
      if (event.type !== 'verdict') return
      const text = state.texts.get(event.check)
      if (text !== undefined) judge(text, event.verdict.kind)
    },
    total: () => (Object.values(count).some((n) => n > 0) ? count : noChecks),
    get engineFailed() {
      return engineFailed
    },
  }
}
