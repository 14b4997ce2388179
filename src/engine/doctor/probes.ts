import { setTimeout as sleep } from 'node:timers/promises'
import type { Token } from '../../trace/token.ts'
import type { Trace } from '../../trace/trace.ts'
import { EngineError } from '../errors.ts'
import { asList, asNumber, asObject } from '../remote.ts'
import { type Finding, type Patient, SAMPLE_TOKENS } from './patient.ts'

/** The conformance list, one probe a trap. Each reads the long sample where that is enough and asks the server where it is not. */
type Says = Omit<Finding, 'probe'>

const ok = (says: string): Says => ({ state: 'ok', says })
const warn = (says: string): Says => ({ state: 'warn', says })
const fail = (says: string): Says => ({ state: 'fail', says })
const notApplicable = (says: string): Says => ({ state: 'n/a', says })

const count = (tokens: readonly Token[]): number => tokens.reduce((n, t) => n + (t.count ?? 1), 0)
const extend = (trace: Trace, tokens: readonly Token[]): Trace => tokens.reduce((t, token) => t.append(token), trace)
const textOf = (trace: Trace, tokens: readonly Token[]): string => extend(trace, tokens).slice(trace.textLength)
/** tokens of the model's own, the last excepted, which may be an end of turn */
const written = (tokens: readonly Token[]): Token[] => tokens.filter((t) => !t.finish && (t.count ?? 1) > 0)

export const probes: readonly { readonly name: string; run(patient: Patient): Promise<Says> }[] = [
  { name: 'context', run: context },
  { name: 'template', run: template },
  { name: 'default length', run: defaultLength },
  { name: 'one BOS', run: oneBos },
  { name: 'characters', run: characters },
  { name: 'stream end', run: streamEnd },
  { name: 'tokens a chunk', run: tokensPerChunk },
  { name: 'stop text', run: stopText },
  { name: 'top-k entries', run: topEntries },
  { name: 'logprob mode', run: logprobMode },
  { name: 'drafts', run: drafts },
  { name: 'prefix replay', run: prefixReplay },
  { name: 'seed', run: seed },
  { name: 'cache after fork', run: cacheAfterFork },
  { name: 'refusals', run: refusals },
  { name: 'abort', run: abort },
]

async function context({ engine }: Patient): Promise<Says> {
  return Number.isFinite(engine.can.context)
    ? ok(`${engine.can.context} tokens, and longer prompts are refused before they are sent`)
    : warn('the server does not say how long its context is: give --context')
}

async function template({ engine: { markers, can }, kind }: Patient): Promise<Says> {
  if (can.resume === 'turn') return notApplicable('the chat server keeps its template to itself')
  const tags = markers.thinkOpen === '' ? 'no thinking tags' : `thinking in ${markers.thinkOpen}`
  const said = `${tags}${markers.thinkOpened ? ', opened by the template' : ''}`
  return kind === 'sglang' || kind === 'ollama'
    ? warn(`${said}; taken from rein's table by the model's name, because the server renders no templates`)
    : ok(`${said}; rendered by the server`)
}

/** What a server stops at when it is not told (SGLang: 128, the OpenAI shape: 16); the others go on without end. */
const defaults: Record<Patient['kind'], number> = { vllm: 16, sglang: 128, openai: 16, llamacpp: 0, ollama: 0 }

async function defaultLength({ kind, sample }: Patient): Promise<Says> {
  const n = count(sample.tokens)
  const last = sample.tokens.at(-1)
  if (last?.finish === 'length' && n < sample.asked)
    return fail(`it stopped at a length limit after ${n} tokens, though ${sample.asked} were asked for`)
  return last?.finish === 'eos' && n <= defaults[kind]
    ? notApplicable(`the model ended its turn after ${n} tokens, too early to see a limit`)
    : ok(`${n} tokens came of ${sample.asked} asked for, ended by "${last?.finish}"`)
}

async function oneBos({ engine, sample }: Patient): Promise<Says> {
  const [first, second] = sample.trace.ids() ?? []
  if (!engine.can.ids || first === undefined) return notApplicable('no ids, so the beginning cannot be seen')
  return first === second
    ? fail(`the prompt begins with token ${first} twice: the template and the server both add a BOS`)
    : ok('the rendered prompt begins once')
}

async function characters({ engine, sample }: Patient): Promise<Says> {
  const text = 'é日✓😀 done'
  const back = (await engine.encode(text)).reduce((t, token) => t.append(token), sample.trace)
  if (back.slice(sample.trace.textLength) !== text)
    return warn(`its tokeniser cannot write "${text}": feedback with such characters arrives changed`)
  return textOf(sample.trace, sample.tokens).includes('\ufffd')
    ? warn('generated text holds U+FFFD: a character was cut and not joined')
    : ok('characters cut across tokens are joined')
}

async function streamEnd({ kind, sample }: Patient): Promise<Says> {
  if (!sample.tokens.at(-1)?.finish) return fail('the stream ended without a finish reason')
  const wants = kind === 'vllm' || kind === 'sglang' || kind === 'openai'
  return wants && sample.events.at(-1) !== '[DONE]'
    ? warn('the stream has a finish reason but no [DONE]: a proxy may be cutting it')
    : ok('streams end with a reason')
}

