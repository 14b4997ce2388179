import type { Markers } from '../engine/engine.ts'

/**
 * The exact characters that rein puts into a trace. The embedded model is trained on these very forms, so they are written
 * down in one place: each takes the text so far and gives what follows it.
 */

const lineStart = (before: string): string => (before === '' || before.endsWith('\n') ? '' : '\n')

/** Ends the thinking: "\n</think>\n\n". Nothing for models that do not think in tags. */
export function closeThinking(before: string, markers: Markers): string {
  return markers.thinkClose === '' ? lineStart(before) : `${lineStart(before)}${markers.thinkClose}\n\n`
}

/** A fork's question: the thinking closed where wanted, then the suffix. */
export function forkSuffix(
  before: string,
  thinking: boolean,
  close: boolean,
  suffix: string,
  markers: Markers,
): string {
  return thinking && close ? closeThinking(before, markers) + suffix : lineStart(before) + suffix
}

/** Feedback as the model's own thought: on lines of its own. */
export function feedbackInThought(before: string, feedback: string): string {
  return `${lineStart(before)}${feedback}\n`
}

/** The end of thinking that rein decides on: what the model says, the close, and how the answer begins. */
export function conclusion(before: string, thinking: boolean, text: string, prefix: string, markers: Markers): string {
  const said = text === '' ? '' : `${lineStart(before)}${text}\n`
  return thinking ? said + closeThinking(said === '' ? before : said, markers) + prefix : said + prefix
}
