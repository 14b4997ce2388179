import type { Shape } from './config.ts'
import type { Source } from './weights.ts'

/**
 * The same transformer in plain float64, one loop after another, to check the fast one against. It shares no code with it.
 */
export interface Reference {
  /** for each position: the logits, and the attention entropy of every head, layer by layer */
  run(ids: readonly number[]): { logits: Float64Array[]; entropies: Float64Array[] }
}

type Vector = Float64Array

function multiply(w: Float32Array, x: Vector): Vector {
  const out = new Float64Array(w.length / x.length)
  for (let r = 0, at = 0; r < out.length; r++) {
    let sum = 0
    for (let k = 0; k < x.length; k++, at++) sum += w[at]! * x[k]!
    out[r] = sum
  }
  return out
}

function rmsNorm(x: Vector, w: Float32Array, eps: number): Vector {
  const scale = 1 / Math.sqrt(x.reduce((s, v) => s + v * v, 0) / x.length + eps)
  return x.map((v, i) => v * scale * w[i]!)
}

function rotate(x: Vector, position: number, d: number, theta: number): void {
  const half = d / 2
  for (let at = 0; at < x.length; at += d)
    for (let i = 0; i < half; i++) {
      const angle = position * theta ** (-i / half)
      const a = x[at + i]!
      const b = x[at + i + half]!
      x[at + i] = a * Math.cos(angle) - b * Math.sin(angle)
      x[at + i + half] = b * Math.cos(angle) + a * Math.sin(angle)
    }
}

export function reference(shape: Shape, source: Source): Reference {
  const { hidden, heads, kvHeads, headDim: d, layers, eps, theta } = shape
  const cached = new Map<string, Float32Array>()
  const get = (name: string): Float32Array => {
    let w = cached.get(name)
    if (!w) cached.set(name, (w = source(name)))
    return w
  }

  function attend(q: Vector, keys: Vector[], values: Vector[], entropy: Float64Array, at: number): Vector {
    const out = new Float64Array(heads * d)
    for (let h = 0; h < heads; h++) {
      const kv = Math.floor(h / (heads / kvHeads)) * d
      const scores = keys.map((k) => {
        let s = 0
        for (let i = 0; i < d; i++) s += q[h * d + i]! * k[kv + i]!
        return s / Math.sqrt(d)
      })
      const top = scores.reduce((a, b) => Math.max(a, b))
      const e = scores.map((s) => Math.exp(s - top))
      const sum = e.reduce((a, b) => a + b)
      let H = 0
      for (let j = 0; j < e.length; j++) {
        const p = e[j]! / sum
        if (p > 0) H -= p * Math.log(p)
        for (let i = 0; i < d; i++) out[h * d + i]! += p * values[j]![kv + i]!
      }
      entropy[at + h] = H
    }
    return out
  }

  function run(ids: readonly number[]): { logits: Float64Array[]; entropies: Float64Array[] } {
    const embed = get('model.embed_tokens.weight')
    const keys: Vector[][] = Array.from({ length: layers }, () => [])
    const values: Vector[][] = Array.from({ length: layers }, () => [])
    const logits: Float64Array[] = []
    const entropies: Float64Array[] = []
    ids.forEach((id, position) => {
      let x: Vector = Float64Array.from(embed.subarray(id * hidden, (id + 1) * hidden))
      const entropy = new Float64Array(layers * heads)
      for (let n = 0; n < layers; n++) {
        const w = (name: string): Float32Array => get(`model.layers.${n}.${name}.weight`)
        const a = rmsNorm(x, w('input_layernorm'), eps)
        const q = multiply(w('self_attn.q_proj'), a)
        const k = multiply(w('self_attn.k_proj'), a)
        rotate(q, position, d, theta)
        rotate(k, position, d, theta)
        keys[n]!.push(k)
        values[n]!.push(multiply(w('self_attn.v_proj'), a))
        const o = multiply(w('self_attn.o_proj'), attend(q, keys[n]!, values[n]!, entropy, n * heads))
        x = x.map((v, i) => v + o[i]!)
        const b = rmsNorm(x, w('post_attention_layernorm'), eps)
        const up = multiply(w('mlp.up_proj'), b)
        const gated = multiply(w('mlp.gate_proj'), b).map((g, i) => (g / (1 + Math.exp(-g))) * up[i]!)
        const down = multiply(w('mlp.down_proj'), gated)
        x = x.map((v, i) => v + down[i]!)
      }
      logits.push(multiply(get('lm_head.weight'), rmsNorm(x, get('model.norm.weight'), eps)))
      entropies.push(entropy)
    })
    return { logits, entropies }
  }
  return { run }
}
