import type { Message, Prompt } from '../../trace/words.ts'
import type { Markers } from '../engine.ts'
import type { TurnMarkers } from './config.ts'

/**
 * The chat template of the embedded model. Training renders its prompts with these same functions, so that the model never
 * meets a form that it has not seen.
 */

const opening = (m: TurnMarkers): string => `${m.assistantOpen}${m.thinkOpen}\n`

/** @example render(markers, 'Make 24 from 4 7 8 8.') // "<|user|>\nMake 24 …\n<|assistant|>\n<think>\n" */
export function render(m: TurnMarkers, prompt: Prompt): string {
  if (typeof prompt === 'object' && 'raw' in prompt) return prompt.raw
  const messages: readonly Message[] =
    typeof prompt === 'string' ? [{ role: 'user', content: prompt }] : prompt.messages
  let system = ''
  let text = ''
  for (const { role, content } of messages) {
    if (role === 'system') {
      system += `${content}\n\n`
    } else if (role === 'user') {
      text += `${m.userOpen}${system}${content}${m.userClose}`
      system = ''
    } else {
      text += `${m.assistantOpen}${content}${m.end}`
    }
  }
  if (system !== '') text += `${m.userOpen}${system.trimEnd()}${m.userClose}`
  return text + opening(m)
}

/** What steering needs to know of the marks. */
export function markersOf(m: TurnMarkers): Markers {
  return {
    thinkOpen: m.thinkOpen,
    thinkClose: m.thinkClose,
    thinkOpened: true,
    userTurn: (text) => `${m.end}${m.userOpen}${text}${m.userClose}${opening(m)}`,
  }
}
