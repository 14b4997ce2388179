import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { InputError } from '../../base/errors.ts'
import { packageRoot } from '../../base/paths.ts'
import type { LlamaConfig } from '../gguf.ts'

/** The marks of a turn in the model's text: config.json's "rein" section, written by training. */
export interface TurnMarkers {
  readonly userOpen: string
  readonly userClose: string
  readonly assistantOpen: string
  readonly thinkOpen: string
  readonly thinkClose: string
  readonly end: string
}

/** The shape of a Llama-layout model, in short names. */
export interface Shape {
  readonly layers: number
  readonly hidden: number
  readonly heads: number
  readonly kvHeads: number
  readonly headDim: number
  readonly ffn: number
  readonly vocab: number
  readonly context: number
  readonly eps: number
  readonly theta: number
}

export interface NanoConfig extends Shape {
  readonly model: string
  readonly markers: TurnMarkers
  /** config.json as it stands, for the GGUF writer */
  readonly llama: LlamaConfig
}

/** Where the weights lie: the given folder, REIN_NANO_WEIGHTS, or the package's own. */
export function weightsDir(given?: string): string {
  const dir = given ?? process.env.REIN_NANO_WEIGHTS ?? join(packageRoot, 'model', 'weights')
  for (const file of ['config.json', 'tokenizer.json'])
    if (!existsSync(join(dir, file)))
      throw new InputError(`there is no ${file} in ${dir}: give a folder with a model in Llama layout`)
  return dir
}

const markerNames = ['userOpen', 'userClose', 'assistantOpen', 'thinkOpen', 'thinkClose', 'end'] as const

type RawConfig = LlamaConfig & {
  readonly rein?: { readonly name?: string; readonly markers?: TurnMarkers } & Partial<TurnMarkers>
}

/** Reads config.json of a weights folder. */
export function readConfig(dir: string): NanoConfig {
  const raw = JSON.parse(readFileSync(join(dir, 'config.json'), 'utf8')) as RawConfig
  const found = raw.rein?.markers ?? raw.rein ?? {}
  for (const name of markerNames)
    if (typeof found[name] !== 'string')
      throw new InputError(`config.json in ${dir} has no "rein.${name}": it tells how a turn is marked`)
  return {
    ...shapeOf(raw),
    model: raw.rein?.name ?? 'nano',
    markers: found as TurnMarkers,
    llama: raw,
  }
}

export function shapeOf(c: LlamaConfig): Shape {
  const shape: Shape = {
    layers: c.num_hidden_layers,
    hidden: c.hidden_size,
    heads: c.num_attention_heads,
    kvHeads: c.num_key_value_heads ?? c.num_attention_heads,
    headDim: c.head_dim ?? c.hidden_size / c.num_attention_heads,
    ffn: c.intermediate_size,
    vocab: c.vocab_size,
    context: c.max_position_embeddings,
    eps: c.rms_norm_eps ?? 1e-6,
    theta: c.rope_theta ?? 10000,
  }
  for (const [name, value] of Object.entries(shape))
    if (!(typeof value === 'number' && value > 0)) throw new InputError(`config.json has no usable value for ${name}`)
  for (const name of ['hidden', 'ffn', 'headDim'] as const)
    if (shape[name] % 32 !== 0)
      throw new InputError(`${name} is ${shape[name]}; the embedded engine needs a multiple of 32`)
  if (shape.heads % shape.kvHeads !== 0)
    throw new InputError(`${shape.heads} heads cannot share ${shape.kvHeads} key/value heads`)
  return shape
}
