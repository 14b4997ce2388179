import { messageOf } from '../base/errors.ts'
import { deriveSeed } from '../base/random.ts'
import type { Engine } from '../engine/engine.ts'
import { EngineError } from '../engine/errors.ts'
import type { Event } from '../trace/event.ts'
import { type Fold, fold } from '../trace/fold.ts'
import { totalTokens } from '../trace/ledger.ts'
import type { Finish, Token } from '../trace/token.ts'
import type { Turn } from '../trace/trace.ts'
import type { Origin, Prompt, Status } from '../trace/words.ts'
import { type Checks, createChecks, type Move } from './checks.ts'
import { createElicitor } from './elicit.ts'
import { closeThinking } from './inject.ts'
import type { AnyMonitor, Policy } from './monitor.ts'
import { openingPhase, phaseChange } from './phase.ts'
import type { EventFeed } from './run.ts'
import type { SteerOptions } from './steer.ts'
import { liveView, snapshotOf } from './view.ts'
import { checkNames, createWatches, streamNeeds } from './watches.ts'

/**
 * What one run holds while it goes on: the state folded from its events, the checks under way, the watches, the budgets.
 * `steer.ts` says what happens; this file does it. Every change of the state is an event, and goes through `emit`.
 */
export interface Session {
  readonly engine: Engine
  readonly policy: Policy
  readonly state: Fold
  readonly checks: Checks
  readonly aborted: boolean
  /** the time budget is used up */
  readonly late: boolean
  readonly abortReason: string
  /** a sink of events threw: the run cannot be recorded, so it must not go on */
  readonly sinkFailed: boolean
  emit(event: Event): void
  start(prompt: Prompt): void
  begin(prompt: Prompt): Promise<void>
  /** Runs the main stream until it ends, is interrupted by a check, pauses for a serial engine's fork, or meets a budget. */
  generate(): Promise<'eos' | 'interrupted' | 'paused' | 'aborted' | `out of ${string}`>
  checkFinalAnswer(): void
  inject(text: string, origin: Origin): Promise<void>
  userTurn(content: string): Promise<void>
  intervened(move: Move, to: number, retry: number): void
  judgement(): [Status, string]
  finish(status: Status, reason: string): Promise<void>
  abort(reason?: string): void
}

