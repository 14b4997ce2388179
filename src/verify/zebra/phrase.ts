import type { Feature, ZebraHead } from './features.ts'
import { isFiller, type Kind, kindOf, sameWord } from './lexicon.ts'

/** Reads a noun phrase ("the person who owns a Ford F-150") as one value of one feature, or not at all. */

export interface Named {
  readonly feature: number
  readonly value: number
}

export interface PhraseReader {
  /** `guessed`: two features have this value and only the style of the phrase tells them apart */
  read(phrase: string): (Named & { readonly guessed: boolean }) | undefined
  /** the value of this feature that the words name; -1 when none, -2 when they share a word with one ("Samsung") */
  valueOf(feature: number, said: string): number
}

interface Entry {
  readonly kind: Kind
  readonly values: readonly (readonly string[])[]
}

/** Lower case, no possessive, hyphens and letter-digit joints split: "F-150" and "f150" are the same. */
export function tokens(text: string): string[] {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[’‘ʼ`´]/g, "'")
    .replace(/'s\b|s'(?=\s|$)/g, (m) => (m === "'s" ? '' : 's'))
    .replace(/(\p{L})(\p{N})/gu, '$1 $2')
    .replace(/(\p{N})(\p{L})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((w) => w !== '')
}

export function phraseReader(head: ZebraHead): PhraseReader {
  const entries: Entry[] = head.features.map((f) => ({ kind: kindOf(f.key, f.about), values: f.values.map(tokens) }))
  const memo = new Map<string, (Named & { guessed: boolean }) | undefined>()
  const values = new Map<string, number>()
  return {
    read(phrase) {
      const said = tokens(phrase)
      const key = said.join(' ')
      if (memo.has(key)) return memo.get(key)
      const found = said.length === 0 || said.length > 25 ? undefined : decide(entries, candidates(entries, said), key)
      if (memo.size < 5000) memo.set(key, found)
      return found
    },
    valueOf(feature, said) {
      const key = `${feature} ${said}`
      let value = values.get(key)
      if (value !== undefined) return value
      value = assignedValue(head.features[feature]!, entries[feature]!, said)
      if (values.size < 5000) values.set(key, value)
      return value
    },
  }
}

interface Candidate extends Named {
  readonly from: number
  readonly length: number
  readonly exact: boolean
}

function candidates(entries: readonly Entry[], said: readonly string[]): Candidate[] {
  const found: Candidate[] = []
  for (const [feature, { kind, values }] of entries.entries())
    for (const [value, wanted] of values.entries())
      for (let from = 0; from + wanted.length <= said.length; from++) {
        const match = matchAt(said, from, wanted)
        if (match === 0 || !fits(kind, said, from, wanted.length)) continue
        found.push({ feature, value, from, length: wanted.length, exact: match === 2 })
      }
  return found
}

function matchAt(said: readonly string[], from: number, wanted: readonly string[]): 0 | 1 | 2 {
  let worst: 0 | 1 | 2 = wanted.length === 0 ? 0 : 2
  for (let i = 0; i < wanted.length && worst > 0; i++) {
    const m = sameWord(said[from + i]!, wanted[i]!)
    if (m < worst) worst = m
  }
  return worst
}

/** Every word beside the value must be one that this feature's phrases use. */
function fits(kind: Kind, said: readonly string[], from: number, length: number): boolean {
  const around = said.filter((_, i) => i < from || i >= from + length)
  const text = around.join(' ')
  return around.every((w) => isFiller(kind, w)) && (!kind.needs || kind.needs.test(text)) && !kind.bars?.test(text)
}

/** The longest match, the exact form before another one, and where two features share a value the words that tell them apart. */
function decide(
  entries: readonly Entry[],
  found: readonly Candidate[],
  text: string,
): (Named & { guessed: boolean }) | undefined {
  const outer = found.filter(
    (c) => !found.some((d) => d.length > c.length && d.from <= c.from && d.from + d.length >= c.from + c.length),
  )
  const exact = outer.filter((c) => c.exact)
  const best = exact.length > 0 ? exact : outer
  const first = best[0]
  if (!first) return undefined
  const same = (c: Named): boolean => c.feature === first.feature && c.value === first.value
  if (best.every(same)) return { feature: first.feature, value: first.value, guessed: false }
  const hinted = best.filter((c) => entries[c.feature]!.kind.hints?.test(text))
  const pets = hinted.filter((c) => /\b(?:pets?|aquarium)\b/.test(text) && entries[c.feature]!.kind.words.has('pet'))
  const left = pets.length > 0 ? pets : hinted
  const one = left[0]
  if (!one || left.some((c) => c.feature !== one.feature || c.value !== one.value)) return undefined
  return { feature: one.feature, value: one.value, guessed: true }
}

function assignedValue(feature: Feature, entry: Entry, said: string): number {
  const words = tokens(said)
  const plain = entry.values.findIndex((v) => v.join(' ') === words.join(' '))
  if (plain >= 0 || words.length === 0 || words.length > 12) return plain
  const fitting = feature.values.flatMap((_, value) => {
    const wanted = entry.values[value]!
    for (let from = 0; from + wanted.length <= words.length; from++) {
      const around = words.filter((_, i) => i < from || i >= from + wanted.length)
      if (matchAt(words, from, wanted) > 0 && around.every((w) => isFiller(entry.kind, w)))
        return [{ value, length: wanted.length }]
    }
    return []
  })
  const longest = Math.max(0, ...fitting.map((f) => f.length))
  const best = fitting.filter((f) => f.length === longest)
  if (best.length === 1) return best[0]!.value
  const shares = entry.values.some((v) => v.some((w) => words.some((said) => sameWord(said, w) > 0)))
  return shares ? -2 : -1
}
