/**
 * nano's tokenizer: byte-level BPE over GPT-2's words with every digit apart (llama.cpp calls that pre-tokenizer "smollm",
 * Hugging Face writes it Digits + ByteLevel), so that three implementations cut the same text alike.
 * The trainer forbids merges across what must stay apart: lines, digits, the cells of a maze, signs.
 */

export const SPECIAL = ['<|user|>', '<|assistant|>', '<|end|>', '<think>', '</think>'] as const

const words = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu
const specials = /(<\|user\|>|<\|assistant\|>|<\|end\|>|<think>|<\/think>)/

/** GPT-2's printable stand-in for each byte. */
const shown: readonly string[] = (() => {
  const keep = (b: number) => (b > 32 && b < 127) || (b > 160 && b < 173) || b > 173
  let next = 256
  return Array.from({ length: 256 }, (_, b) => String.fromCharCode(keep(b) ? b : next++))
})()

const utf8 = new TextEncoder()
const shownWord = (word: string): string => Array.from(utf8.encode(word), (b) => shown[b]).join('')

/** The words that merges never cross. */
export function* cut(text: string): Generator<string> {
  for (const part of text.split(/(\p{N})/u)) if (part !== '') yield* part.match(words) ?? []
}

const space = shown[32]!
const letters = /^[A-Za-z]+$/

/** May this merge stand? What it would join must be read piece by piece. */
function allowed(left: string, right: string): boolean {
  const joined = left + right
  const bare = joined.startsWith(space) ? joined.slice(1) : joined
  if (bare.includes(space) || bare.includes(shown[10]!)) return false
  if (letters.test(bare)) {
    // a lone capital may be a maze's cell, an option or a variable: " X" and "XX" are never one token
    return !/[A-Z][A-Z]/.test(bare) && !(bare.length === 1 && /[A-Z]/.test(bare) && joined !== bare)
  }
  return joined.length === 2 && left === space && /^[-+*/=]$/.test(right)
}

/** Learns merges from text; ties go to the pair that sorts first, so the result depends on the text alone. */
export function trainMerges(texts: Iterable<string>, merges: number): [string, string][] {
  const counts = new Map<string, number>()
  for (const text of texts)
    for (const part of text.split(specials))
      if (!specials.test(part)) for (const word of cut(part)) counts.set(word, (counts.get(word) ?? 0) + 1)
  const pool = [...counts].map(([word, count]) => ({ pieces: [...shownWord(word)], count }))
  const learnt: [string, string][] = []
  while (learnt.length < merges) {
    const pairs = new Map<string, number>()
    for (const { pieces, count } of pool)
      for (let i = 1; i < pieces.length; i++) {
        const pair = `${pieces[i - 1]} ${pieces[i]}`
        pairs.set(pair, (pairs.get(pair) ?? 0) + count)
      }
    let best: string | undefined
    let most = 1
    for (const [pair, count] of pairs) {
      if (count < most || (count === most && best !== undefined && pair > best)) continue
      const [a, b] = pair.split(' ') as [string, string]
      if (!allowed(a, b)) continue
      best = pair
      most = count
    }
    if (best === undefined) break
    const [a, b] = best.split(' ') as [string, string]
    learnt.push([a, b])
    for (const entry of pool) entry.pieces = joinPair(entry.pieces, a, b)
  }
  return learnt
}

function joinPair(pieces: string[], a: string, b: string): string[] {
  if (!pieces.includes(a)) return pieces
  const out: string[] = []
  for (let i = 0; i < pieces.length; i++) {
    if (pieces[i] === a && pieces[i + 1] === b) {
      out.push(a + b)
      i++
    } else out.push(pieces[i]!)
  }
  return out
}

/** A Hugging Face tokenizer.json: special tokens first, then the 256 bytes, then one token a merge. */
export function tokenizerJson(merges: readonly [string, string][]): object {
  const vocab: Record<string, number> = {}
  for (const token of [...SPECIAL, ...shown, ...merges.map(([a, b]) => a + b)]) vocab[token] = Object.keys(vocab).length
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true }
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: SPECIAL.map((content, id) => ({ id, content, ...flags })),
    normalizer: null,
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Digits', individual_digits: true },
        { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
      ],
    },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab,
      merges,
    },
  }
}

export interface Bpe {
  readonly size: number
  encode(text: string): number[]
  /** the same with the length of each token in characters of the text */
  encodeSpans(text: string): { ids: number[]; lengths: number[] }
  decode(ids: Iterable<number>): string
}

interface TokenizerFile {
  readonly added_tokens: readonly { id: number; content: string }[]
  readonly model: { readonly vocab: Readonly<Record<string, number>>; readonly merges: readonly [string, string][] }
}

/** Reads a tokenizer.json of ours. */
export function bpe(file: unknown): Bpe {
  const { added_tokens, model } = file as TokenizerFile
  const vocab = new Map(Object.entries(model.vocab))
  const rank = new Map(model.merges.map(([a, b], i) => [`${a} ${b}`, i]))
  const special = new Map(added_tokens.map((t) => [t.content, t.id]))
  const cache = new Map<string, { ids: number[]; lengths: number[] }>()
  const word = (text: string) => {
    let known = cache.get(text)
    if (!known) {
      known = encodeWord(text, vocab, rank)
      if (cache.size < 200_000) cache.set(text, known)
    }
    return known
  }
  const encodeSpans = (text: string) => {
    const ids: number[] = []
    const lengths: number[] = []
    for (const part of text.split(specials)) {
      const id = special.get(part)
      if (id !== undefined) {
        ids.push(id)
        lengths.push(part.length)
      } else
        for (const w of cut(part)) {
          const known = word(w)
          for (let i = 0; i < known.ids.length; i++) {
            ids.push(known.ids[i]!)
            lengths.push(known.lengths[i]!)
          }
        }
    }
    return { ids, lengths }
  }
  return { size: vocab.size, encodeSpans, encode: (text) => encodeSpans(text).ids, decode: decoder(vocab, special) }
}

function encodeWord(text: string, vocab: Map<string, number>, rank: Map<string, number>) {
  let pieces = [...shownWord(text)]
  for (;;) {
    let best = Number.POSITIVE_INFINITY
    for (let i = 1; i < pieces.length; i++) best = Math.min(best, rank.get(`${pieces[i - 1]} ${pieces[i]}`) ?? best)
    if (best === Number.POSITIVE_INFINITY) break
    const at = pieces.findIndex((_, i) => i > 0 && rank.get(`${pieces[i - 1]} ${pieces[i]}`) === best)
    pieces = joinPair(pieces, pieces[at - 1]!, pieces[at]!)
  }
  // a character of several bytes ends with its last one
  const ascii = pieces.join('').length === text.length
  const lengths = pieces.map((p, i) => (ascii ? p.length : i === pieces.length - 1 ? text.length : 0))
  return { ids: pieces.map((p) => vocab.get(p)!), lengths }
}

function decoder(vocab: Map<string, number>, special: Map<string, number>): (ids: Iterable<number>) => string {
  const byte = new Map(shown.map((c, b) => [c, b]))
  const text = new TextDecoder()
  const pieces: Uint8Array[] = []
  for (const [piece, id] of vocab) pieces[id] = Uint8Array.from([...piece].map((c) => byte.get(c) ?? 63))
  for (const [content, id] of special) pieces[id] = utf8.encode(content)
  return (ids) => text.decode(Buffer.concat([...ids].map((id) => pieces[id] ?? new Uint8Array([63]))))
}
