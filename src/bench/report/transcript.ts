import type { Event } from '../../trace/event.ts'

/** A stretch of a run as it happened: who wrote it, and whether it was rolled back later. */
export interface Piece {
  readonly by: 'prompt' | 'model' | 'feedback' | 'forced' | 'note'
  readonly text: string
  readonly struck?: true
}

/** A run's text in the order in which it was written, thrown-away parts and failed verdicts included. */
export function transcript(events: Iterable<Event>): Piece[] {
  const entries: { by: Piece['by']; text: string; struck: boolean }[] = []
  /** for each token of the current trace, its entry */
  let live: number[] = []
  const write = (by: Piece['by'], text: string): number => entries.push({ by, text, struck: false }) - 1
  const strike = (from: number): void => {
    for (const i of live.slice(from)) entries[i]!.struck = true
    live = live.slice(0, from)
  }
  for (const event of events) {
    if (event.type === 'inject') {
      if (event.origin === 'prompt') live = []
      for (const token of event.tokens) live.push(write(event.origin, token.text))
    } else if (event.type === 'token') live.push(write('model', event.token.text))
    else if (event.type === 'verdict' && event.verdict.kind === 'fail')
      write('note', `${event.monitor}: ${event.answer ?? '?'} fails: ${event.verdict.feedback}`)
    else if (event.type === 'intervention') strike(event.intervention.kind === 'rectify' ? 0 : event.to)
    else if (event.type === 'error') write('note', `${event.where} error: ${event.message}`)
    else if (event.type === 'end') write('note', `${event.status}: ${event.reason}`)
  }
  return joined(entries)
}

function joined(entries: readonly { by: Piece['by']; text: string; struck: boolean }[]): Piece[] {
  const out: Piece[] = []
  for (const { by, text, struck } of entries) {
    const last = out.at(-1)
    if (last && by !== 'note' && last.by === by && (last.struck ?? false) === struck)
      out[out.length - 1] = { ...last, text: last.text + text }
    else out.push({ by, text, ...(struck && { struck }) })
  }
  return out
}
