/**
 * A model without weights: the next token is a function of the ids before it and the seed, so any number of servers and
 * runs agree on it. Its vocabulary has what makes tokenisers hard: bytes, words, special tokens, characters cut in two,
 * two ids with the same text.
 */
const utf8 = new TextEncoder()

const specials = ['<|endoftext|>', '<|im_start|>', '<|im_end|>', '<think>', '</think>'] as const
const words =
  ' so| we| take| the| next| step| number| is| four| seven| eight| then| wait| check| again| and| get| answer|,|.|!|\n|\n\n|é|日'.split(
    '|',
  )
/** characters that the tokeniser cuts in two */
const halves: readonly (readonly [number[], number[]])[] = [
  [
    [0xf0, 0x9f],
    [0x98, 0x80],
  ],
  [[0xe2, 0x9c], [0x93]],
  [[0xc3], [0xbc]],
]

export const EOS = 258
export const BOS = 256
const WORD = 256 + specials.length
const HALF = WORD + words.length
const TWIN = HALF + halves.length * 2
export const VOCABULARY = TWIN + 1

export const pieces: readonly Uint8Array[] = [
  ...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)),
  ...[...specials, ...words].map((text) => utf8.encode(text)),
  ...halves.flatMap(([a, b]) => [Uint8Array.from(a), Uint8Array.from(b)]),
  // the same text as the first word, under another id
  utf8.encode(words[0]!),
]

export const isSpecial = (id: number): boolean => id >= 256 && id < 259

const byFirst = new Map<number, number[]>()
for (let id = 0; id < TWIN; id++) {
  const first = pieces[id]![0]!
  byFirst.set(first, [...(byFirst.get(first) ?? []), id])
}
// of two pieces with the same bytes the merged one wins over the plain byte, as in BPE
for (const ids of byFirst.values()) ids.sort((a, b) => pieces[b]!.length - pieces[a]!.length || b - a)

/** Longest match, left to right. */
export function encode(text: string): number[] {
  const bytes = utf8.encode(text)
  const out: number[] = []
  for (let at = 0; at < bytes.length; ) {
    const id = byFirst.get(bytes[at]!)!.find((c) => pieces[c]!.every((byte, i) => bytes[at + i] === byte))!
    out.push(id)
    at += pieces[id]!.length
  }
  return out
}

export function decode(ids: readonly number[]): string {
  return Buffer.concat(ids.map((id) => pieces[id] ?? Uint8Array.of(63))).toString('utf8')
}

const mix = (h: number, x: number): number => {
  const a = Math.imul(h ^ x, 0x01000193)
  return (a ^ (a >>> 15)) >>> 0
}
const finish = (h: number): number => {
  let x = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35)
  return (x ^ (x >>> 16)) >>> 0
}

export interface Sampled {
  readonly id: number
  readonly logprob: number
  readonly top: readonly { readonly id: number; readonly logprob: number }[]
}

export interface ScriptedStream {
  next(k: number): Sampled
}

/** With `lasting` the model ends its turn with probability 1 / lasting at each token. */
export function continuation(prefix: readonly number[], seed: number, lasting: number): ScriptedStream {
  let state = prefix.reduce(mix, 0x811c9dc5)
  let last = prefix.at(-1) ?? -1
  const sample = (salt: number): number => {
    // the second half of a character follows its first half
    if (last >= HALF && last < TWIN && (last - HALF) % 2 === 0) return last + 1
    const r = finish(mix(mix(state, seed), salt))
    if (salt === 0 && finish(r) / 2 ** 32 < 1 / lasting) return EOS
    if (r % 17 === 3) return HALF + 2 * (finish(r) % halves.length)
    return r % 23 === 5 ? TWIN : WORD + (finish(r) % words.length)
  }
  return {
    next(k) {
      const id = sample(0)
      const top = new Map([[id, Math.log(0.6)]])
      for (let salt = 1; top.size < Math.min(k, 30) && salt < 99; salt++) {
        const other = salt === 1 && id === WORD ? TWIN : WORD + (finish(mix(state, salt)) % words.length)
        if (!top.has(other)) top.set(other, Math.log(0.3 / 2 ** top.size))
      }
      last = id
      state = mix(state, id)
      return { id, logprob: Math.log(0.6), top: [...top].map(([i, logprob]) => ({ id: i, logprob })) }
    },
  }
}

/** The same tokens without any server: what every dialect has to deliver. */
export function expected(prefix: readonly number[], seed: number, lasting: number, maxTokens: number): number[] {
  const stream = continuation(prefix, seed, lasting)
  const out: number[] = []
  while (out.length < maxTokens) {
    const { id } = stream.next(0)
    out.push(id)
    if (id === EOS) break
  }
  return out
}
