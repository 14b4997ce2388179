import { InputError } from '../base/errors.ts'
import type { TensorType } from './gguf/blocks.ts'
import type { Gguf, GgufTensor, GgufValue } from './gguf/format.ts'

/**
 * Writes models for llama.cpp. A model in Llama layout comes in with the tensor names, shapes and row order of
 * transformers (safetensors) and goes out as GGUF. Knows the two layouts; runs nothing.
 */
export type { TensorType } from './gguf/blocks.ts'
export { type Gguf, type GgufFile, type GgufTensor, ggufChunks, readGguf, writeGguf } from './gguf/format.ts'

/** The fields of a transformers `config.json` for LlamaForCausalLM that matter here, by their own names. */
export interface LlamaConfig {
  readonly hidden_size: number
  readonly intermediate_size: number
  readonly num_hidden_layers: number
  readonly num_attention_heads: number
  readonly num_key_value_heads?: number
  /** hidden_size / num_attention_heads unless given */
  readonly head_dim?: number
  readonly max_position_embeddings: number
  readonly rms_norm_eps?: number
  readonly rope_theta?: number
  readonly vocab_size: number
}

/**
 * A BPE vocabulary. `text` is plain text: it is put into GPT-2's byte alphabet here. Control and user tokens are matched
 * whole before any merging (control ones only where the caller allows special tokens).
 */
export interface GgufTokenizer {
  readonly tokens: readonly { readonly text: string | Uint8Array; readonly kind?: keyof typeof tokenKinds }[]
  readonly merges: readonly (readonly [left: string, right: string])[]
  /** how llama.cpp cuts text before merging: "gpt-2", "qwen2" (single digits), "llama-bpe" … */
  readonly pre?: string
  readonly bos?: number
  readonly eos: number
  readonly pad?: number
  /** put the BOS before every text that is tokenised (default false: prompts are rendered with all they need) */
  readonly addBos?: boolean
  readonly chatTemplate?: string
}

/** A tensor by its name in transformers; read when it is written. */
export type TensorSource = (
  name: string,
) => { readonly shape: readonly number[]; readonly data: Float32Array } | undefined

const tokenKinds = { normal: 1, unknown: 2, control: 3, user: 4, unused: 5, byte: 6 } as const

const perLayer: readonly (readonly [hf: string, gguf: string])[] = [
  ['input_layernorm', 'attn_norm'],
  ['self_attn.q_proj', 'attn_q'],
  ['self_attn.k_proj', 'attn_k'],
  ['self_attn.v_proj', 'attn_v'],
  ['self_attn.o_proj', 'attn_output'],
  ['post_attention_layernorm', 'ffn_norm'],
  ['mlp.gate_proj', 'ffn_gate'],
  ['mlp.up_proj', 'ffn_up'],
  ['mlp.down_proj', 'ffn_down'],
]

/**
 * A Llama-layout model as GGUF.
 * @example writeGguf('nano.gguf', llamaGguf({ name: 'nano', config, tokenizer, tensors: (name) => weights.get(name), type: 'F16' }))
 */
export function llamaGguf(model: {
  readonly name: string
  readonly config: LlamaConfig
  readonly tokenizer: GgufTokenizer
  readonly tensors: TensorSource
  /** of the matrices; norms are always F32. Default F32 */
  readonly type?: TensorType
}): Gguf {
  const { name, config, tokenizer, tensors, type = 'F32' } = model
  if (tokenizer.tokens.length !== config.vocab_size)
    throw new InputError(`the tokenizer has ${tokenizer.tokens.length} tokens, the config says ${config.vocab_size}`)
  return {
    metadata: { ...llamaMetadata(name, config, type), ...tokenizerMetadata(tokenizer) },
    tensors: llamaTensors(config, tensors, type),
  }
}

const headDim = (config: LlamaConfig): number => config.head_dim ?? config.hidden_size / config.num_attention_heads

function llamaMetadata(name: string, config: LlamaConfig, type: TensorType): Record<string, GgufValue> {
  const u32 = (value: number): GgufValue => ({ type: 'u32', value })
  const f32 = (value: number): GgufValue => ({ type: 'f32', value })
  return {
    'general.architecture': { type: 'string', value: 'llama' },
    'general.name': { type: 'string', value: name },
    'general.alignment': u32(32),
    'general.file_type': u32({ F32: 0, F16: 1, Q8_0: 7 }[type]),
    'general.quantization_version': u32(2),
    'llama.vocab_size': u32(config.vocab_size),
    'llama.context_length': u32(config.max_position_embeddings),
    'llama.embedding_length': u32(config.hidden_size),
    'llama.block_count': u32(config.num_hidden_layers),
    'llama.feed_forward_length': u32(config.intermediate_size),
    'llama.attention.head_count': u32(config.num_attention_heads),
    'llama.attention.head_count_kv': u32(config.num_key_value_heads ?? config.num_attention_heads),
    'llama.attention.key_length': u32(headDim(config)),
    'llama.attention.value_length': u32(headDim(config)),
    'llama.rope.dimension_count': u32(headDim(config)),
    'llama.rope.freq_base': f32(config.rope_theta ?? 10000),
    'llama.attention.layer_norm_rms_epsilon': f32(config.rms_norm_eps ?? 1e-6),
  }
}

