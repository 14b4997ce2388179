import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeBlocks, encodeBlocks, fromHalf, toHalf } from './gguf/blocks.ts'
import { byteAlphabet, ggufChunks, interleaveHeads, llamaGguf, readGguf, writeGguf } from './gguf.ts'

const bytesOf = (gguf: Parameters<typeof ggufChunks>[0]): Uint8Array => Buffer.concat([...ggufChunks(gguf)])

const config = {
  hidden_size: 32,
  intermediate_size: 64,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  max_position_embeddings: 128,
  vocab_size: 3,
}
const shapes = (name: string): number[] | undefined => {
  if (name === 'lm_head.weight') return undefined
  if (name.includes('norm')) return [32]
  if (name.includes('embed')) return [3, 32]
  if (/[kv]_proj/.test(name)) return [16, 32]
  if (/[qo]_proj/.test(name)) return [32, 32]
  return name.includes('down') ? [32, 64] : [64, 32]
}
const tensors = (name: string) => {
  const shape = shapes(name)
  const count = shape?.reduce((a, b) => a * b, 1) ?? 0
  return shape && { shape, data: Float32Array.from({ length: count }, (_, i) => i / 7) }
}
const tokenizer = {
  tokens: [{ text: '<|end|>', kind: 'control' as const }, { text: ' a' }, { text: new Uint8Array([0xe2]) }],
  merges: [[' ', 'a'] as const],
  eos: 0,
}
const model = () => llamaGguf({ name: 'tiny', config, tokenizer, tensors })

describe('number formats', () => {
  it('every half survives the way to a number and back', () => {
    const halves = Array.from({ length: 0x10000 }, (_, half) => half)
    expect(halves.filter((half) => !Number.isNaN(fromHalf(half)) && toHalf(fromHalf(half)) !== half)).toEqual([])
  })

  it('rounds to the nearest half, ties to even', () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true, min: -65504, max: 65504 }), (x) => {
        const half = toHalf(x)
        const here = Math.abs(fromHalf(half) - x)
        for (const near of [half - 1, half + 1]) {
          const value = fromHalf(near & 0xffff)
          if (!Number.isFinite(value) || Math.sign(value) !== Math.sign(x)) continue
          const there = Math.abs(value - x)
          expect(here < there || (here === there && (half & 1) === 0)).toBe(true)
        }
      }),
    )
  })

  it('Q8_0 keeps each number within half a step of its block', () => {
    const row = fc.array(fc.float({ noNaN: true, min: -100, max: 100 }), { minLength: 32, maxLength: 32 })
    fc.assert(
      fc.property(row, (values) => {
        const data = Float32Array.from(values)
        const back = decodeBlocks('Q8_0', encodeBlocks('Q8_0', data), 32)
        const peak = Math.max(...data.map(Math.abs))
        // the scale itself is rounded to half precision: 2^-11 of each value, or one subnormal step
        for (let i = 0; i < 32; i++)
          expect(Math.abs(back[i]! - data[i]!)).toBeLessThanOrEqual(peak / 254 + peak * 2 ** -10 + 127 * 2 ** -24)
      }),
    )
  })
})

describe('gguf', () => {
  it('reads back what it wrote', () => {
    const file = readGguf(bytesOf(model()))
    expect(file.metadata).toMatchObject({
      'general.architecture': 'llama',
      'llama.block_count': 2,
      'llama.attention.head_count_kv': 2,
      'tokenizer.ggml.tokens': ['<|end|>', 'Ġa', 'â'],
      'tokenizer.ggml.token_type': [3, 1, 1],
      'tokenizer.ggml.merges': ['Ġ a'],
      'tokenizer.ggml.add_bos_token': false,
    })
    expect(file.tensors.size).toBe(2 + 2 * 9)
    expect(file.tensors.get('blk.1.ffn_down.weight')?.shape).toEqual([32, 64])
    expect(file.tensors.get('token_embd.weight')?.data()).toEqual(tensors('model.embed_tokens.weight')?.data)
    expect(file.tensors.has('output.weight')).toBe(false)
  })

  it('interleaves the halves of each head', () => {
    const rows = Float32Array.from([0, 1, 2, 3, 10, 11, 12, 13])
    expect([...interleaveHeads(rows, 2, 4, 1)]).toEqual([0, 2, 1, 3, 10, 12, 11, 13])
  })

  it('spells all 256 bytes differently, and as GPT-2 does', () => {
    const all = byteAlphabet(Uint8Array.from({ length: 256 }, (_, i) => i))
    expect(new Set(all).size).toBe(256)
    expect(byteAlphabet(new TextEncoder().encode(' \nA'))).toBe('ĠĊA')
  })

  it('names what is missing or cut off, and leaves no half-written file', () => {
    const dir = mkdtempSync(join(tmpdir(), 'rein-gguf-'))
    const path = join(dir, 'm.gguf')
    const bad = { ...model(), tensors: [{ name: 'x', shape: [2], type: 'F32' as const, data: new Float32Array(1) }] }
    expect(() => writeGguf(path, bad)).toThrow('tensor x has 1 numbers')
    expect(readdirSync(dir)).toEqual([])
    writeGguf(path, model())
    expect(readGguf(readFileSync(path)).tensors.size).toBe(20)
    rmSync(dir, { recursive: true })
    expect(() => llamaGguf({ name: 'tiny', config, tokenizer, tensors: () => undefined })).toThrow('model.embed_tokens')
    expect(() => readGguf(bytesOf(model()).subarray(0, 100))).toThrow('cut off')
    expect(() => readGguf(new TextEncoder().encode('<html>…'))).toThrow('not a GGUF')
  })
})
