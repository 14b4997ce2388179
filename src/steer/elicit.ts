import { deriveSeed } from '../base/random.ts'
import type { Engine } from '../engine/engine.ts'
import type { Event } from '../trace/event.ts'
import type { Finish, Token } from '../trace/token.ts'
import { Trace } from '../trace/trace.ts'
import type { Purpose } from '../trace/words.ts'
import type { Check, CheckContext } from './checks.ts'
import { forkSuffix } from './inject.ts'
import type { CheckView, Policy } from './monitor.ts'

/**
 * Side streams: what a fork says, and what a verifier asks a model. Each is billed to its purpose, whether it came to its end
 * or was cancelled on the way.
 */
export interface Elicitor {
  readonly elicit: CheckContext['elicit']
  /** False, with a word in the log the first time, once the run's forks are used up. */
  mayFork(monitor: string): boolean
}

interface Surroundings {
  readonly engine: Engine
  readonly policy: Policy
  readonly halt: AbortSignal
  emit(event: Event): void
  request(purpose: Purpose, prompt: number): string
}

export function createElicitor({ engine, policy, emit, request, halt }: Surroundings): Elicitor {
  let forks = 0
  let toldOfLimit = false

  /** Reads a side stream to its end; the tokens that came are handed to `pay` however it ends. */
  const read = async (
    prefix: Trace,
    options: Omit<Parameters<Engine['stream']>[1], 'requestId'>,
    pay: (tokens: readonly Token[], end: Finish | 'cancelled' | 'error') => void,
  ): Promise<Token[]> => {
    const tokens: Token[] = []
    let end: Finish | 'cancelled' | 'error' = 'error'
    const id = request(options.purpose, prefix.length)
    try {
      for await (const token of engine.stream(prefix, { ...options, requestId: id })) {
        tokens.push(token)
        if (token.usage?.cached !== undefined)
          emit({ type: 'usage', id, prompt: token.usage.prompt ?? 0, cached: token.usage.cached })
        if (token.finish) end = token.finish
      }
      if (end === 'error' && !options.signal?.aborted)
        throw new Error(`${engine.name} ended the stream without saying why`)
      return tokens
    } finally {
      pay(tokens, options.signal?.aborted ? 'cancelled' : end)
    }
  }

  const ask =
    (check: Check): CheckView['ask'] =>
    async (what, { purpose, ...options }) => {
      const signal = AbortSignal.any([check.patience.signal, halt])
      const prefix = what instanceof Trace ? what : await engine.begin(what, signal)
      const room = Math.min(options.maxTokens, engine.can.context - prefix.length)
      const tokens = await read(prefix, { ...options, maxTokens: room, purpose, signal }, (got) =>
        emit({ type: 'asked', check: check.id, purpose, tokens: count(got) }),
      )
      return textOf(prefix, tokens)
    }

  const elicit: CheckContext['elicit'] = async (check) => {
    const { monitor } = check
    const { answerText, ...snapshot } = check.snapshot
    const { trace, phase, epoch } = snapshot
    const base: Omit<CheckView, 'forked' | 'again'> = {
      ...snapshot,
      final: check.final,
      at: check.at,
      signal: check.patience.signal,
      ask: ask(check),
      gauge: (name, value) => emit({ type: 'gauge', monitor: monitor.name, at: check.at, name, value }),
    }
    const seen = {
      type: 'check',
      check: check.id,
      monitor: monitor.name,
      at: check.at,
      epoch,
      phase,
      final: check.final,
    } as const
    if (!monitor.elicit) {
      emit(seen)
      return { text: check.final ? answerText : trace.written, view: { ...base, forked: [], again: async () => '' } }
    }
    const { suffix, closeThinking = true, maxTokens, stop, sampling, topLogprobs, purpose = 'fork' } = monitor.elicit
    const said = typeof suffix === 'string' ? suffix : suffix(base)
    const tail = trace.slice(trace.textLength - 1)
    const question = forkSuffix(tail, phase === 'think', closeThinking, said, engine.markers)
    emit({ ...seen, suffix: question })
    const signal = AbortSignal.any([check.patience.signal, halt])
    const prefix = question === '' ? trace : trace.appendAll(await engine.encode(question, signal), 'forced')
    const room = Math.min(maxTokens, engine.can.context - prefix.length)
    const seed = policy.sampling.seed
    const options = {
      temperature: 0,
      ...(seed !== undefined && { seed: deriveSeed(seed, 'fork', check.id) }),
      ...sampling,
      maxTokens: room,
      ...(stop && { stop }),
      ...(topLogprobs && { topLogprobs }),
      purpose,
      signal,
    }
    let repeats = 0
    const again: CheckView['again'] = async (drawn = {}) => {
      const its = seed === undefined ? {} : { seed: deriveSeed(seed, 'fork', check.id, ++repeats) }
      const got = await read(prefix, { ...options, temperature: 1, ...its, ...drawn }, (paid) =>
        emit({ type: 'asked', check: check.id, purpose, tokens: count(paid) }),
      )
      return textOf(prefix, got)
    }
    let text = ''
    const tokens = await read(prefix, options, (got, end) => {
      text = textOf(prefix, got)
      emit({ type: 'forked', check: check.id, text, tokens: count(got), purpose, end })
    })
    return { text, view: { ...base, forked: tokens, again } }
  }

  return {
    elicit,
    mayFork(monitor) {
      if (forks++ < policy.maxForks) return true
      if (!toldOfLimit)
        emit({
          type: 'error',
          where: 'budget',
          message: `${monitor} may fork no more: ${policy.maxForks} forks are used up`,
        })
      toldOfLimit = true
      return false
    },
  }
}

const count = (tokens: readonly Token[]): number => tokens.reduce((sum, token) => sum + (token.count ?? 1), 0)

/** Side text through the same decoder as the main text, so that a character cut across tokens comes out whole. */
function textOf(prefix: Trace, tokens: readonly Token[]): string {
  let trace = prefix
  for (const token of tokens) trace = trace.append(token)
  return trace.slice(prefix.textLength)
}
