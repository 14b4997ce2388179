import pc from 'picocolors'
import type { Event } from '../trace/event.ts'
import { type Fold, fold } from '../trace/fold.ts'

/**
 * A run as a person sees it: the text as it streams, forks and verdicts beside it, withdrawn text struck out where it stands,
 * drift and fresh starts. Knows terminals and events; knows no engine.
 */
export interface Screen {
  write(text: string): void
  /** undefined: not a terminal, so nothing that was written can be changed */
  readonly size?: { readonly columns: number; readonly rows: number }
  readonly color: boolean
}

interface Piece {
  readonly text: string
  readonly kind: 'text' | 'note'
  /** the trace's length after it */
  readonly at: number
  readonly paint: (text: string) => string
}

export function terminal(screen: Screen): (event: Event) => void {
  const c = pc.createColors(screen.color)
  const state: Fold = fold()
  const forks = new Map<number, { at: number; monitor: string; final: boolean; text?: string }>()
  let pieces: Piece[] = []
  let atLineStart = true

  const put = (text: string, kind: Piece['kind'], paint: Piece['paint']): void => {
    if (text === '') return
    pieces.push({ text, kind, at: state.trace.length, paint })
    screen.write(paintLines(text, paint))
    atLineStart = text.endsWith('\n')
  }
  const note = (text: string, paint: Piece['paint']): void =>
    put(`${atLineStart ? '' : '\n'}  ${text}\n`, 'note', paint)

  /** Strikes out what was written after `to`: in place where the screen still shows it, else once more below. */
  const withdraw = (to: number): void => {
    const first = pieces.findIndex((piece) => piece.kind === 'text' && piece.at > to)
    if (first < 0) return
    const gone = pieces.slice(first)
    const rows = screen.size ? rowsOf(gone, pieces.slice(0, first), screen.size.columns) : undefined
    pieces = pieces.slice(0, first)
    const struck = (text: string): string => c.red(c.strikethrough(text))
    if (rows !== undefined && screen.color && rows < screen.size!.rows - 1) {
      const column = columnAfter(pieces, screen.size!.columns)
      screen.write(`\r${rows > 0 ? `\x1b[${rows}A` : ''}${column > 0 ? `\x1b[${column}C` : ''}\x1b[J`)
      for (const piece of gone) screen.write(paintLines(piece.text, piece.kind === 'text' ? struck : piece.paint))
      pieces.push(...gone.map((piece) => ({ ...piece, at: to, kind: 'note' as const })))
      atLineStart = gone.at(-1)!.text.endsWith('\n')
    } else {
      const text = gone
        .filter((piece) => piece.kind === 'text')
        .map((piece) => piece.text)
        .join('')
      note(`withdrawn: ${JSON.stringify(text)}`, struck)
    }
  }

  const intervened = (event: Extract<Event, { type: 'intervention' }>): void => {
    const { intervention } = event
    switch (intervention.kind) {
      case 'rollback':
        withdraw(event.to)
        return note(`↶ ${event.monitor} rolls back (correction ${event.retry})`, c.yellow)
      case 'conclude':
        withdraw(event.to)
        return note(`■ ${event.monitor} ends the thinking`, c.green)
      case 'rectify':
        // what was written before a fresh start is never withdrawn
        pieces = []
        return note(`⟲ ${event.monitor} starts afresh from: ${oneLine(intervention.state)}`, c.magenta)
      case 'abstain':
        return note(`∅ ${event.monitor}: ${intervention.reason}`, c.red)
      default:
        return intervention satisfies never
    }
  }

  const judged = (event: Extract<Event, { type: 'verdict' }>): void => {
    const fork = forks.get(event.check)
    forks.delete(event.check)
    // a monitor that reads the text itself looks at every line: only what it finds is worth a word
    if (fork && !fork.final && fork.text === undefined && event.answer === undefined) return
    const said = event.answer === undefined ? oneLine(fork?.text ?? '') : oneLine(event.answer)
    const what = fork?.final ? '◆ answer' : fork?.text === undefined ? '◇ reads' : '⑂ fork'
    const head = said ? `${what} ${said}` : what
    switch (event.verdict.kind) {
      case 'pass':
        return note(`${head}  ✓ ${event.verdict.complete ? 'right and whole' : 'holds so far'}`, c.green)
      case 'fail':
        return note(`${head}  ✗ ${oneLine(event.verdict.feedback)}`, c.red)
      case 'unknown':
        return note(`${head}  ? ${oneLine(event.verdict.reason)}`, c.dim)
      default:
        return event.verdict satisfies never
    }
  }

  return (event) => {
    if (event.type === 'intervention') intervened(event)
    const before = state.trace.textLength
    state.apply(event)
    switch (event.type) {
      case 'token':
        return put(state.trace.slice(before), 'text', state.phase === 'think' ? c.dim : c.bold)
      case 'inject':
        if (event.origin === 'prompt') return put(`${state.trace.text}`, 'note', c.cyan)
        return put(state.trace.slice(before), 'text', event.origin === 'feedback' ? c.yellow : c.green)
      case 'check':
        forks.set(event.check, event)
        return
      case 'forked': {
        const fork = forks.get(event.check)
        if (fork) fork.text = event.text
        return
      }
      case 'verdict':
        return judged(event)
      case 'error':
        return note(`! ${event.message}`, c.red)
      case 'end':
        return note(ending(event, state), event.status === 'verified' ? c.green : c.yellow)
      default:
        return
    }
  }
}

function ending(event: Extract<Event, { type: 'end' }>, state: Fold): string {
  const { main, discarded, fork, compress, judge } = state.ledger
  const spent = Object.entries({ main, discarded, fork, compress, judge })
    .filter(([, tokens]) => tokens > 0)
    .map(([purpose, tokens]) => `${purpose} ${tokens}`)
  return `${event.status.toUpperCase()}: ${event.reason} · tokens: ${spent.join(', ')} · ${(event.ms / 1000).toFixed(1)} s`
}

/** Colours do not run across line ends, where some terminals would paint the rest of the row. */
const paintLines = (text: string, paint: (text: string) => string): string =>
  text
    .split('\n')
    .map((line) => (line === '' ? '' : paint(line)))
    .join('\n')

const oneLine = (text: string, most = 100): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}

/** How many rows below its first character the cursor stands after these pieces. */
function rowsOf(pieces: readonly Piece[], before: readonly Piece[], columns: number): number {
  let rows = 0
  let column = columnAfter(before, columns)
  for (const character of pieces.map((piece) => piece.text).join('')) {
    if (character === '\n') {
      rows++
      column = 0
    } else if (column === columns) {
      rows++
      column = 1
    } else column++
  }
  return rows
}

function columnAfter(pieces: readonly Piece[], columns: number): number {
  const text = pieces.map((piece) => piece.text).join('')
  const line = text.slice(text.lastIndexOf('\n') + 1)
  return line.length === 0 ? 0 : ((line.length - 1) % columns) + 1
}

/** The standard output as a screen. NO_COLOR and pipes are respected. */
export function standardScreen(stream: NodeJS.WriteStream = process.stdout): Screen {
  const tty = stream.isTTY === true
  return {
    write: (text) => void stream.write(text),
    ...(tty && { size: { columns: stream.columns || 80, rows: stream.rows || 24 } }),
    color: pc.isColorSupported && tty,
  }
}
