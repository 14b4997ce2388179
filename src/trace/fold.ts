import type { Event, Passed, Result } from './event.ts'
import { emptyLedger, type Ledger, totalTokens } from './ledger.ts'
import { Trace } from './trace.ts'
import type { Phase, Prompt } from './words.ts'

/**
 * The state of a run as a fold over its events. The live loop and the replay of a stored log both go through here, which is
 * why a replay gives the identical result: there is no other place where a result is made.
 */
export interface Fold {
  readonly trace: Trace
  readonly phase: Phase
  /** where the text of this phase begins */
  readonly phaseOffset: number
  readonly epoch: number
  readonly retries: number
  readonly ledger: Ledger
  readonly prompt: Prompt
  /** final checks that passed and that no intervention has made void since */
  readonly passed: readonly Passed[]
  /** what was said after the thinking, so far */
  readonly answerText: string
  /** where the last thinking ends, its closing tag excluded: the point to go back to when a refuted answer is thought over */
  readonly thinkingEnd: number | undefined
  readonly ended: boolean
  apply(event: Event): void
  /** Throws where the log has no end, or says `verified` with nothing to show for it. */
  result(): Result
}

interface PhaseMark {
  readonly phase: Phase
  readonly at: number
  readonly offset: number
  readonly from: number
}

export function fold(): Fold {
  let start: Extract<Event, { type: 'start' }> | undefined
  let end: Extract<Event, { type: 'end' }> | undefined
  let trace = Trace.begin('', [])
  let prompt: Prompt = ''
  let epoch = 0
  let retries = 0
  let marks: PhaseMark[] = []
  let phase: Phase = 'answer'
  let answer: string | undefined
  let passed: Passed[] = []
  const ledger: { -readonly [K in keyof Ledger]: Ledger[K] } = { ...emptyLedger }
  const checks = new Map<number, { monitor: string; final: boolean }>()

  const intervene = (event: Extract<Event, { type: 'intervention' }>): void => {
    retries = event.retry
    passed = []
    answer = undefined
    if (event.intervention.kind === 'rectify') {
      epoch++
      prompt = event.intervention.prompt
      marks = []
      return
    }
    const lost = generatedAfter(trace, event.to)
    ledger.main -= lost
    ledger.discarded += lost
    trace = trace.rollback(event.to)
    marks = marks.filter((mark) => mark.at <= event.to)
    phase = marks.at(-1)?.phase ?? 'answer'
  }

  const inject = (event: Extract<Event, { type: 'inject' }>): void => {
    if (event.origin === 'prompt') {
      trace = Trace.begin(prompt, event.tokens)
    } else {
      trace = trace.appendAll(event.tokens, event.origin, event.turn)
      ledger.injected += event.tokens.length
    }
  }

  const verdict = (event: Extract<Event, { type: 'verdict' }>): void => {
    const check = checks.get(event.check)
    checks.delete(event.check)
    if (!check?.final) return
    answer = event.answer ?? answer
    if (event.verdict.kind === 'pass') passed.push({ monitor: check.monitor, verdict: event.verdict })
  }

  const apply = (event: Event): void => {
    switch (event.type) {
      case 'start':
        start = event
        prompt = event.prompt
        return
      case 'inject':
        inject(event)
        return
      case 'token':
        trace = trace.append(event.token)
        ledger.main += event.token.count ?? 1
        return
      case 'phase':
        marks.push(event)
        phase = event.phase
        return
      case 'request':
        ledger.requests++
        ledger.prompt += event.prompt
        return
      case 'usage':
        ledger.cached += event.cached
        return
      case 'check':
        checks.set(event.check, event)
        return
      case 'forked':
      case 'asked':
        ledger[event.purpose] += event.tokens
        return
      case 'verdict':
        verdict(event)
        return
      case 'cancelled':
        checks.delete(event.check)
        return
      case 'intervention':
        intervene(event)
        return
      case 'end':
        end = event
        return
      case 'gauge':
      case 'error':
        return
      default:
        throw new Error(`unknown event ${(event satisfies never as { type: string }).type}`)
    }
  }

  const result = (): Result => {
    if (!start || !end) throw new Error('the run has no end')
    const { thinking, text } = spoken(trace, marks)
    const outcome = {
      run: start.run,
      reason: end.reason,
      thinking,
      text,
      answer,
      ledger: { ...ledger },
      tokens: totalTokens(ledger),
      retries,
      rectifications: epoch,
      ms: end.ms,
    }
    if (end.status !== 'verified') return { ...outcome, status: end.status }
    const { verifiedBy } = start
    const [first, ...rest] = passed.filter((pass) => verifiedBy.includes(pass.monitor))
    if (!first || !verifiedBy.every((name) => passed.some((pass) => pass.monitor === name)))
      throw new Error('the run says verified without the verdicts it needs')
    return { ...outcome, status: 'verified', proof: [first, ...rest] }
  }

  return {
    get trace() {
      return trace
    },
    get phase() {
      return phase
    },
    get phaseOffset() {
      return marks.at(-1)?.offset ?? 0
    },
    get epoch() {
      return epoch
    },
    get retries() {
      return retries
    },
    get ledger() {
      return { ...ledger }
    },
    get prompt() {
      return start?.prompt ?? ''
    },
    get passed() {
      return passed
    },
    get answerText() {
      return spoken(trace, marks).text
    },
    get thinkingEnd() {
      const close = marks.findLast((mark, i) => mark.phase === 'answer' && marks[i - 1]?.phase === 'think')
      return close && trace.positionBefore(close.from)
    },
    get ended() {
      return end !== undefined
    },
    apply,
    result,
  }
}

/** Tokens of the model's own after a position: what a roll-back throws away. */
function generatedAfter(trace: Trace, from: number): number {
  let count = 0
  for (const segment of trace.segments) {
    if (segment.origin !== 'model' || segment.end <= from) continue
    for (let i = Math.max(from, segment.start); i < segment.end; i++) count += trace.token(i).count ?? 1
  }
  return count
}

/** What was thought and what was said after it: the last answer, and all the thinking. */
function spoken(trace: Trace, marks: readonly PhaseMark[]): { thinking: string; text: string } {
  const thoughts: string[] = []
  let text = ''
  marks.forEach((mark, i) => {
    const stretch = trace.slice(mark.offset, marks[i + 1]?.from ?? trace.textLength)
    if (mark.phase === 'think') {
      thoughts.push(stretch)
      text = ''
    } else {
      text = stretch
    }
  })
  return { thinking: thoughts.join('\n').trim(), text: text.trim() }
}
