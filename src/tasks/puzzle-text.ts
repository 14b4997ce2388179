import { InputError } from '../base/errors.ts'

/** What the puzzle tasks share: reading a row that is a text, the wording of a failed check, and reading once. */

/** The dataset's last sentence asks for another format than ours. */
const trailer = 'First, provide a concise answer in one sentence.'

/** A row that is a text, or an object that holds one under one of these fields. */
export function textRow(task: string, raw: unknown, fields: readonly string[]): string {
  const from = typeof raw === 'object' && raw !== null ? (raw as Record<string, unknown>) : undefined
  const field = fields.find((f) => from?.[f] !== undefined) ?? fields[0]!
  const text = from ? from[field] : raw
  if (typeof text !== 'string') throw new InputError(`${task}: field "${field}" must be the puzzle's text (a string).`)
  if (text.trim() === '') throw new InputError(`${task}: field "${field}" is empty: give the puzzle's text.`)
  const cut = text.lastIndexOf(trailer)
  return (cut < 0 ? text : text.slice(0, cut)).replace(/\r\n?/g, '\n').trimEnd()
}

/** A failed check as the model's own thought, or as a note between two answers. */
export function checkNote(feedback: string, phase: 'think' | 'answer'): string {
  return phase === 'think' ? `Wait, ${feedback} Let me fix that.` : `[Check: ${feedback}]\nLet me answer again.`
}

/** Remembers what the last texts were read as: an instance comes back as a copy for every check of a run. */
export function memo<P>(read: (text: string) => P, keep = 64): (text: string) => P {
  const known = new Map<string, { readonly value: P }>()
  return (text) => {
    const hit = known.get(text)
    if (hit) return hit.value
    const value = read(text)
    if (known.size >= keep) known.delete(known.keys().next().value!)
    known.set(text, { value })
    return value
  }
}
