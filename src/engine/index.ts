import { InputError, messageOf, UserError } from '../base/errors.ts'
import type { Engine } from './engine.ts'
import { EngineError } from './errors.ts'
import { type Http, httpClient } from './http.ts'
import { llamacpp } from './llamacpp.ts'
import { ollama } from './ollama.ts'
import { openai } from './openai.ts'
import { asList, asObject, asText, type RemoteOptions } from './remote.ts'
import { sglang } from './sglang.ts'
import { vllm } from './vllm.ts'

export type { Abilities, Engine, Markers, Sampling, StreamOptions } from './engine.ts'
export { type Entropy, predictiveEntropy } from './entropy.ts'
export { EngineError } from './errors.ts'
export type { HttpOptions, Timeouts } from './http.ts'
export type { RemoteOptions } from './remote.ts'
export { type Family, families, familyOf, markersOf, render } from './templates.ts'
export { llamacpp, ollama, openai, sglang, vllm }

const servers = { vllm, sglang, llamacpp, ollama, openai } as const
export type ServerKind = keyof typeof servers

const POSSIBLE =
  'nano, vllm:URL, sglang:URL, llamacpp:URL, ollama:URL, openai:URL, or a URL alone (append #MODEL to name a model)'

/**
 * Opens an engine by its name on the command line.
 * @example const engine = await openEngine('vllm:http://localhost:8000')
 * @example const engine = await openEngine('http://localhost:11434#qwen3:8b')
 */
export async function openEngine(spec: string, options: RemoteOptions = {}): Promise<Engine> {
  if (spec === 'nano') return openNano()
  const { kind, url, model } = parseSpec(spec)
  const keyed = withKey(url, model === undefined ? options : { ...options, model })
  try {
    return await servers[kind ?? (await detect(url, keyed))](url, keyed)
  } catch (error) {
    // one line for a person, whatever broke
    if (error instanceof UserError) throw error
    throw new UserError(`${url} is not an engine that rein can use: ${messageOf(error)}`)
  }
}

export function parseSpec(spec: string): { kind?: ServerKind; url: string; model?: string } {
  const found = /^(?:([a-z]+):)?(https?:\/\/[^#\s]+)(?:#(\S+))?$/.exec(spec)
  const [, kind, url, model] = found ?? []
  if (!url || (kind !== undefined && !Object.hasOwn(servers, kind)))
    throw new InputError(`there is no engine "${spec}"; possible are: ${POSSIBLE}`)
  return { ...(kind && { kind: kind as ServerKind }), url, ...(model && { model }) }
}

async function openNano(): Promise<Engine> {
  // its weights and kernel are loaded only when it is asked for
  const { nano } = (await import('./nano/index.ts')) as { nano(): Promise<Engine> }
  return nano()
}

/** A key from the environment; OpenAI's own goes to OpenAI's own hosts only. */
export function withKey(url: string, options: RemoteOptions): RemoteOptions {
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  const own = host === 'openai.com' || host.endsWith('.openai.com') ? process.env.OPENAI_API_KEY : undefined
  const apiKey = options.apiKey ?? process.env.REIN_API_KEY ?? own
  return apiKey ? { ...options, apiKey } : options
}

const owners: Record<string, ServerKind> = { vllm: 'vllm', sglang: 'sglang', llamacpp: 'llamacpp', library: 'ollama' }

/** Which server answers at this address. */
export async function detect(url: string, options: RemoteOptions = {}): Promise<ServerKind> {
  const http = httpClient(url, { ...options, retries: 0 })
  try {
    // the first call decides whether anything is there at all; its error names that
    const models = await json(http, '/v1/models')
    const owner = asText(asObject(asList(asObject(models).data)[0]).owned_by) ?? ''
    const known = owners[owner]
    if (known && known !== 'ollama') return known
    if (asText(asObject(await json(http, '/api/version')).version) !== undefined) return 'ollama'
    if (asObject(await json(http, '/props')).default_generation_settings) return 'llamacpp'
    for (const path of ['/model_info', '/get_model_info'])
      if (asText(asObject(await json(http, path)).model_path) !== undefined) return 'sglang'
    if (Array.isArray(asObject(models).data)) return 'openai'
    throw new EngineError(
      'refused',
      `${http.url} answers, but like no engine that rein knows: name the kind (${Object.keys(servers).join(', ')}) before the URL`,
    )
  } finally {
    await http.close()
  }
}

/** What the server says there as JSON; undefined for anything else. */
async function json(http: Http, path: string): Promise<unknown> {
  const reply = await http.probe(path)
  if (!reply) return undefined
  // a key is wanted: saying so beats "not an engine"
  if (reply.status === 401 || reply.status === 403) return http.get(path)
  if (reply.status >= 400) return undefined
  try {
    return JSON.parse(reply.text)
  } catch {
    return undefined
  }
}