export function openSession(
  engine: Engine,
  monitors: readonly AnyMonitor[],
  policy: Policy,
  { feed, onEvent, run, signal, now = () => performance.now() }: SteerOptions & { run: string; feed: EventFeed },
): Session {
  const state = fold()
  const started = now()
  const finals = monitors.filter((monitor) => monitor.when.final)
  const verifiedBy = policy.verifiedBy ?? finals.map((monitor) => monitor.name)
  const watches = createWatches(monitors)
  const needs = streamNeeds(monitors)
  checkNames(monitors, verifiedBy)
  const halt = new AbortController()
  let abortReason = ''
  let sinkFailed = false
  let stretch = new AbortController()
  let requests = 0
  let spentElsewhere = 0
  let ended = false

  const emit = (event: Event): void => {
    if (ended) return
    state.apply(event)
    if (event.type === 'forked' || event.type === 'asked') spentElsewhere += event.tokens
    try {
      onEvent?.(event)
    } catch (error) {
      sinkFailed = true
      halt.abort(error)
      throw error
    }
    feed.push(event)
  }

  const abort = (reason = 'aborted'): void => {
    if (halt.signal.aborted) return
    abortReason = reason
    halt.abort(new Error(reason))
    stretch.abort()
    checks.cancel(reason)
  }
  const timer = { id: undefined as NodeJS.Timeout | undefined, over: false }
  const onAbort = (): void => abort(messageOf(signal?.reason ?? 'aborted'))

  const view = liveView(state, engine, policy, emit)

  const request = (purpose: 'main' | 'fork' | 'compress' | 'judge', prompt: number): string => {
    const id = `${run}-${requests++}`
    emit({ type: 'request', purpose, id, prompt })
    return id
  }

  const elicitor = createElicitor({ engine, policy, emit, request, halt: halt.signal })
  const checks: Checks = createChecks(
    {
      elicit: elicitor.elicit,
      emit,
      now,
      permits: (intervention, check) =>
        intervention.kind !== 'rollback' || check.final || state.retries < policy.retries,
      onReady: () => stretch.abort(),
    },
    policy.maxConcurrentChecks,
  )

  /** Lets every watch see the token. True: the stream has to pause, because the engine cannot fork while it runs. */
  const look = (token: Token): boolean => {
    const wanting = watches.look(token, view, (monitor, error) => {
      if (sinkFailed) throw error
      emit({ type: 'error', where: 'monitor', message: `${monitor} is switched off: ${messageOf(error)}` })
    })
    if (wanting.length === 0 || engine.can.resume === 'turn') return false
    const able = wanting.filter((monitor) => !monitor.elicit || elicitor.mayFork(monitor.name))
    startChecks(able, false)
    return engine.can.fork === 'serial' && able.some((monitor) => monitor.elicit)
  }

  const startChecks = (group: readonly AnyMonitor[], final: boolean): void => {
    // Snapshots are taken after every watch has seen the token, so that a roll-back to here puts back what stood here.
    const states = watches.save()
    const snapshot = snapshotOf(view, final ? state.answerText : '')
    for (const monitor of group) checks.start(monitor, final, snapshot, states)
  }

  const took = (token: Token, at: number): void => {
    const before = state.trace.textLength
    emit({ type: 'token', at, token })
    followPhase(token.bytes ? state.trace.slice(before) : token.text)
  }

  const followPhase = (added: string): void => {
    const change = phaseChange(state.trace, state.phase, state.phaseOffset, added, engine.markers)
    if (change) emit({ type: 'phase', at: state.trace.length, ...change })
  }

  /** A fresh start from a state it has started from before must not walk the same way again. */
  const seedOf = (epoch: number): { seed?: number } => {
    const { seed } = policy.sampling
    return seed === undefined ? {} : { seed: epoch === 0 ? seed : deriveSeed(seed, 'epoch', epoch) }
  }

  const generate: Session['generate'] = async () => {
    if (halt.signal.aborted) return 'aborted'
    const spent = totalTokens(state.ledger)
    const room = Math.min(policy.maxTokens - spent, engine.can.context - state.trace.length)
    if (policy.maxTokens <= spent) return 'out of tokens'
    if (room <= 0) return 'out of context'
    stretch = new AbortController()
    const interrupted = AbortSignal.any([stretch.signal, halt.signal])
    const limit = spentElsewhere + policy.maxTokens - spent
    let finish: Finish | undefined
    let generated = 0
    const id = request('main', state.trace.length)
    try {
      for await (const token of engine.stream(state.trace, {
        ...policy.sampling,
        ...seedOf(state.epoch),
        ...needs,
        maxTokens: room,
        signal: interrupted,
        purpose: 'main',
        requestId: id,
      })) {
        if (token.usage?.cached !== undefined)
          emit({ type: 'usage', id, prompt: token.usage.prompt ?? 0, cached: token.usage.cached })
        if (token.text !== '' || (token.count ?? 1) > 0) {
          took(token, state.trace.length)
          generated += token.count ?? 1
          const pause = look(token)
          if (policy.sync && checks.size > 0) await checks.idle()
          if (interrupted.aborted || checks.ready) break
          if (pause && !token.finish) return 'paused'
          if (generated + spentElsewhere >= limit && !token.finish) return 'out of tokens'
        }
        finish = token.finish ?? finish
        const full = feed.ready()
        if (full) await full
      }
    } catch (error) {
      if (sinkFailed) throw error
      if (!interrupted.aborted) throw error
    }
    if (timer.over) return 'out of time'
    if (halt.signal.aborted) return 'aborted'
    if (stretch.signal.aborted || checks.ready) return 'interrupted'
    if (finish === undefined) throw new EngineError('broken', `${engine.name} ended the stream without saying why`)
    return finish === 'length' ? 'out of tokens' : 'eos'
  }

  const inject = async (text: string, origin: Origin, turn?: Turn): Promise<void> => {
    const tokens = await engine.encode(text, halt.signal)
    emit({ type: 'inject', origin, at: state.trace.length, tokens, ...(turn && { turn }) })
    if (!turn) followPhase(text)
  }

  const opened = (): void => {
    const change = openingPhase(state.trace, engine.markers)
    emit({ type: 'phase', at: state.trace.length, ...change })
  }

  return {
    engine,
    policy,
    state,
    checks,
    get aborted() {
      return halt.signal.aborted
    },
    get late() {
      return timer.over
    },
    get abortReason() {
      return abortReason
    },
    get sinkFailed() {
      return sinkFailed
    },
    emit,
    start(prompt) {
      const { sampling, verifiedBy: _, ...limits } = policy
      emit({
        type: 'start',
        run,
        engine: engine.name,
        model: engine.model,
        prompt,
        seed: sampling.seed,
        monitors: monitors.map((monitor) => monitor.name),
        verifiedBy,
        policy: { ...limits, sampling },
      })
      if (signal?.aborted) onAbort()
      signal?.addEventListener('abort', onAbort, { once: true })
      timer.id = setTimeout(() => {
        timer.over = true
        stretch.abort()
      }, policy.maxMs)
      if (engine.can.resume === 'turn' && watches.names.length > 0) {
        const names = watches.names.join(', ')
        emit({
          type: 'error',
          where: 'monitor',
          message: `${engine.name} can be steered only between turns: ${names} cannot look while it writes`,
        })
      }
    },
    async begin(prompt) {
      const trace = await engine.begin(prompt, halt.signal)
      if (trace.length >= engine.can.context)
        throw new EngineError(
          'context',
          `the prompt has ${trace.length} tokens, ${engine.name} holds ${engine.can.context}: shorten it or raise the server's context`,
        )
      emit({ type: 'inject', origin: 'prompt', at: 0, tokens: trace.tokens() })
      opened()
      watches.reset()
    },
    generate,
    checkFinalAnswer: () => startChecks(finals, true),
    inject,
    async userTurn(content) {
      const { trace, phase } = state
      const close = phase === 'think' ? closeThinking(trace.slice(trace.textLength - 1), engine.markers) : ''
      await inject(close + engine.markers.userTurn(content), 'feedback', { role: 'user', content })
      opened()
    },
    intervened({ check, intervention }, to, retry) {
      emit({ type: 'intervention', check: check.id, monitor: check.monitor.name, intervention, to, retry })
      if (intervention.kind !== 'rectify' && !check.final) watches.restore(check.watches)
    },
    judgement() {
      if (verifiedBy.length === 0) return ['unverified', 'no monitor checks the final answer']
      const open = verifiedBy.filter((name) => !state.passed.some((pass) => pass.monitor === name))
      return open.length === 0
        ? ['verified', `passed ${verifiedBy.join(', ')}`]
        : ['unverified', `not passed: ${open.join(', ')}`]
    },
    async finish(status, reason) {
      clearTimeout(timer.id)
      signal?.removeEventListener('abort', onAbort)
      checks.cancel('the run is over')
      await checks.idle()
      emit({ type: 'end', status, reason, ms: now() - started })
      ended = true
    },
    abort,
  }
}
