import type { RunView, Trigger } from '../steer/monitor.ts'
import { when } from '../steer/trigger.ts'

export interface AffordableOptions {
  readonly k: number
  readonly by: 'lines' | 'paragraphs'
  readonly warmup: number
  /** what forks may cost as a share of the main text; 0: whatever they cost */
  readonly share: number
  /** what the first fork is expected to cost */
  readonly first?: number
  /** asked before a fork is made: does the thinking itself already say what the fork would, and rightly? */
  readonly known?: (view: RunView) => boolean
}

interface State {
  readonly count: number
  readonly ends: number
  /** fork tokens on the bill when the last fork was made; undefined: none was */
  readonly before: number | undefined
}

/**
 * Every k lines or paragraphs, as Algorithm 1 has it, but not while the forks so far, and one more like the last, would cost
 * more than their share of the text: a state that takes two hundred tokens to write down is asked for less often than one of
 * ten. Until the last fork is done nobody knows what it costs. A fork that had to wait is made at the next line end.
 */
export function everyAffordable({ k, by, warmup, share, first = 0, known }: AffordableOptions): Trigger {
  const start: State = { count: -warmup, ends: 0, before: undefined }
  return when(`every ${k} ${by}`, start, (state, token, view) => {
    if (view.phase !== 'think' && view.thinks) return [state, false]
    let { count, ends } = state
    let ended = false
    for (const c of token.text) {
      if (c === '\n') {
        ends++
        ended = true
        if (by === 'lines' || ends === 2) count++
      } else if (c.trim() !== '') ends = 0
    }
    const due = ended && count >= k && affordable(view, state.before, share, first)
    const fire = due && !known?.(view)
    return [{ count: due ? 0 : count, ends, before: fire ? view.ledger.fork : state.before }, fire]
  })
}

/** May another fork be made? `before`: the fork tokens on the bill when the last one was; undefined before the first. */
export function affordable(
  { ledger }: Pick<RunView, 'ledger'>,
  before: number | undefined,
  share: number,
  first: number,
): boolean {
  if (share === 0) return true
  if (before === ledger.fork) return false
  const one = before === undefined ? first : ledger.fork - before
  return ledger.fork + one <= share * (ledger.main + ledger.discarded)
}
