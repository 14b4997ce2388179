import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { InputError } from '../../base/errors.ts'
import { byteAlphabet, type GgufTokenizer, llamaGguf, type TensorType, writeGguf } from '../gguf.ts'
import { type NanoConfig, readConfig } from './config.ts'
import { readSafetensors, saveSafetensors, toFloat32 } from './safetensors.ts'
import type { TokenizerJson } from './tokenizer.ts'
import { buildImage, sourceOf } from './weights.ts'

/** The embedded model in other forms, all made from the one canonical set of weights. */
export const formats = {
  gguf: 'for llama.cpp, matrices in Q8_0',
  'gguf-f16': 'for llama.cpp, matrices in F16',
  'gguf-f32': 'for llama.cpp, everything in F32',
  q8: "this engine's own int8 form",
  f32: 'safetensors in F32',
} as const

export type Format = keyof typeof formats

const ggufTypes: Partial<Record<Format, TensorType>> = { gguf: 'Q8_0', 'gguf-f16': 'F16', 'gguf-f32': 'F32' }

/** Writes `file` in the given format from a weights folder. */
export async function exportModel(dir: string, format: Format, file: string): Promise<void> {
  const config = readConfig(dir)
  const type = ggufTypes[format]
  if (type) {
    const tensors = readSafetensors(dir)
    await writeGguf(
      file,
      llamaGguf({
        name: config.model,
        config: config.llama,
        tokenizer: ggufTokenizer(dir, config),
        type,
        tensors: (name) => {
          const found = tensors.get(name)
          return found && { shape: found.shape, data: toFloat32(found) }
        },
      }),
    )
  } else if (format === 'q8') {
    saveSafetensors(file, Object.fromEntries(buildImage(config, sourceOf(dir), 'int8')), { format: 'rein-nano-int8' })
  } else {
    const floats = [...readSafetensors(dir)].map(([name, tensor]) => {
      const data = toFloat32(tensor)
      return [name, { dtype: 'F32', shape: tensor.shape, bytes: new Uint8Array(data.buffer) }] as const
    })
    saveSafetensors(file, Object.fromEntries(floats), { format: 'pt' })
  }
}

/** The same turns as template.ts, in the words that llama.cpp's server reads. */
function chatTemplate({ markers: m }: NanoConfig): string {
  const text = (s: string): string => JSON.stringify(s)
  return [
    '{%- for message in messages -%}',
    `{%- if message.role == "assistant" -%}{{ ${text(m.assistantOpen)} + message.content + ${text(m.end)} }}`,
    `{%- else -%}{{ ${text(m.userOpen)} + message.content + ${text(m.userClose)} }}{%- endif -%}`,
    '{%- endfor -%}',
    `{%- if add_generation_prompt -%}{{ ${text(`${m.assistantOpen}${m.thinkOpen}\n`)} }}{%- endif -%}`,
  ].join('')
}

function ggufTokenizer(dir: string, config: NanoConfig): GgufTokenizer {
  const json = JSON.parse(readFileSync(join(dir, 'tokenizer.json'), 'utf8')) as TokenizerJson
  const byteOf = new Map(Array.from({ length: 256 }, (_, b) => [byteAlphabet(Uint8Array.of(b)), b]))
  const bytes = (spelled: string): Uint8Array =>
    Uint8Array.from(spelled, (c) => {
      const b = byteOf.get(c)
      if (b === undefined) throw new InputError('only byte-level tokenizers can be written to GGUF')
      return b
    })
  const added = new Map((json.added_tokens ?? []).map((t) => [t.id, t.content]))
  const tokens: GgufTokenizer['tokens'][number][] = []
  for (const [spelled, id] of Object.entries(json.model.vocab))
    if (!added.has(id)) tokens[id] = { text: bytes(spelled) }
  for (const [id, text] of added) tokens[id] = { text, kind: 'control' }
  for (let id = 0; id < config.vocab; id++) tokens[id] ??= { text: `<unused ${id}>`, kind: 'unused' }
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  const eos = tokens.findIndex((t) => t.text === config.markers.end)
  if (eos < 0) throw new InputError(`tokenizer.json has no token "${config.markers.end}", which ends a turn`)
  return {
    tokens,
    merges: json.model.merges.map((m) => {
      const [a, b] = typeof m === 'string' ? (m.split(' ') as [string, string]) : m
      return [utf8.decode(bytes(a)), utf8.decode(bytes(b))]
    }),
    // llama.cpp's name for GPT-2's words with every digit apart.
    pre: JSON.stringify(json.pre_tokenizer).includes('"Digits"') ? 'smollm' : 'gpt-2',
    eos,
    chatTemplate: chatTemplate(config),
  }
}