function tokenizerMetadata(tokenizer: GgufTokenizer): Record<string, GgufValue> {
  const { tokens, merges, pre = 'gpt-2', bos, eos, pad, addBos = false, chatTemplate } = tokenizer
  const literal = new Set(['control', 'user', 'unknown', 'unused'])
  const stored = tokens.map(({ text, kind = 'normal' }) => {
    if (typeof text === 'string' && literal.has(kind)) return text
    return byteAlphabet(typeof text === 'string' ? new TextEncoder().encode(text) : text)
  })
  const spelled = (text: string): string => byteAlphabet(new TextEncoder().encode(text))
  return {
    'tokenizer.ggml.model': { type: 'string', value: 'gpt2' },
    'tokenizer.ggml.pre': { type: 'string', value: pre },
    'tokenizer.ggml.tokens': { type: 'strings', value: stored },
    'tokenizer.ggml.token_type': { type: 'i32s', value: tokens.map(({ kind = 'normal' }) => tokenKinds[kind]) },
    'tokenizer.ggml.merges': { type: 'strings', value: merges.map(([a, b]) => `${spelled(a)} ${spelled(b)}`) },
    ...(bos !== undefined && { 'tokenizer.ggml.bos_token_id': { type: 'u32', value: bos } as const }),
    'tokenizer.ggml.eos_token_id': { type: 'u32', value: eos },
    ...(pad !== undefined && { 'tokenizer.ggml.padding_token_id': { type: 'u32', value: pad } as const }),
    'tokenizer.ggml.add_bos_token': { type: 'bool', value: addBos },
    'tokenizer.ggml.add_eos_token': { type: 'bool', value: false },
    ...(chatTemplate !== undefined && { 'tokenizer.chat_template': { type: 'string', value: chatTemplate } as const }),
  }
}

/** GPT-2's printable stand-ins for bytes: visible Latin-1 stands for itself, the other 68 bytes follow from U+0100 on. */
export function byteAlphabet(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => alphabet[byte]!).join('')
}

const alphabet: readonly string[] = (() => {
  const visible = (b: number): boolean => (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || (b >= 174 && b <= 255)
  let next = 256
  return Array.from({ length: 256 }, (_, b) => String.fromCharCode(visible(b) ? b : next++))
})()

function llamaTensors(config: LlamaConfig, source: TensorSource, type: TensorType): GgufTensor[] {
  const dim = headDim(config)
  const make = (hf: string, gguf: string, heads?: number): GgufTensor => {
    const found = source(hf)
    if (!found) throw new InputError(`the model has no tensor ${hf}; a Llama layout needs it`)
    const { shape } = found
    if (heads !== undefined && shape[0] !== heads * dim)
      throw new InputError(`tensor ${hf} has ${shape[0]} rows, ${heads} heads of ${dim} were expected`)
    const data = () => {
      const rows = source(hf)!.data
      return heads === undefined ? rows : interleaveHeads(rows, heads, dim, shape[1]!)
    }
    return { name: `${gguf}.weight`, shape, type: shape.length === 1 ? 'F32' : type, data }
  }
  const out = [make('model.embed_tokens.weight', 'token_embd'), make('model.norm.weight', 'output_norm')]
  // tied embeddings: llama.cpp takes token_embd for the output when there is no output tensor
  if (source('lm_head.weight')) out.push(make('lm_head.weight', 'output'))
  for (let n = 0; n < config.num_hidden_layers; n++)
    for (const [hf, gguf] of perLayer) {
      const heads =
        gguf === 'attn_q'
          ? config.num_attention_heads
          : gguf === 'attn_k'
            ? (config.num_key_value_heads ?? config.num_attention_heads)
            : undefined
      out.push(make(`model.layers.${n}.${hf}.weight`, `blk.${n}.${gguf}`, heads))
    }
  return out
}

/**
 * transformers rotates the two halves of a head against each other, llama.cpp neighbouring pairs: row i of the first half
 * and row i of the second become rows 2i and 2i+1 (convert_hf_to_gguf.py, LlamaModel.permute).
 */
export function interleaveHeads(rows: Float32Array, heads: number, dim: number, columns: number): Float32Array {
  const out = new Float32Array(rows.length)
  const half = dim / 2
  for (let h = 0; h < heads; h++)
    for (let i = 0; i < half; i++)
      for (let side = 0; side < 2; side++) {
        const from = (h * dim + side * half + i) * columns
        out.set(rows.subarray(from, from + columns), (h * dim + 2 * i + side) * columns)
      }
  return out
}
