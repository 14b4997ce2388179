import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { random } from '../../base/random.ts'
import { byteAlphabet, type LlamaConfig } from '../gguf.ts'
import { saveSafetensors } from './safetensors.ts'

/**
 * A weights folder with random numbers in the shape of nano, for tests and benches that want speed and exactness and no
 * meaning. The same seed gives the same files.
 */
export const nanoShape: LlamaConfig = {
  hidden_size: 320,
  intermediate_size: 896,
  num_hidden_layers: 8,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 64,
  max_position_embeddings: 4096,
  rms_norm_eps: 1e-5,
  rope_theta: 10000,
  vocab_size: 1280,
}

const marks = ['<|user|>', '<|assistant|>', '<|end|>', '<think>', '</think>']

/** Names and shapes of a Llama layout with tied embeddings. */
export function tensorShapes(c: LlamaConfig): [name: string, shape: number[]][] {
  const d = c.head_dim ?? c.hidden_size / c.num_attention_heads
  const q = c.num_attention_heads * d
  const kv = (c.num_key_value_heads ?? c.num_attention_heads) * d
  const layer = (n: number): [string, number[]][] => [
    [`model.layers.${n}.input_layernorm.weight`, [c.hidden_size]],
    [`model.layers.${n}.self_attn.q_proj.weight`, [q, c.hidden_size]],
    [`model.layers.${n}.self_attn.k_proj.weight`, [kv, c.hidden_size]],
    [`model.layers.${n}.self_attn.v_proj.weight`, [kv, c.hidden_size]],
    [`model.layers.${n}.self_attn.o_proj.weight`, [c.hidden_size, q]],
    [`model.layers.${n}.post_attention_layernorm.weight`, [c.hidden_size]],
    [`model.layers.${n}.mlp.gate_proj.weight`, [c.intermediate_size, c.hidden_size]],
    [`model.layers.${n}.mlp.up_proj.weight`, [c.intermediate_size, c.hidden_size]],
    [`model.layers.${n}.mlp.down_proj.weight`, [c.hidden_size, c.intermediate_size]],
  ]
  return [
    ['model.embed_tokens.weight', [c.vocab_size, c.hidden_size]],
    ['model.norm.weight', [c.hidden_size]],
    ...Array.from({ length: c.num_hidden_layers }, (_, n) => layer(n)).flat(),
  ]
}

/** Bytes and marks, and pairs of letters up to the size wanted. */
function randomTokenizer(size: number): object {
  const bytes = Array.from({ length: 256 }, (_, b) => byteAlphabet(Uint8Array.of(b)))
  const merges: [string, string][] = []
  const letters = Array.from('etaoinshrdlucmfwypvbgkjqxz ', (c) => byteAlphabet(new TextEncoder().encode(c)))
  for (const a of [...letters].reverse())
    for (const b of letters.slice(0, 26)) if (merges.length < size - 256 - marks.length) merges.push([a, b])
  for (const [a, b] of merges.slice()) {
    for (const c of letters.slice(0, 26)) if (merges.length < size - 256 - marks.length) merges.push([a + b, c])
  }
  const all = [...marks, ...bytes, ...merges.map(([a, b]) => a + b)]
  return {
    added_tokens: marks.map((content, id) => ({ id, content, special: true })),
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Digits', individual_digits: true },
        { type: 'ByteLevel', add_prefix_space: false, use_regex: true },
      ],
    },
    decoder: { type: 'ByteLevel' },
    model: { type: 'BPE', vocab: Object.fromEntries(all.map((t, i) => [t, i])), merges },
  }
}

export function writeRandomModel(dir: string, config: LlamaConfig = nanoShape, seed = 1): void {
  mkdirSync(dir, { recursive: true })
  const rng = random(seed)
  const normal = (): number => (rng.next() + rng.next() + rng.next() + rng.next() - 2) * 1.7320508
  const tensors = tensorShapes(config).map(([name, shape]) => {
    const columns = shape[1]
    const scale = columns === undefined ? 0.1 : 1 / Math.sqrt(columns)
    const data = new Float32Array(shape.reduce((a, b) => a * b))
    for (let i = 0; i < data.length; i++) data[i] = (columns === undefined ? 1 : 0) + scale * normal()
    return [name, { dtype: 'F32', shape, bytes: new Uint8Array(data.buffer) }] as const
  })
  saveSafetensors(join(dir, 'model.safetensors'), Object.fromEntries(tensors))
  const [user, assistant, end, thinkOpen, thinkClose] = marks
  const rein = {
    name: 'nano-random',
    markers: { userOpen: user, userClose: '', assistantOpen: assistant, thinkOpen, thinkClose, end },
  }
  writeFileSync(join(dir, 'config.json'), JSON.stringify({ ...config, tie_word_embeddings: true, rein }))
  writeFileSync(join(dir, 'tokenizer.json'), JSON.stringify(randomTokenizer(config.vocab_size)))
}
