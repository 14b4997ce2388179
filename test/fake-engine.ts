import { hash32 } from '../src/base/random.ts'
import type { Abilities, Engine, Markers, StreamOptions } from '../src/engine/engine.ts'
import type { Token, TopLogprob } from '../src/trace/token.ts'
import { Trace } from '../src/trace/trace.ts'
import type { Prompt } from '../src/trace/words.ts'

/**
 * A model that says what a test tells it to. What follows a prefix depends on the prefix and the seed alone, so a stream
 * that was cut and resumed equals one that was not. It keeps a record of every request.
 */
export interface FakeOptions {
  /**
   * What the model says: after the last occurrence of `after` it says `text`, and from the middle of `text` it goes on.
   * Of several that fit, the one whose `after` stands latest (then the longest) wins; with none of them the model ends its turn.
   */
  readonly script?: readonly { readonly after: string; readonly text: string }[]
  /** instead of a script: everything that follows this text, '' for the end of the turn */
  readonly say?: (text: string, options: StreamOptions) => string
  /** alternatives to a token, best first; by default the token itself with logprob -0.01 */
  readonly top?: (token: string, text: string) => readonly TopLogprob[]
  readonly can?: Partial<Abilities>
  readonly markers?: Partial<Markers>
  /** ms before each token */
  readonly delay?: (options: StreamOptions) => number
  /** throws when it wants the stream to break before this token */
  readonly fault?: (text: string, options: StreamOptions, produced: number) => void
}

export interface FakeRequest {
  readonly text: string
  readonly options: StreamOptions
  said: string
  tokens: number
  state: 'running' | 'finished' | 'left' | 'broken'
}

export interface FakeEngine extends Engine {
  readonly requests: FakeRequest[]
}

const pieces = (text: string): string[] => text.match(/\n| ?[A-Za-z]+| ?\d|<\/?think>|./gsu) ?? []

/** @example fakeEngine({ script: [{ after: '<think>\n', text: 'Four.\n</think>\n\n\\boxed{4}' }] }) */
export function fakeEngine(options: FakeOptions = {}): FakeEngine {
  const requests: FakeRequest[] = []
  const encode = (text: string): Token[] => pieces(text).map((piece) => ({ id: hash32(piece), text: piece }))
  const say = options.say ?? ((text: string) => scripted(options.script ?? [], text))
  const markers: Markers = {
    thinkOpen: '<think>',
    thinkClose: '</think>',
    thinkOpened: true,
    userTurn: (text) => `\n[user]${text}\n[assistant]<think>\n`,
    ...options.markers,
  }
  return {
    name: 'fake',
    model: 'fake',
    can: {
      ids: true,
      topLogprobs: 20,
      attentionEntropy: false,
      seed: true,
      fork: 'shared',
      resume: 'token',
      context: 1e6,
      ...options.can,
    },
    markers,
    requests,
    begin: async (prompt) => {
      const open = markers.thinkOpened ? `${markers.thinkOpen}\n` : ''
      const text = typeof prompt === 'object' && 'raw' in prompt ? prompt.raw : `${rendered(prompt)}[assistant]${open}`
      return Trace.begin(prompt, encode(text))
    },
    encode: async (text) => encode(text),
    async *stream(prefix, wanted) {
      const request: FakeRequest = { text: prefix.text, options: wanted, said: '', tokens: 0, state: 'running' }
      requests.push(request)
      try {
        yield* speak(request, pieces(say(prefix.text, wanted)), options)
      } catch (error) {
        request.state = 'broken'
        throw error
      } finally {
        if (request.state === 'running') request.state = 'left'
      }
    },
  }
}

async function* speak(request: FakeRequest, said: string[], options: FakeOptions): AsyncGenerator<Token> {
  const { options: wanted } = request
  for (const piece of said) {
    const delay = options.delay?.(wanted) ?? 0
    // a real engine yields to the event loop at every token
    await new Promise<void>((done) => (delay > 0 ? setTimeout(done, delay) : setImmediate(done)))
    if (wanted.signal?.aborted) return
    options.fault?.(request.text, wanted, request.tokens)
    const top = options.top?.(piece, request.text + request.said) ?? [{ text: piece, logprob: -0.01 }]
    request.said += piece
    request.tokens++
    const stop = wanted.stop?.find((s) => request.said.endsWith(s))
    const finish = stop !== undefined ? 'stop' : request.tokens >= wanted.maxTokens ? 'length' : undefined
    if (finish) request.state = 'finished'
    yield {
      id: hash32(piece),
      text: piece,
      logprob: top.find((t) => t.text === piece)?.logprob ?? -10,
      ...(wanted.topLogprobs && { top: top.slice(0, wanted.topLogprobs) }),
      ...(finish && { finish }),
      ...(stop !== undefined && { stop }),
    }
    if (finish) return
  }
  request.state = 'finished'
  yield { text: '', finish: 'eos', count: 0 }
}

function scripted(script: NonNullable<FakeOptions['script']>, text: string): string {
  let best = { at: -1, length: -1, rest: '' }
  for (const { after, text: said } of script) {
    const at = text.lastIndexOf(after)
    if (at < 0) continue
    const already = text.slice(at + after.length)
    if (!said.startsWith(already)) continue
    if (at > best.at || (at === best.at && after.length > best.length))
      best = { at, length: after.length, rest: said.slice(already.length) }
  }
  return best.rest
}

function rendered(prompt: Prompt): string {
  if (typeof prompt === 'string') return `[user]${prompt}\n`
  if ('raw' in prompt) return prompt.raw
  return prompt.messages.map((m) => `[${m.role}]${m.content}\n`).join('')
}

/** Words without sense that depend on the prefix and the seed alone: for comparing streams token by token. */
export function babble(length: number, lines = 7): NonNullable<FakeOptions['say']> {
  const words = [' so', ' we', ' try', ' 4', ' times', ' 6', ' wait', ' maybe', ' yes', ' no']
  return (text, { seed = 0 }) => {
    const begin = text.lastIndexOf('[assistant]')
    let said = text.slice(begin)
    let out = ''
    for (let i = pieces(said).length; i < length; i++) {
      const h = hash32(`${seed}/${said}`)
      const next = h % lines === 0 ? '\n' : words[h % words.length]!
      said += next
      out += next
    }
    return out
  }
}
