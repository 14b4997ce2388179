import { entropyBits } from '../early-stop/entropy.ts'
import type { Extractor } from '../early-stop/statement.ts'
import type { RunView, Trigger } from '../steer/monitor.ts'
import type { Token } from '../trace/token.ts'
import type { Verdict } from '../trace/words.ts'
import { affordable } from './affordable.ts'
import { sinceFeedback } from './reading.ts'

export interface AdaptiveOptions {
  /** a look at the latest after this many lines … */
  readonly k: number
  /** … and never sooner than after this many */
  readonly gap: number
  readonly stated: Extractor
  /** what the verifier makes of the thinking as it stands, where that can be read without a fork */
  readonly reads?: (text: string) => Verdict | undefined
  /** what forks may cost as a share of the main text, and what the first is expected to cost */
  readonly share: number
  readonly first: number
  /** ask the engine for alternatives, so that a line of unusual entropy is seen */
  readonly entropy: boolean
}

interface State {
  readonly lines: number
  /** where in the written text the last look was */
  readonly from: number
  /** fork tokens on the bill at the last look */
  readonly before: number | undefined
  /** the thinking itself was read and found right so far */
  readonly readable: boolean
  readonly bits: number
  readonly tokens: number
  /** running mean and square mean of the lines' entropies */
  readonly seen: number
  readonly mean: number
  readonly square: number
}

const start: State = {
  lines: 0,
  from: 0,
  before: undefined,
  readable: false,
  bits: 0,
  tokens: 0,
  seen: 0,
  mean: 0,
  square: 0,
}

/**
 * When a fork is worth its tokens: after a line whose entropy stands out, that reflects ("Wait", "But"), or that states an
 * answer, or at which thinking that could be read and was right no longer is; at the latest after k lines; never while
 * nothing has been said that could have changed the state, or while the thinking itself reads as right.
 */
export function worthAsking(options: AdaptiveOptions): Trigger {
  const { k, gap, entropy } = options
  return {
    name: `when it is worth it, at most every ${gap} and at least every ${k} lines`,
    ...(entropy && { needs: { topLogprobs: 20 } }),
    watch: () => ({
      state: start,
      push(token, view) {
        if (view.phase !== 'think' && view.thinks) return false
        const counted = count(this.state as State, token)
        if (!token.text.includes('\n')) {
          this.state = counted
          return false
        }
        const [next, fire] = atLineEnd(counted, view, options)
        this.state = next
        return fire
      },
    }),
  }
}

function count(state: State, token: Token): State {
  const bits = entropyBits(token)
  return bits === undefined ? state : { ...state, bits: state.bits + bits, tokens: state.tokens + 1 }
}

function atLineEnd(state: State, view: RunView, options: AdaptiveOptions): [State, boolean] {
  const { k, gap, stated, share, first } = options
  const lines = state.lines + 1
  const h = state.tokens > 0 ? state.bits / state.tokens : undefined
  const deviation = Math.sqrt(Math.max(0, state.square - state.mean ** 2))
  const uneasy = h !== undefined && state.seen >= 4 && h > state.mean + 1.5 * deviation && h > 1.2 * state.mean
  const seen = state.seen + 1
  const learnt =
    h === undefined
      ? {}
      : { seen, mean: state.mean + (h - state.mean) / seen, square: state.square + (h * h - state.square) / seen }
  const next: State = { ...state, ...learnt, lines, bits: 0, tokens: 0 }
  if (lines < gap || !affordable(view, state.before, share, first)) return [next, false]
  const text = view.trace.written
  const fresh = text.slice(state.from)
  const read = options.reads?.(sinceFeedback(view))
  // what reads as right needs no question; what read as right and no longer does needs one at once
  if (read?.kind === 'pass') return [{ ...next, readable: true, lines: 0, from: text.length }, false]
  const doubted = state.readable && read?.kind === 'fail'
  const reason = lines >= k || doubted || uneasy || reflects(fresh) || (stated(text).at(-1)?.end ?? 0) > state.from
  if (!reason || !mayHaveChanged(fresh, text.slice(0, state.from))) return [next, false]
  return [{ ...next, lines: 0, from: text.length, before: view.ledger.fork, readable: false }, true]
}

/** The newest line turns on what was said before it. */
export function reflects(text: string): boolean {
  const line = text.trimEnd().split('\n').at(-1) ?? ''
  return /^\W*(?:wait|hmm|but|however|alternatively|actually|no[,.:]|hold on|let me (?:re)?-?check|that'?s (?:not|wrong))\b/i.test(
    line,
  )
}

/** Could these lines have changed what the model believes? Not if they repeat earlier ones or name nothing of the problem. */
export function mayHaveChanged(fresh: string, before: string): boolean {
  const said = new Set(before.split('\n').map(normal))
  return fresh.split('\n').some((line) => {
    const key = normal(line)
    return key !== '' && !said.has(key) && /\d|[=<>→{[]|(?<!^)\b[A-Z][a-z]+/.test(line.trim())
  })
}

const normal = (line: string): string =>
  line
    .toLowerCase()
    .replace(/^(?:so|then|thus|again|okay|ok|well|and)\b/, '')
    .replace(/[^\p{L}\p{N}+*/=-]+/gu, ' ')
    .trim()
