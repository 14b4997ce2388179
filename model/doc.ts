import type { Markers } from '../src/engine/engine.ts'
import type { Prompt } from '../src/trace/words.ts'
import type { Bpe } from './bpe.ts'

/**
 * A training document: what the model is given and what it writes itself, in order. Only its own text is learnt, and of that
 * not the slips: a wrong digit stands in the context, so that the model learns to live with it, but it is not taught to err.
 */
export interface Doc {
  readonly parts: readonly Part[]
}

export interface Part {
  readonly text: string
  /** given: prompts and injected text, tokenised apart as the engine does; slip: the model's own, but not learnt */
  readonly kind: 'given' | 'own' | 'slip'
}

export const own = (text: string): Part => ({ text, kind: 'own' })
export const slip = (text: string): Part => ({ text, kind: 'slip' })
export const given = (text: string): Part => ({ text, kind: 'given' })

export const format = {
  userOpen: '<|user|>',
  userClose: '<|end|>',
  assistantOpen: '<|assistant|>',
  thinkOpen: '<think>',
  thinkClose: '</think>',
  end: '<|end|>',
} as const

export const markers: Markers = {
  thinkOpen: format.thinkOpen,
  thinkClose: format.thinkClose,
  thinkOpened: true,
  userTurn: (text) => `${format.end}${userTurn(text)}`,
}

const userTurn = (text: string): string =>
  `${format.userOpen}${text}${format.userClose}${format.assistantOpen}${format.thinkOpen}\n`

/** A prompt as nano's engine renders it, ready for the first token of thinking. */
export function render(prompt: Prompt): string {
  if (typeof prompt === 'string') return userTurn(prompt)
  if ('raw' in prompt) return prompt.raw
  const last = prompt.messages.length - 1
  return prompt.messages
    .map(({ role, content }, i) => {
      if (role === 'assistant') return `${format.assistantOpen}${content}${format.end}`
      return i === last ? userTurn(content) : `${format.userOpen}${content}${format.userClose}`
    })
    .join('')
}

export const textOf = (parts: readonly Part[]): string => parts.map((p) => p.text).join('')

/** Token ids and, for each, 1 where it is learnt; 2 is added on the first. */
export function tokens({ parts }: Doc, bpe: Bpe): { ids: number[]; mask: number[] } {
  const ids: number[] = []
  const mask: number[] = []
  for (let i = 0; i < parts.length; ) {
    const run = [parts[i++]!]
    // the model's own text is one stretch, whatever of it is learnt
    while (run[0]!.kind !== 'given' && i < parts.length && parts[i]!.kind !== 'given') run.push(parts[i++]!)
    const spans = bpe.encodeSpans(textOf(run))
    let at = 0
    let part = 0
    let partEnd = run[0]!.text.length
    for (let t = 0; t < spans.ids.length; t++) {
      while (at >= partEnd && part + 1 < run.length) partEnd += run[++part]!.text.length
      let learnt = run[part]!.kind === 'own'
      at += spans.lengths[t]!
      // a token that reaches over a seam is learnt only if all of it is
      for (; at > partEnd && part + 1 < run.length; learnt &&= run[part]!.kind === 'own')
        partEnd += run[++part]!.text.length
      ids.push(spans.ids[t]!)
      mask.push(learnt ? 1 : 0)
    }
  }
  if (mask.length > 0) mask[0]! |= 2
  return { ids, mask }
}
