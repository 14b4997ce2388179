import type { Markers } from '../engine/engine.ts'
import type { Trace } from '../trace/trace.ts'
import type { Phase } from '../trace/words.ts'

export interface PhaseChange {
  readonly phase: Phase
  /** where the text of the new phase begins, and where the tag before it does */
  readonly offset: number
  readonly from: number
}

/** The phase that a fresh prompt, or a turn of the user's, leaves the model in. */
export function openingPhase(trace: Trace, markers: Markers): PhaseChange {
  const phase = markers.thinkClose !== '' && markers.thinkOpened ? 'think' : 'answer'
  return { phase, offset: trace.textLength, from: trace.textLength }
}

/**
 * Did the token just appended open or close the thinking? A tag may be cut across tokens and may share one with other text.
 * `since` is where the current phase's text began: a tag is looked for only after it.
 */
export function phaseChange(
  trace: Trace,
  phase: Phase,
  since: number,
  added: string,
  markers: Markers,
): PhaseChange | undefined {
  const tag = phase === 'think' ? markers.thinkClose : markers.thinkOpen
  // Nearly every token lacks the tag's last character, and then there is nothing to look for.
  if (tag === '' || !added.includes(tag.at(-1)!)) return undefined
  const from = Math.max(since, trace.textLength - added.length - tag.length + 1)
  const text = trace.slice(from)
  const found = text.indexOf(tag)
  if (found < 0) return undefined
  // A model that opens its own tag does so as its first word; a tag that is quoted in an answer changes nothing.
  if (phase === 'answer' && trace.slice(since, from + found).trim() !== '') return undefined
  return { phase: phase === 'think' ? 'answer' : 'think', offset: from + found + tag.length, from: from + found }
}