async function tokensPerChunk({ kind, sample, engine }: Patient): Promise<Says> {
  if (!engine.can.ids) return notApplicable('no ids, so tokens are counted from what the server says at the end')
  const sizes = sample.events
    .filter((data) => data !== '[DONE]')
    .map((data) => newIds(kind, JSON.parse(data) as unknown))
  const most = Math.max(0, ...deltas(sizes, kind))
  return most > 1
    ? warn(`up to ${most} tokens come in one chunk (stream interval or drafts): roll-back and checks are that coarse`)
    : ok('one token a chunk')
}

function newIds(kind: string, event: unknown): number {
  const body = asObject(event)
  if (kind === 'vllm') return asList(asObject(asList(body.choices)[0]).token_ids).length
  if (kind === 'sglang') return asNumber(asObject(body.meta_info).completion_tokens) ?? 0
  return asList(body.tokens).length
}

/** SGLang's count is the total so far. */
const deltas = (sizes: readonly number[], kind: string): number[] =>
  kind === 'sglang' ? sizes.map((n, i) => n - (sizes[i - 1] ?? 0)) : [...sizes]

async function stopText({ sample, stream }: Patient): Promise<Says> {
  const text = textOf(sample.trace, sample.tokens)
  const from = Math.floor(text.length / 3)
  const stop = text.slice(from, from + 6)
  if (stop.trim().length < 3) return notApplicable('the model wrote too little to try one')
  const tokens = await stream(sample.trace, { maxTokens: SAMPLE_TOKENS, stop: [stop] })
  const got = textOf(sample.trace, tokens)
  if (tokens.at(-1)?.finish !== 'stop')
    return text.startsWith(got.slice(0, from))
      ? fail('a stop text did not end the stream')
      : warn('greedy text differed, so the stop text did not come')
  return got.includes(stop)
    ? ok('the stream ends after the stop text, which is kept')
    : fail('the stop text was cut off')
}

async function topEntries({ engine, sample }: Patient): Promise<Says> {
  const tops = sample.tokens.flatMap(({ top }) => (top ? [top] : []))
  const k = Math.min(10, engine.can.topLogprobs)
  if (k === 0 || tops.length === 0) return notApplicable('the server gives no alternatives: no predictive entropy here')
  const unnamed = tops.some((top) => top.some(({ id }) => id === undefined))
  const short = tops.filter((top) => top.length < k).length
  const twice = tops.some((top) => new Set(top.map(({ id, text }) => id ?? text)).size < top.length)
  if (twice) return warn('alternatives of equal text come more than once and cannot be told apart')
  if (short > 0)
    return warn(
      `${short} of ${tops.length} tokens came with fewer than ${k} alternatives: entries of equal text collapse`,
    )
  const holes = written(sample.tokens).filter(({ top }) => !top).length
  if (holes > 0) return warn(`${holes} of ${sample.tokens.length} tokens came without alternatives: entropy has holes`)
  return unnamed
    ? warn(`${k} alternatives by text only: equal texts cannot be told apart`)
    : ok(`${k} alternatives with ids`)
}

async function logprobMode({ engine, sample, stream }: Patient): Promise<Says> {
  const k = Math.min(5, engine.can.topLogprobs)
  if (k === 0 || !sample.tokens.some(({ top }) => top)) return notApplicable('no logprobs')
  const at = async (temperature: number) => {
    const tokens = await stream(sample.trace, { maxTokens: 1, topLogprobs: k, temperature, seed: 1 })
    return tokens.find(({ top }) => top)?.top?.map(({ logprob }) => logprob) ?? []
  }
  const [cold, warm] = [await at(0.1), await at(1)]
  const apart = Math.max(0, ...cold.slice(0, k).map((l, i) => (l > -50 ? Math.abs(l - (warm[i] ?? l)) : 0)))
  // a cached prefix moves values by about 0.06 nat (vLLM #5543)
  return apart > 0.3
    ? warn(
        `logprobs change with the temperature (by ${apart.toFixed(2)} nat): processed mode, so calibrations on raw ones do not hold`,
      )
    : ok('raw logprobs, before temperature')
}

async function drafts({ sample }: Patient): Promise<Says> {
  const values = sample.tokens.slice(1).flatMap(({ logprob }) => (logprob === undefined ? [] : [logprob]))
  if (values.length < 8) return notApplicable('too few logprobs to judge')
  const zero = values.filter((value) => value === 0).length / values.length
  return zero > 0.9
    ? fail('nearly all logprobs are exactly 0: drafts spoil them, so no entropy can be read; serve the model without')
    : ok('logprobs are alive')
}

