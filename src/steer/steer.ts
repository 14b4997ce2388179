import { messageOf } from '../base/errors.ts'
import { deriveSeed } from '../base/random.ts'
import type { Engine } from '../engine/engine.ts'
import type { Event } from '../trace/event.ts'
import type { Prompt } from '../trace/words.ts'
import type { Move } from './checks.ts'
import { conclusion, feedbackInThought } from './inject.ts'
import type { AnyMonitor, Policy } from './monitor.ts'
import { completePolicy } from './policy.ts'
import { eventFeed, type Run } from './run.ts'
import { openSession, type Session } from './session.ts'

export interface SteerOptions {
  readonly signal?: AbortSignal
  /** the run's name in logs and in requests to the server */
  readonly run?: string
  /** sees every event as it happens, before anyone who iterates the run; what it throws ends the run */
  onEvent?(event: Event): void
  /** milliseconds; only differences count */
  now?(): number
}

/**
 * Steers one prompt to one result. Monitors watch the stream of tokens; each may fork it to ask what the model believes,
 * verify that, and intervene. When none of them has anything to say, the text is what the model would have written alone.
 *
 * @example
 * const run = steer(await nano(), 'Make 24 from 4 7 8 8.', [verifyThinking(task, instance), verifyFinal(task, instance)])
 * for await (const event of run) console.log(event.type)
 * console.log((await run.result()).status)
 */
export function steer(
  engine: Engine,
  prompt: Prompt,
  monitors: readonly AnyMonitor[] = [],
  policy: Partial<Policy> = {},
  options: SteerOptions = {},
): Run {
  const feed = eventFeed()
  const id = options.run ?? `run-${deriveSeed(0, performance.timeOrigin, performance.now(), ++started).toString(36)}`
  const session = openSession(engine, monitors, completePolicy(policy), { ...options, run: id, feed })
  let running: ReturnType<Run['result']> | undefined
  const result: Run['result'] = () => {
    running ??= drive(session, prompt)
      .then(feed.end, (error) => {
        feed.fail(error)
        throw error
      })
      .then(() => session.state.result())
    return running
  }
  return {
    id,
    result,
    abort: session.abort,
    [Symbol.asyncIterator]: () => {
      const events = feed.iterate()
      // Whoever iterates hears of a failure there; `result()` tells it again to whoever asks.
      result().catch(() => {})
      return events
    },
  }
}

let started = 0

/** interwhen's Algorithm 1 and Halo's Algorithm 1 in one: generate, look, and act on what was seen, in the order of the trace. */
async function drive(session: Session, prompt: Prompt): Promise<void> {
  const { checks } = session
  try {
    session.start(prompt)
    await session.begin(prompt)
    for (;;) {
      const end = await session.generate()
      if (end === 'aborted') return await session.finish('failed', session.abortReason)
      if (end.startsWith('out of')) return await session.finish('truncated', end)
      let move = await checks.take(end !== 'interrupted')
      if (!move && end === 'eos') {
        session.checkFinalAnswer()
        move = await checks.take(true)
      }
      if (session.aborted) return await session.finish('failed', session.abortReason)
      if (session.late) return await session.finish('truncated', 'out of time')
      if (move && !(await act(session, move))) return
      if (!move && end === 'eos') return await session.finish(...session.judgement())
    }
  } catch (error) {
    if (session.sinkFailed) throw error
    if (session.aborted) return await session.finish('failed', session.abortReason)
    session.emit({ type: 'error', where: 'engine', message: messageOf(error) })
    await session.finish('failed', messageOf(error))
  }
}

/** Does what a monitor asked for. True: the run goes on. */
async function act(session: Session, move: Move): Promise<boolean> {
  const { state, engine, policy } = session
  const { intervention, check } = move
  const thinking = (): boolean => state.phase === 'think'
  const tail = (): string => state.trace.slice(state.trace.textLength - 1)
  session.checks.cancel('its text was withdrawn')
  switch (intervention.kind) {
    case 'rollback': {
      if (state.retries >= policy.retries) {
        await session.finish('abstained', `no answer passed after ${state.retries} corrections`)
        return false
      }
      const to = intervention.to === 'thinking' ? (state.thinkingEnd ?? check.at) : check.at
      session.intervened(move, to, state.retries + 1)
      // An engine that works in turns cannot be made to think a thought: it is told.
      const asTurn = intervention.voice === 'user' || engine.can.resume === 'turn'
      if (asTurn) await session.userTurn(intervention.feedback)
      else {
        const note = feedbackInThought(tail(), intervention.feedback)
        await session.inject(check.final && !thinking() ? note + policy.answerPrefix : note, 'feedback')
      }
      return true
    }
    case 'conclude': {
      session.intervened(move, check.at, state.retries)
      const text = conclusion(tail(), thinking(), intervention.text, policy.answerPrefix, engine.markers)
      await session.inject(text, 'forced')
      return true
    }
    case 'rectify': {
      session.intervened(move, 0, state.retries)
      await session.begin(intervention.prompt)
      if (intervention.text !== '') await session.inject(intervention.text, 'forced')
      return true
    }
    case 'abstain':
      session.intervened(move, check.at, state.retries)
      await session.finish('abstained', intervention.reason)
      return false
    default:
      return intervention satisfies never
  }
}
