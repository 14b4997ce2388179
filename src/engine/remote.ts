import { InputError } from '../base/errors.ts'
import type { TopLogprob } from '../trace/token.ts'
import type { Abilities, Sampling, StreamOptions } from './engine.ts'
import { EngineError } from './errors.ts'
import type { Json } from './exchange.ts'
import type { Http, HttpOptions } from './http.ts'

/** What the engines over HTTP have in common: their options, their defaults, and careful reading of JSON. */
export interface RemoteOptions extends HttpOptions {
  /** which of the server's models; needed only where it has several */
  readonly model?: string
  /** context in tokens, where the server does not say or must be told (Ollama) */
  readonly context?: number
  /** vLLM and SGLang: keeps the cache of one tenant apart; forks carry the same salt, so they still share it */
  readonly cacheSalt?: string
}

/** Every field is always sent: servers differ in their defaults (vLLM takes them from the model's generation_config). */
export function samplingOf(options: Sampling): Required<Omit<Sampling, 'seed'>> & { readonly seed?: number } {
  const { temperature = 0, topP = 1, topK = 0, minP = 0, repetitionPenalty = 1, seed } = options
  return { temperature, topP, topK, minP, repetitionPenalty, ...(seed !== undefined && { seed }) }
}

/** Refuses what the engine cannot do, before anything is sent. */
export function assertAble(name: string, can: Abilities, options: StreamOptions, why = ''): void {
  const k = options.topLogprobs ?? 0
  if (k > can.topLogprobs)
    throw new EngineError(
      'unsupported',
      `${name} gives at most ${can.topLogprobs} alternatives a token and ${k} were asked for${why || ': ask for fewer'}`,
    )
  if (options.attention)
    throw new EngineError('unsupported', `${name} gives no attention entropy: use the predictive entropy or nano`)
}

/** The model to use of those that the server has. */
export function pickModel(url: string, names: readonly string[], wanted: string | undefined): string {
  if (wanted !== undefined) {
    if (names.length === 0 || names.includes(wanted)) return wanted
    throw new InputError(`${url} has no model "${wanted}"; it has: ${names.join(', ')}`)
  }
  const [first, ...others] = names
  if (first === undefined) throw new EngineError('refused', `${url} has no model: load one first`)
  if (others.length > 0) throw new InputError(`${url} has several models, name one after "#": ${names.join(', ')}`)
  return first
}

export interface ModelCard {
  readonly id: string
  readonly owner: string | undefined
  readonly context: number | undefined
  readonly parent: string | undefined
  readonly meta: Json
}

/** GET /v1/models, which all but Ollama's own API share. */
export async function modelCards(http: Http, signal?: AbortSignal): Promise<ModelCard[]> {
  const body = asObject(await http.get('/v1/models', signal))
  return asList(body.data).map((raw) => {
    const card = asObject(raw)
    return {
      id: asText(card.id) ?? '',
      owner: asText(card.owned_by),
      context: asNumber(card.max_model_len),
      parent: asText(card.parent),
      meta: asObject(card.meta),
    }
  })
}

export const asObject = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
export const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
export const asNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined
export const asIds = (value: unknown): number[] => asList(value).filter((id): id is number => Number.isInteger(id))

/** -inf comes as null, -9999 or -Infinity; a sampled token's own value may be missing. */
export const logprobOf = (value: unknown): number => asNumber(value) ?? Number.NEGATIVE_INFINITY

/** Only entries with a number, most likely first. */
export function sorted(top: readonly TopLogprob[]): TopLogprob[] {
  return [...top].sort((a, b) => b.logprob - a.logprob)
}

/** Bytes given as a list of numbers; undefined where there are none. */
export function asBytes(value: unknown): Uint8Array | undefined {
  const list = asIds(value)
  return list.length > 0 ? Uint8Array.from(list) : undefined
}

/** Text of a token from its bytes: '' while they do not make whole characters, in which case the bytes go along. */
export function textAndBytes(bytes: Uint8Array): { text: string; bytes?: Uint8Array } {
  const text = new TextDecoder().decode(bytes)
  return text.includes('\ufffd') ? { text: '', bytes } : { text }
}