async function prefixReplay({ engine, sample, stream }: Patient): Promise<Says> {
  if (engine.can.resume === 'turn') return notApplicable('a chat server cannot continue a message')
  const tokens = written(sample.tokens)
  for (const cut of [1, 9, 24].filter((n) => n < tokens.length - 8)) {
    const head = extend(sample.trace, tokens.slice(0, cut))
    const rest = await stream(head, { maxTokens: 8, topLogprobs: 0 })
    // by ids where there are some: text is not comparable when the cut falls inside a character
    const said = (list: readonly Token[]): string =>
      engine.can.ids ? list.map(({ id }) => id ?? '').join(' ') : textOf(head, list)
    const [want, got] = [said(tokens.slice(cut, cut + 8)), said(written(rest))]
    if (got.startsWith(want) || want.startsWith(got)) continue
    const why = engine.can.ids ? 'the server is not batch-invariant' : 'text is tokenised again'
    return warn(`cut after ${cut} tokens and continued, greedy text differs: ${why}`)
  }
  return engine.can.ids
    ? ok('cut and continued from its ids, greedy text is the same')
    : warn('no ids: text is tokenised again at each continuation')
}

async function seed({ engine, sample, stream }: Patient): Promise<Says> {
  if (!engine.can.seed) return notApplicable('the server honours no seed')
  const say = async (n: number) =>
    textOf(sample.trace, await stream(sample.trace, { maxTokens: 24, temperature: 1, seed: n }))
  const [a, b] = [await say(7), await say(7)]
  return a === b ? ok('the same seed gives the same text') : warn('the same seed gave two different texts')
}

async function cacheAfterFork({ engine, sample, stream }: Patient): Promise<Says> {
  if (engine.can.resume === 'turn') return notApplicable('a chat server cannot fork inside a message')
  const at = extend(sample.trace, written(sample.tokens).slice(0, 96))
  const fork = at.appendAll(await engine.encode('\nSo far: '), 'forced')
  const usage = (await stream(fork, { maxTokens: 2 })).find((token) => token.usage)?.usage
  if (usage?.cached === undefined) return notApplicable('the server does not say how much of a prompt it had cached')
  const share = usage.cached / (usage.prompt ?? fork.length)
  return share >= 0.5
    ? ok(`${usage.cached} of ${usage.prompt} prompt tokens of a fork came from the cache`)
    : warn(`only ${usage.cached} of ${usage.prompt} prompt tokens of a fork came from the cache: forks are dear here`)
}

/** Something that each server must refuse, to see that its refusal arrives as one. */
async function refusals({ kind, http }: Patient): Promise<Says> {
  const wrong: Record<typeof kind, [string, object]> = {
    vllm: ['/v1/completions', { model: 'rein-no-such-model', prompt: 'x', max_tokens: 1 }],
    sglang: ['/generate', { text: 'x', sampling_params: { max_new_tokens: 1, temperature: -1 } }],
    llamacpp: ['/completion', { prompt: [2_000_000_000], n_predict: 1 }],
    ollama: ['/api/generate', { model: 'rein-no-such-model', prompt: 'x', stream: false, options: { num_predict: 1 } }],
    openai: ['/v1/chat/completions', { model: 'rein-no-such-model', messages: [], max_tokens: 1 }],
  }
  const [path, body] = wrong[kind]
  try {
    const reply = asObject(await http.post(path, body))
    return reply.error
      ? warn('a refusal comes with HTTP 200 and an error inside')
      : warn('a request that makes no sense was answered')
  } catch (error) {
    if (error instanceof EngineError && error.kind !== 'unreachable')
      return ok('a wrong request is refused with a reason')
    throw error
  }
}

/** How many requests the server says are running, where it says so. */
async function running({ kind, http }: Patient): Promise<number | undefined> {
  if (kind === 'llamacpp') {
    const slots = await http.get('/slots').catch(() => undefined)
    return slots ? asList(slots).filter((slot) => asObject(slot).is_processing === true).length : undefined
  }
  const gauge = { vllm: /^vllm:num_requests_running\S* (\S+)/m, sglang: /^sglang:num_running_reqs\S* (\S+)/m }
  if (kind !== 'vllm' && kind !== 'sglang') return undefined
  const found = gauge[kind].exec((await http.probe('/metrics').catch(() => undefined))?.text ?? '')
  return found ? Number(found[1]) : undefined
}

async function abort(patient: Patient): Promise<Says> {
  const { engine, sample, abortMs } = patient
  const before = await running(patient)
  const stop = new AbortController()
  let n = 0
  const options = {
    maxTokens: 4_000,
    purpose: 'main',
    temperature: 1,
    signal: stop.signal,
    requestId: 'rein-doctor-abort',
  } as const
  for await (const _ of engine.stream(sample.trace, options)) if (++n === 4) stop.abort()
  const from = performance.now()
  if (before === undefined)
    return notApplicable('the server does not tell what is running, so an abort cannot be seen to arrive')
  for (;;) {
    const ms = Math.round(performance.now() - from)
    if (((await running(patient)) ?? 0) <= before)
      return ms > 2_000
        ? warn(`an abort freed the engine after ${ms} ms`)
        : ok(`an abort freed the engine within ${ms} ms`)
    if (ms > abortMs) return fail(`${abortMs / 1000} s after an abort the engine was still generating`)
    await sleep(50)
  }
}
