import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { InputError } from '../../base/errors.ts'
import type { Token } from '../../trace/token.ts'
import { byteAlphabet } from '../gguf.ts'

/**
 * Hugging Face's tokenizer.json for BPE models, exactly: added tokens are cut out first, the rest goes through the
 * pre-tokenizer and the merges. Knows nothing of the model behind it.
 */
export interface Tokenizer {
  readonly size: number
  encode(text: string): number[]
  decode(ids: readonly number[]): string
  /** one token as the trace keeps it: text where its bytes are whole characters, else the bytes */
  token(id: number): Token & { readonly id: number }
  bytes(id: number): Uint8Array
  /** the id of an added token such as "<|end|>" */
  special(text: string): number | undefined
}

interface PreTokenizer {
  readonly type: string
  readonly pretokenizers?: readonly PreTokenizer[]
  readonly pattern?: { readonly Regex?: string; readonly String?: string }
  readonly behavior?: string
  readonly invert?: boolean
  readonly individual_digits?: boolean
  readonly use_regex?: boolean
  readonly add_prefix_space?: boolean
}

export interface TokenizerJson {
  readonly added_tokens?: readonly { readonly id: number; readonly content: string; readonly special?: boolean }[]
  readonly normalizer?: unknown
  readonly pre_tokenizer?: PreTokenizer | null
  readonly decoder?: { readonly type: string } | null
  readonly model: {
    readonly type?: string
    readonly vocab: Readonly<Record<string, number>>
    readonly merges: readonly (string | readonly [string, string])[]
  }
}

type Splitter = (pieces: string[]) => string[]

const gpt2 = String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

/** JavaScript on Node 20 has no (?i:…): its letters become classes. */
function toRegExp(source: string): RegExp {
  const plain = source.replace(/\(\?i:([^()]*)\)/g, (_, body: string) => {
    const both = body.replace(/[a-z]/gi, (c) => `[${c.toLowerCase()}${c.toUpperCase()}]`)
    return `(?:${both})`
  })
  return new RegExp(plain, 'gu')
}

/** What matches and what lies between, in order. */
function isolate(text: string, pattern: RegExp): string[] {
  const out: string[] = []
  let at = 0
  for (const match of text.matchAll(pattern)) {
    if (match[0] === '') continue
    if (match.index > at) out.push(text.slice(at, match.index))
    out.push(match[0])
    at = match.index + match[0].length
  }
  if (at < text.length) out.push(text.slice(at))
  return out
}

function splitter(pre: PreTokenizer | null | undefined): Splitter {
  if (!pre) return (pieces) => pieces
  const by =
    (pattern: RegExp): Splitter =>
    (pieces) =>
      pieces.flatMap((p) => isolate(p, pattern))
  switch (pre.type) {
    case 'Sequence': {
      const steps = (pre.pretokenizers ?? []).map(splitter)
      return (pieces) => steps.reduce((p, step) => step(p), pieces)
    }
    case 'Digits':
      return by(pre.individual_digits ? /\p{N}/gu : /\p{N}+/gu)
    case 'ByteLevel':
      if (pre.add_prefix_space) throw new InputError('tokenizer.json asks for add_prefix_space, which is not supported')
      return pre.use_regex === false ? (pieces) => pieces : by(toRegExp(gpt2))
    case 'Split': {
      if (pre.behavior !== 'Isolated' || pre.invert)
        throw new InputError(`tokenizer.json splits by "${pre.behavior}"; only "Isolated" is supported`)
      const literal = pre.pattern?.String?.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      return by(toRegExp(pre.pattern?.Regex ?? literal ?? ''))
    }
    default:
      throw new InputError(`tokenizer.json has a pre-tokenizer "${pre.type}", which is not supported`)
  }
}

const isByteLevel = (json: TokenizerJson): boolean => {
  const within = (p: PreTokenizer | null | undefined): boolean =>
    p?.type === 'ByteLevel' || (p?.pretokenizers ?? []).some(within)
  return json.decoder?.type === 'ByteLevel' || within(json.pre_tokenizer)
}

