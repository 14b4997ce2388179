import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Trace } from '../../trace/trace.ts'
import { byteAlphabet } from '../gguf.ts'
import { tokenizerOf } from './tokenizer.ts'

const spelled = (text: string): string => byteAlphabet(new TextEncoder().encode(text))
const bytes = Array.from({ length: 256 }, (_, b) => byteAlphabet(Uint8Array.of(b)))
const merges = (
  [
    ['h', 'e'],
    ['l', 'l'],
    ['he', 'll'],
    [' ', 'hell'],
    ['a', 'b'],
    ['b', 'c'],
    ['1', '2'],
  ] as const
).map(([a, b]) => [spelled(a), spelled(b)] as const)
const marks = ['<|user|>', '<|end|>', '<|end|>!']
const all = [...marks, ...bytes, ...merges.map(([a, b]) => a + b)]
const tokenizer = tokenizerOf({
  added_tokens: marks.map((content, id) => ({ id, content, special: true })),
  pre_tokenizer: {
    type: 'Sequence',
    pretokenizers: [
      { type: 'Digits', individual_digits: true },
      { type: 'ByteLevel', add_prefix_space: false, use_regex: true },
    ],
  },
  decoder: { type: 'ByteLevel' },
  model: { vocab: Object.fromEntries(all.map((t, i) => [t, i])), merges },
})
const texts = (text: string): string[] => tokenizer.encode(text).map((id) => tokenizer.token(id).text)

describe('tokenizer', () => {
  it('merges by rank, the leftmost first, and keeps digits apart', () => {
    expect(texts('hello hello')).toEqual(['hell', 'o', ' hell', 'o'])
    expect(texts('abc')).toEqual(['ab', 'c'])
    expect(texts('bcabc')).toEqual(['bc', 'ab', 'c'])
    expect(texts('x 112')).toEqual(['x', ' ', '1', '1', '2'])
  })

  it('takes special tokens whole, the longest first, and never merges across them', () => {
    expect(texts('he<|end|>ll')).toEqual(['he', '<|end|>', 'll'])
    expect(texts('<|end|>!<|user|>')).toEqual(['<|end|>!', '<|user|>'])
    expect(tokenizer.special('<|end|>')).toBe(1)
    expect(tokenizer.special('he')).toBeUndefined()
  })

  it('cuts words as GPT-2 does', () => {
    expect(texts("it's  a\n\nb")).toEqual(['i', 't', "'", 's', ' ', ' ', 'a', '\n', '\n', 'b'])
  })

  it('gives back every text, and so does a trace of its tokens', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        const ids = tokenizer.encode(text)
        expect(tokenizer.decode(ids)).toBe(text)
        const trace = Trace.begin('', ids.map(tokenizer.token))
        expect(trace.text).toBe(text)
        expect(trace.ids() ?? []).toEqual(ids)
      }),
    )
  })

  it('says which kind of tokenizer it cannot read', () => {
    const model = { vocab: {}, merges: [] }
    expect(() => tokenizerOf({ model, pre_tokenizer: { type: 'Metaspace' } })).toThrow(/"Metaspace"/)
    expect(() => tokenizerOf({ model, normalizer: { type: 'NFC' } })).toThrow(/normalizer/)
  })
})
