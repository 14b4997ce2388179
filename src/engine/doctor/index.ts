import { InputError, messageOf } from '../../base/errors.ts'
import type { Token } from '../../trace/token.ts'
import type { Trace } from '../../trace/trace.ts'
import type { Engine, StreamOptions } from '../engine.ts'
import { type Http, httpClient } from '../http.ts'
import { detect, openEngine, parseSpec, type RemoteOptions, type ServerKind, withKey } from '../index.ts'
import { type Diagnosis, type Finding, type Patient, SAMPLE_TOKENS } from './patient.ts'
import { probes } from './probes.ts'

export type { Diagnosis, Finding } from './patient.ts'

/** Looks a live server over: what it can do, and what is wrong with it. Costs it some hundred tokens. */
const QUESTION = 'Write the numbers from one to three hundred in words, one a line, and nothing else.'

/** @example const { usable, findings } = await diagnose('http://localhost:8000') */
export async function diagnose(
  spec: string,
  given: RemoteOptions & { readonly abortMs?: number } = {},
): Promise<Diagnosis> {
  if (spec === 'nano') throw new InputError('nano needs no doctor: give the URL of a model server')
  const { kind: named, url } = parseSpec(spec)
  const options = withKey(url, given)
  const kind = named ?? (await detect(url, options))
  const events: string[] = []
  const engine = await openEngine(named ? spec : `${kind}:${spec}`, {
    ...options,
    onEvent: (data) => void events.push(data),
  })
  const http = httpClient(url, options)
  try {
    const patient = { ...(await examine(engine, kind, http, events)), abortMs: given.abortMs ?? 10_000 }
    const findings: Finding[] = []
    for (const { name, run } of probes) findings.push({ probe: name, ...(await attempt(() => run(patient))) })
    const { thinkOpen, thinkClose, thinkOpened } = engine.markers
    return {
      url: http.url,
      engine: kind,
      model: engine.model,
      can: engine.can,
      thinking: { open: thinkOpen, close: thinkClose, opened: thinkOpened },
      findings,
      usable: findings.every(({ state }) => state !== 'fail'),
    }
  } finally {
    await engine.close?.()
    await http.close()
  }
}

async function examine(
  engine: Engine,
  kind: ServerKind,
  http: Http,
  events: string[],
): Promise<Omit<Patient, 'abortMs'>> {
  const stream = async (prefix: Trace, options: Partial<StreamOptions>): Promise<Token[]> => {
    events.length = 0
    const out: Token[] = []
    for await (const token of engine.stream(prefix, { maxTokens: 32, purpose: 'main', ...options })) out.push(token)
    return out
  }
  const trace = await engine.begin(QUESTION)
  const room = Math.max(8, Math.min(SAMPLE_TOKENS, engine.can.context - trace.length - 8))
  const k = Math.min(10, engine.can.topLogprobs)
  // some chat servers give no logprobs at all and say so with a 400
  const tokens = await stream(trace, { maxTokens: room, topLogprobs: k }).catch((error: unknown) => {
    if (engine.can.resume === 'turn' && k > 0) return stream(trace, { maxTokens: room })
    throw error
  })
  return { engine, kind, http, events, stream, sample: { trace, asked: room, tokens, events: [...events] } }
}

async function attempt(run: () => Promise<Omit<Finding, 'probe'>>): Promise<Omit<Finding, 'probe'>> {
  try {
    return await run()
  } catch (error) {
    return { state: 'fail', says: messageOf(error) }
  }
}
