import type { Token } from '../trace/token.ts'

/**
 * What each token id reads as, learned on the way. Servers that send several tokens with one text (stream intervals,
 * speculative decoding) leave open which token wrote what; known pieces settle it.
 */
export interface Pieces {
  /** Remembers a token that came alone with its text. */
  learn(id: number, text: string): void
  textOf(id: number): string | undefined
  /** the same, asking the server where it is not known yet */
  find(id: number, signal?: AbortSignal): Promise<string | undefined>
  /** Spreads one text over its tokens; where that cannot be done exactly, the last token carries all of it. */
  spread(ids: readonly number[], text: string, signal?: AbortSignal): Promise<string[]>
}

export function pieces(lookUp?: (id: number, signal?: AbortSignal) => Promise<string | undefined>): Pieces {
  const known = new Map<number, string>()
  const learn = (id: number, text: string): void => {
    // half a character reads as U+FFFD and would never add up
    if (text !== '' && !text.includes('\ufffd') && !known.has(id)) known.set(id, text)
  }
  // also ids that turned out to have no text of their own; asked for once, however many streams want to know
  const asked = new Map<number, Promise<string | undefined>>()
  const find = (id: number, signal?: AbortSignal): Promise<string | undefined> => {
    const there = known.get(id)
    if (there !== undefined || !lookUp) return Promise.resolve(there)
    let answer = asked.get(id)
    if (!answer) {
      answer = lookUp(id, signal).then(
        (text) => {
          if (text !== undefined) learn(id, text)
          return known.get(id)
        },
        () => {
          asked.delete(id)
          return undefined
        },
      )
      asked.set(id, answer)
    }
    return answer
  }
  return {
    learn,
    textOf: (id) => known.get(id),
    find,
    async spread(ids, text, signal) {
      if (ids.length <= 1) {
        if (ids.length === 1) learn(ids[0]!, text)
        return ids.map(() => text)
      }
      if (text !== '' && !ids.every((id) => known.has(id))) await Promise.all(ids.map((id) => find(id, signal)))
      const parts = ids.map((id) => known.get(id) ?? '')
      return parts.join('') === text ? parts : ids.map((_, i) => (i === ids.length - 1 ? text : ''))
    },
  }
}

/** The same for a chunk whose last id is the end of turn, whose text is no part of the answer. */
export async function spreadBeforeEnd(
  known: Pieces,
  ids: readonly number[],
  text: string,
  signal?: AbortSignal,
): Promise<string[]> {
  if (ids.length <= 1) return ids.map(() => '')
  const mark = (await known.find(ids.at(-1)!, signal)) ?? ''
  const body = mark !== '' && text.endsWith(mark) ? text.slice(0, -mark.length) : text
  return [...(await known.spread(ids.slice(0, -1), body, signal)), '']
}

const fromAlphabet = (() => {
  const visible = (b: number): boolean => (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || (b >= 174 && b <= 255)
  let next = 256
  return new Map(Array.from({ length: 256 }, (_, b) => [visible(b) ? b : next++, b] as const))
})()

/** The bytes of a vocabulary entry written in GPT-2's byte alphabet; undefined for one that is not (special tokens, SentencePiece). */
function bytesOf(entry: string): Uint8Array | undefined {
  const out: number[] = []
  for (const c of entry) {
    const byte = fromAlphabet.get(c.codePointAt(0)!)
    if (byte === undefined) return undefined
    out.push(byte)
  }
  return Uint8Array.from(out)
}

/**
 * Tokens of a text whose ids are known. With the vocabulary's own entries each token gets its bytes, if those add up to the
 * text; otherwise the first token carries all of it, which keeps the trace's text exact at the segment's ends.
 */
export function tokensOf(ids: readonly number[], text: string, entries?: readonly string[]): Token[] {
  if (entries?.length === ids.length) {
    const parts = entries.map((entry) => bytesOf(entry) ?? new TextEncoder().encode(entry))
    if (Buffer.concat(parts).toString('utf8') === text)
      return ids.map((id, i) => {
        const part = Buffer.from(parts[i]!).toString('utf8')
        return part.includes('\ufffd') ? { id, text: '', bytes: parts[i]! } : { id, text: part }
      })
  }
  return ids.map((id, i) => ({ id, text: i === 0 ? text : '' }))
}
