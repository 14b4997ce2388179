import { InputError } from '../base/errors.ts'

/** What the puzzle tasks share: reading a row that is a text, the wording of a failed check, and reading once. */

/** The dataset's last sentence asks for another format than ours. */
const trailer = /\s*First, provide a concise answer in one sentence\.[\s\S]*$/

/** A row that is a text, or an object that holds one under one of these fields. */
export function textRow(task: string, raw: unknown, fields: readonly string[]): string {
  const from = typeof raw === 'object' && raw !== null ? (raw as Record<string, unknown>) : undefined
  const field = fields.find((f) => from?.[f] !== undefined) ?? fields[0]!
  const text = from ? from[field] : raw
  if (typeof text !== 'string') throw new InputError(`${task}: field "${field}" must be the puzzle's text (a string).`)
  if (text.trim() === '') throw new InputError(`${task}: field "${field}" is empty: give the puzzle's text.`)
  return text.replace(/\r\n?/g, '\n').replace(trailer, '').trimEnd()
}

/** A failed check as the model's own thought, or as a note between two answers. */
export function checkNote(feedback: string, phase: 'think' | 'answer'): string {
  return phase === 'think' ? `Wait, ${feedback} Let me fix that.` : `[Check: ${feedback}]\nLet me answer again.`
}

/** Reads an instance once, however often it is asked about. */
export function memo<I extends object, P>(read: (instance: I) => P): (instance: I) => P {
  const seen = new WeakMap<I, { readonly value: P }>()
  return (instance) => {
    const known = seen.get(instance)
    if (known) return known.value
    const value = read(instance)
    seen.set(instance, { value })
    return value
  }
}
