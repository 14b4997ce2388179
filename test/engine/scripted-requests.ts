import type { Asked, Dialect, Quirks } from './scripted-dialects.ts'
import { BOS, decode, encode, pieces, VOCABULARY } from './scripted-model.ts'

/** How each server reads a request and answers everything but its streams. */
type Body = Record<string, unknown>
const num = (value: unknown, fallback: number): number => (typeof value === 'number' ? value : fallback)

export const paths: Record<Dialect, string> = {
  vllm: '/v1/completions',
  sglang: '/generate',
  llamacpp: '/completion',
  ollama: '/api/generate',
  openai: '/v1/chat/completions',
}

const chatText = (messages: readonly { role: string; content: string }[]): string =>
  `${messages.map(({ role, content }) => `<|im_start|>${role}\n${content}<|im_end|>\n`).join('')}<|im_start|>assistant\n<think>\n`

/** Reads a request with the server's own defaults: what is not sent is what a trap would do. */
export function readRequest(dialect: Dialect, raw: unknown): Asked {
  const body = raw as Body
  const options = (body.options ?? {}) as Record<string, unknown>
  const params = (body.sampling_params ?? {}) as Record<string, unknown>
  switch (dialect) {
    case 'vllm': {
      const prompt = body.prompt as string | number[]
      const text = typeof prompt === 'string' ? encode(prompt) : prompt
      return {
        prefix: typeof prompt === 'string' && body.add_special_tokens !== false ? [BOS, ...text] : text,
        seed: num(body.seed, 0),
        temperature: num(body.temperature, 1),
        maxTokens: num(body.max_tokens, 16),
        k: num(body.logprobs, 0),
        stop: (body.stop ?? []) as string[],
        id: String(body.request_id ?? ''),
      }
    }
    case 'sglang':
      return {
        prefix: (body.input_ids as number[] | undefined) ?? [BOS, ...encode(String(body.text))],
        seed: num(params.sampling_seed, 0),
        temperature: num(params.temperature, 1),
        maxTokens: num(params.max_new_tokens, 128),
        k: num(body.top_logprobs_num, 0),
        stop: (params.stop ?? []) as string[],
        id: String(body.rid ?? ''),
      }
    case 'llamacpp':
      return {
        prefix: [body.prompt as string | (string | number)[]]
          .flat()
          .flatMap((p) => (typeof p === 'string' ? encode(p) : [p])),
        seed: num(body.seed, 0),
        temperature: num(body.temperature, 1),
        maxTokens: num(body.n_predict, 1e9),
        k: num(body.n_probs, 0),
        stop: (body.stop ?? []) as string[],
        id: '',
      }
    case 'ollama':
      return {
        prefix: encode(
          body.raw === true ? String(body.prompt) : chatText([{ role: 'user', content: String(body.prompt) }]),
        ),
        seed: num(options.seed, 0),
        temperature: num(options.temperature, 1),
        maxTokens: num(options.num_predict, 1e9),
        k: num(body.top_logprobs, 0),
        stop: (options.stop ?? []) as string[],
        id: '',
      }
    case 'openai':
      return {
        prefix: encode(chatText(body.messages as { role: string; content: string }[])),
        seed: num(body.seed, 0),
        temperature: num(body.temperature, 1),
        maxTokens: num(body.max_tokens, 1e9),
        k: num(body.top_logprobs, 0),
        stop: (body.stop ?? []) as string[],
        id: '',
      }
  }
}

/** Everything but the streams: what an engine asks when it opens, renders and tokenises. */
export function answer(dialect: Dialect, path: string, raw: unknown, quirks: Quirks = {}): unknown {
  const body = (raw ?? {}) as Body
  const models = (owner: string) => ({
    object: 'list',
    data: [{ id: 'scripted', object: 'model', owned_by: owner, max_model_len: 100_000, meta: { n_vocab: VOCABULARY } }],
  })
  const messages = body.messages as { role: string; content: string }[] | undefined
  const table: Record<Dialect, Record<string, () => unknown>> = {
    vllm: {
      '/v1/models': () => models('vllm'),
      '/version': () => ({ version: '0.28.0' }),
      '/tokenize': () => ({
        tokens: messages
          ? [...(quirks.doubleBos ? [BOS, BOS] : []), ...encode(chatText(messages))]
          : encode(String(body.prompt)),
      }),
      '/detokenize': () => ({ prompt: decode(body.tokens as number[]) }),
    },
    sglang: {
      '/v1/models': () => models('sglang'),
      '/server_info': () => ({ enable_deterministic_inference: true, context_length: 100_000 }),
      '/tokenize': () => ({ tokens: encode(String(body.prompt)) }),
    },
    llamacpp: {
      '/v1/models': () => models('llamacpp'),
      '/props': () => ({
        default_generation_settings: { n_ctx: 100_000, params: { 'speculative.types': 'none' } },
        total_slots: 4,
        chat_template: 'scripted',
        eos_token: '<|im_end|>',
      }),
      '/apply-template': () => ({ prompt: chatText(messages ?? []) }),
      '/tokenize': () => ({
        tokens: encode(String(body.content)).map((id) => {
          const text = decode([id])
          return { id, piece: text.includes('\ufffd') ? [...pieces[id]!] : text }
        }),
      }),
      '/detokenize': () => ({ content: decode(body.tokens as number[]) }),
    },
    ollama: {
      '/api/version': () => ({ version: '0.33.0' }),
      '/api/tags': () => ({ models: [{ name: 'scripted:latest' }] }),
      '/api/show': () => ({ template: '', details: { family: 'qwq' }, model_info: { 'x.context_length': 100_000 } }),
    },
    openai: { '/v1/models': () => models('someone') },
  }
  return table[dialect][path]?.()
}