/** Merges neighbours, the earliest rule first and the leftmost pair of it first, until none is left. */
function merge(symbols: string[], ranks: ReadonlyMap<string, number>): string[] {
  const parts = symbols
  for (;;) {
    let best = Number.POSITIVE_INFINITY
    let at = -1
    for (let i = 0; i + 1 < parts.length; i++) {
      const rank = ranks.get(`${parts[i]} ${parts[i + 1]}`)
      if (rank !== undefined && rank < best) {
        best = rank
        at = i
      }
    }
    if (at < 0) return parts
    parts.splice(at, 2, parts[at]! + parts[at + 1]!)
  }
}

function tokenBytes(json: TokenizerJson, byteLevel: boolean): Uint8Array[] {
  const encoder = new TextEncoder()
  const byteOf = new Map(Array.from({ length: 256 }, (_, b) => [byteAlphabet(Uint8Array.of(b)), b]))
  const out: Uint8Array[] = []
  for (const [text, id] of Object.entries(json.model.vocab)) {
    const bytes = Array.from(text, (c) => byteOf.get(c))
    out[id] =
      byteLevel && bytes.every((b) => b !== undefined) ? Uint8Array.from(bytes as number[]) : encoder.encode(text)
  }
  for (const { id, content } of json.added_tokens ?? []) out[id] = encoder.encode(content)
  return out
}

/** A token's own text, where its bytes are whole characters. */
function asToken(id: number, bytes: Uint8Array): Token & { id: number } {
  try {
    return { id, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return { id, text: '', bytes }
  }
}

/** @example tokenizerOf(JSON.parse(readFileSync('tokenizer.json', 'utf8'))).encode('2 + 2') */
export function tokenizerOf(json: TokenizerJson): Tokenizer {
  if (json.normalizer) throw new InputError('tokenizer.json has a normalizer, which is not supported')
  const byteLevel = isByteLevel(json)
  const { vocab } = json.model
  const ranks = new Map(json.model.merges.map((m, i) => [typeof m === 'string' ? m : `${m[0]} ${m[1]}`, i]))
  const added = new Map((json.added_tokens ?? []).map(({ id, content }) => [content, id]))
  const longestFirst = [...added.keys()].filter((s) => s !== '').sort((a, b) => b.length - a.length)
  const escaped = longestFirst.map((s) => s.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
  const marks = escaped === '' ? undefined : new RegExp(escaped, 'gu')
  const split = splitter(json.pre_tokenizer)
  const bytes = tokenBytes(json, byteLevel)
  const tokens = bytes.map((b, id) => asToken(id, b))
  const encoder = new TextEncoder()
  const words = new Map<string, number[]>()

  function word(text: string): number[] {
    const known = words.get(text)
    if (known) return known
    const spelled = byteLevel ? byteAlphabet(encoder.encode(text)) : text
    const ids = merge(Array.from(spelled), ranks).map((symbol) => {
      const id = vocab[symbol]
      if (id === undefined) throw new InputError(`the model's vocabulary cannot write ${JSON.stringify(text)}`)
      return id
    })
    if (words.size < 50_000) words.set(text, ids)
    return ids
  }

  return {
    size: tokens.length,
    encode: (text) => {
      const out: number[] = []
      for (const part of marks ? isolate(text, marks) : [text]) {
        const mark = added.get(part)
        if (mark !== undefined) out.push(mark)
        else for (const piece of split([part])) for (const id of word(piece)) out.push(id)
      }
      return out
    },
    decode: (ids) => {
      const all = ids.map((id) => bytes[id] ?? new Uint8Array())
      const joined = new Uint8Array(all.reduce((n, b) => n + b.length, 0))
      let at = 0
      for (const b of all) {
        joined.set(b, at)
        at += b.length
      }
      return new TextDecoder().decode(joined)
    },
    token: (id) => tokens[id] ?? { id, text: '' },
    bytes: (id) => bytes[id] ?? new Uint8Array(),
    special: (text) => added.get(text),
  }
}

export function readTokenizer(dir: string): Tokenizer {
  return tokenizerOf(JSON.parse(readFileSync(join(dir, 'tokenizer.json'), 'utf8')))
}
