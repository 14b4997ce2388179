import type { Event } from '../trace/event.ts'
import type { Token } from '../trace/token.ts'
import { type ObserverOptions, observe } from './observer.ts'

/** The thinking of one finished run, line by line, with the tokens that carry the signals. */
export interface Recording {
  /** lines of thinking; `text` joined with line ends is what a collapse finder reads */
  readonly lines: readonly { readonly text: string; readonly tokens: readonly Token[] }[]
  /** index of the first wrong line of a run that did not end right, or undefined where there is none */
  readonly collapse: number | undefined
  /** the run ended with the right answer; absent: it did wherever no line is wrong */
  readonly right?: boolean
}

/** What a run thought, from its events. Only runs without roll-backs and restarts make sense here. */
export function recordThinking(events: Iterable<Event>): Recording['lines'] {
  const lines: { text: string; tokens: Token[] }[] = [{ text: '', tokens: [] }]
  let thinking = false
  for (const event of events) {
    if (event.type === 'phase') thinking = event.phase === 'think'
    if (event.type !== 'token' || !thinking) continue
    const [first = '', ...rest] = event.token.text.split('\n')
    const line = lines.at(-1)!
    line.text += first
    line.tokens.push(event.token)
    for (const text of rest) lines.push({ text, tokens: [] })
  }
  return lines
}

/** A line's H̄: the mean over its tokens. Lines without a value (blank ones, holes) are undefined. */
export function lineEntropies(lines: Recording['lines'], options: ObserverOptions): (number | undefined)[] {
  return lines.map(({ tokens }) => {
    let sum = 0
    let count = 0
    for (const token of tokens) {
      const value = observe(token, options)
      if (value === undefined) continue
      sum += value
      count++
    }
    return count === 0 ? undefined : sum / count
  })
}

/** A token's H̄ with the index of its line. */
export function tokenEntropies(lines: Recording['lines'], options: ObserverOptions): { value: number; line: number }[] {
  return lines.flatMap(({ tokens }, line) =>
    tokens.flatMap((token) => {
      const value = observe(token, options)
      return value === undefined ? [] : [{ value, line }]
    }),
  )
}
