import { type Random, random } from '../../src/base/random.ts'
import { type Gguf, type GgufTokenizer, type LlamaConfig, llamaGguf } from '../../src/engine/gguf.ts'

/**
 * A Llama of 100,000 random weights, for driving real servers, and its forward pass in plain arithmetic, for checking that a
 * server computes what the weights say. Its text is nonsense, but a nonsense that every run repeats.
 */
const specials = ['<|endoftext|>', '<|im_start|>', '<|im_end|>'].map((text) => ({ text, kind: 'control' as const }))
const tags = ['<think>', '</think>'].map((text) => ({ text, kind: 'user' as const }))
const printable = Array.from({ length: 95 }, (_, i) => ({ text: String.fromCharCode(32 + i) }))
const words = ['th', 'the', 'in', 'er'].map((text) => ({ text }))

/** 0xC3 and 0xA9: the two bytes of "é", which this model only ever writes one after the other */
export const LEAD = specials.length + tags.length + printable.length + 1
export const TAIL = LEAD + 1

export const tokenizer: GgufTokenizer = {
  tokens: [
    ...specials,
    ...tags,
    ...printable,
    { text: '\n' },
    { text: Uint8Array.of(0xc3) },
    { text: Uint8Array.of(0xa9) },
    ...words,
  ],
  merges: [
    ['t', 'h'],
    ['th', 'e'],
    ['i', 'n'],
    ['e', 'r'],
  ],
  pre: 'qwen2',
  bos: 0,
  eos: 2,
  chatTemplate:
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n<think>\n{% endif %}",
}

export const config = {
  hidden_size: 64,
  intermediate_size: 96,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 16,
  max_position_embeddings: 4096,
  rms_norm_eps: 1e-5,
  rope_theta: 10000,
  vocab_size: tokenizer.tokens.length,
} satisfies LlamaConfig

export type Weights = ReadonlyMap<string, { readonly shape: readonly number[]; readonly data: Float32Array }>

function shapes(): [string, number[]][] {
  const { hidden_size: h, intermediate_size: f, vocab_size: v } = config
  const kv = config.num_key_value_heads * config.head_dim
  const q = config.num_attention_heads * config.head_dim
  const out: [string, number[]][] = [
    ['model.embed_tokens.weight', [v, h]],
    ['model.norm.weight', [h]],
    ['lm_head.weight', [v, h]],
  ]
  for (let n = 0; n < config.num_hidden_layers; n++) {
    const at = `model.layers.${n}.`
    out.push([`${at}input_layernorm.weight`, [h]], [`${at}post_attention_layernorm.weight`, [h]])
    out.push([`${at}self_attn.q_proj.weight`, [q, h]], [`${at}self_attn.k_proj.weight`, [kv, h]])
    out.push([`${at}self_attn.v_proj.weight`, [kv, h]], [`${at}self_attn.o_proj.weight`, [h, q]])
    out.push([`${at}mlp.gate_proj.weight`, [f, h]], [`${at}mlp.up_proj.weight`, [f, h]])
    out.push([`${at}mlp.down_proj.weight`, [h, f]])
  }
  return out
}

const gaussian = (r: Random): number => Math.sqrt(-2 * Math.log(1 - r.next())) * Math.cos(2 * Math.PI * r.next())

export function weights(seed = 1): Weights {
  const out = new Map<string, { shape: number[]; data: Float32Array }>()
  for (const [name, shape] of shapes()) {
    const r = random(`${seed}/${name}`)
    const scale = name.includes('norm') ? 0.1 : name.includes('embed') ? 1 : name === 'lm_head.weight' ? 0.3 : 0.25
    const centre = name.includes('norm') ? 1 : 0
    const data = Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => centre + scale * gaussian(r))
    out.set(name, { shape, data })
  }
  pairBytes(out)
  return out
}

/** Two dimensions that no layer writes say "the last token was 0xC3": there 0xA9 is certain, elsewhere impossible. */
function pairBytes(all: Map<string, { shape: number[]; data: Float32Array }>): void {
  const h = config.hidden_size
  const [here, elsewhere] = [h - 1, h - 2]
  const embed = all.get('model.embed_tokens.weight')!.data
  const head = all.get('lm_head.weight')!.data
  for (let id = 0; id < config.vocab_size; id++) {
    embed[id * h + here] = id === LEAD ? 400 : 0
    embed[id * h + elsewhere] = id === LEAD ? 0 : 40
    head[id * h + here] = id === TAIL ? 5 : 0
    head[id * h + elsewhere] = id === TAIL ? -10 : id === LEAD ? 0.8 : 0
  }
  for (const [name, { data, shape }] of all)
    if (/o_proj|down_proj/.test(name))
      for (const row of [here, elsewhere]) data.fill(0, row * shape[1]!, (row + 1) * shape[1]!)
}

