import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { packageRoot } from '../src/base/paths.ts'
import { random } from '../src/base/random.ts'
import { readTokenizer } from '../src/engine/nano/tokenizer.ts'
import { bpe, tokenizerJson, trainMerges } from './bpe.ts'
import { textOf, tokens } from './doc.ts'
import { make } from './mix.ts'

const shipped = bpe(JSON.parse(readFileSync(join(packageRoot, 'model/weights/tokenizer.json'), 'utf8')))
const pieces = (text: string): string[] => shipped.encode(text).map((id) => shipped.decode([id]))

describe("nano's tokenizer", () => {
  test('gives back any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(shipped.decode(shipped.encode(text))).toBe(text)
      }),
    )
  })

  test('digits, line breaks and the cells of a maze are tokens of their own', () => {
    expect(pieces('10 + 24 = 34')).toEqual(['1', '0', ' +', ' ', '2', '4', ' =', ' ', '3', '4'])
    expect(pieces('#EXXS #\n\n##X X##')).toEqual([...'#EXXS #\n\n##X X##'])
    expect(pieces('\\boxed{B}.')).toContain('B')
  })

  test('cuts training text as the engine does', () => {
    const engine = readTokenizer(join(packageRoot, 'model/weights'))
    for (let n = 0; n < 60; n++) {
      const text = textOf(make(random(`engine/${n}`), 'all').doc.parts)
      expect(shipped.encode(text)).toEqual(engine.encode(text))
    }
  })

  test('special tokens are found in the text', () => {
    expect(shipped.encode('<|user|>hi<|end|><|assistant|><think>\n</think>')).toEqual(
      expect.arrayContaining([0, 1, 2, 3, 4]),
    )
  })

  test('the same text gives the same merges, whatever its order', () => {
    const texts = Array.from({ length: 40 }, (_, n) => textOf(make(random(`merges/${n}`), 'all').doc.parts))
    const merges = trainMerges(texts, 120)
    expect(merges).toEqual(trainMerges([...texts].reverse(), 120))
    const small = bpe(tokenizerJson(merges))
    for (const text of texts) expect(small.decode(small.encode(text))).toBe(text)
  })

  test('a document’s tokens are those of its pieces, and the mask fits them', () => {
    for (let n = 0; n < 150; n++) {
      const { doc } = make(random(`mask/${n}`), 'all')
      const { ids, mask } = tokens(doc, shipped)
      expect(shipped.decode(ids)).toBe(textOf(doc.parts))
      expect(mask).toHaveLength(ids.length)
      expect(mask[0]! & 2).toBe(2)
      const learnt = shipped.decode(ids.filter((_, i) => mask[i]! & 1))
      // seams may cost a token, but never give one away
      const own = textOf(doc.parts.filter((p) => p.kind === 'own'))
      expect(learnt.length).toBeLessThanOrEqual(own.length)
      expect(learnt.length).toBeGreaterThan(0.9 * own.length)
    }
  })
})