export function tinyLlama(from: Weights = weights(), type: 'F32' | 'F16' = 'F32'): Gguf {
  return llamaGguf({ name: 'tiny', config, tokenizer, tensors: (name) => from.get(name), type })
}

/** Log-probabilities of the next token, as transformers' LlamaForCausalLM computes them (halves of a head are rotated). */
export function nextLogprobs(all: Weights, ids: readonly number[]): Float64Array {
  const { hidden_size: h, head_dim: d, num_attention_heads: heads, num_key_value_heads: groups } = config
  const w = (name: string): Float32Array => all.get(name)!.data
  const embed = w('model.embed_tokens.weight')
  const xs = ids.map((id) => Float64Array.from(embed.subarray(id * h, (id + 1) * h)))
  for (let n = 0; n < config.num_hidden_layers; n++) {
    const at = `model.layers.${n}.`
    const normed = xs.map((x) => rms(x, w(`${at}input_layernorm.weight`)))
    const project = (name: string, count: number) =>
      normed.map((x, t) => {
        const y = multiply(w(`${at}self_attn.${name}.weight`), x)
        return name === 'v_proj' ? y : rotate(y, count, d, t)
      })
    const [q, k, v] = [project('q_proj', heads), project('k_proj', groups), project('v_proj', groups)]
    const attended = q.map((_, t) => attend(q[t]!, k, v, t, heads, heads / groups, d))
    for (const [t, y] of attended.entries()) add(xs[t]!, multiply(w(`${at}self_attn.o_proj.weight`), y))
    for (const x of xs) {
      const y = rms(x, w(`${at}post_attention_layernorm.weight`))
      const gate = multiply(w(`${at}mlp.gate_proj.weight`), y)
      const up = multiply(w(`${at}mlp.up_proj.weight`), y)
      add(
        x,
        multiply(
          w(`${at}mlp.down_proj.weight`),
          gate.map((g, i) => (g / (1 + Math.exp(-g))) * up[i]!),
        ),
      )
    }
  }
  const logits = multiply(w('lm_head.weight'), rms(xs.at(-1)!, w('model.norm.weight')))
  const peak = Math.max(...logits)
  const total = Math.log(logits.reduce((sum, l) => sum + Math.exp(l - peak), 0)) + peak
  return logits.map((l) => l - total)
}

const rms = (x: Float64Array, weight: Float32Array): Float64Array => {
  const scale = 1 / Math.sqrt(x.reduce((sum, v) => sum + v * v, 0) / x.length + config.rms_norm_eps)
  return x.map((v, i) => v * scale * weight[i]!)
}

const multiply = (matrix: Float32Array, x: Float64Array): Float64Array =>
  Float64Array.from({ length: matrix.length / x.length }, (_, row) =>
    x.reduce((sum, v, i) => sum + v * matrix[row * x.length + i]!, 0),
  )

const add = (x: Float64Array, y: Float64Array): void => {
  for (let i = 0; i < x.length; i++) x[i]! += y[i]!
}

function rotate(x: Float64Array, heads: number, d: number, position: number): Float64Array {
  const out = new Float64Array(x.length)
  for (let head = 0; head < heads; head++)
    for (let i = 0; i < d / 2; i++) {
      const angle = position * config.rope_theta ** ((-2 * i) / d)
      const [a, b] = [x[head * d + i]!, x[head * d + d / 2 + i]!]
      out[head * d + i] = a * Math.cos(angle) - b * Math.sin(angle)
      out[head * d + d / 2 + i] = b * Math.cos(angle) + a * Math.sin(angle)
    }
  return out
}

function attend(
  q: Float64Array,
  k: readonly Float64Array[],
  v: readonly Float64Array[],
  t: number,
  heads: number,
  share: number,
  d: number,
): Float64Array {
  const out = new Float64Array(heads * d)
  for (let head = 0; head < heads; head++) {
    const from = Math.floor(head / share) * d
    const scores = Array.from({ length: t + 1 }, (_, s) => {
      let dot = 0
      for (let i = 0; i < d; i++) dot += q[head * d + i]! * k[s]![from + i]!
      return dot / Math.sqrt(d)
    })
    const peak = Math.max(...scores)
    const weights = scores.map((s) => Math.exp(s - peak))
    const total = weights.reduce((a, b) => a + b, 0)
    for (let s = 0; s <= t; s++)
      for (let i = 0; i < d; i++) out[head * d + i]! += (weights[s]! / total) * v[s]![from + i]!
  }
  return out
}
