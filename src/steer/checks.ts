import { messageOf } from '../base/errors.ts'
import type { Event } from '../trace/event.ts'
import type { Intervention, Verdict } from '../trace/words.ts'
import { countdown } from './countdown.ts'
import type { AnyMonitor, CheckView, RunView } from './monitor.ts'
import { unknown } from './verdict.ts'

/**
 * The checks under way: each a fork (or a look at the trace), an extraction, a verification. They run beside the main stream
 * and come back in any order, but they act in the order of their fork points: nothing is done about a later error while an
 * earlier check is open. This file knows no engine; `elicit` is handed in.
 */
export interface Check {
  readonly id: number
  readonly monitor: AnyMonitor
  readonly at: number
  readonly final: boolean
  readonly snapshot: Snapshot
  /** every watch's state at the fork point, to be put back if the run returns to it */
  readonly watches: readonly unknown[]
  /** the text it was forked from is gone */
  readonly controller: AbortController
  /** aborts with `controller`, and when the verifier's time is up */
  readonly patience: AbortController
  readonly done: Promise<void>
  intervention?: Intervention
}

/** The run as it stood when the trigger fired; by the time a check gets its turn the run has gone on. */
export interface Snapshot extends RunView {
  /** what was said after the thinking */
  readonly answerText: string
}

/** What is to be done, and on whose word. Monitors that fail at the same point speak together. */
export interface Move {
  readonly check: Check
  readonly intervention: Exclude<Intervention, { kind: 'continue' }>
}

export interface CheckContext {
  /** runs the fork, where the monitor has one, and gives its text, or the text that the monitor reads without one */
  elicit(check: Check): Promise<{ text: string; view: CheckView }>
  emit(event: Event): void
  /** false: this intervention is not to be had any more (retries used up), so the check changes nothing */
  permits(intervention: Intervention, check: Check): boolean
  now(): number
  /** something can be acted on */
  onReady(): void
}

export interface Checks {
  start(monitor: AnyMonitor, final: boolean, snapshot: Snapshot, watches: readonly unknown[]): void
  /** the first group in trace order has settled and wants something */
  readonly ready: boolean
  readonly size: number
  /** The next move, if the first group is ready; with `wait`, waits until a move is there or no check is left. */
  take(wait: boolean): Promise<Move | undefined>
  cancel(reason: string): void
  /** all side work has ended, the cancelled work too */
  idle(): Promise<void>
}

const DEFAULT_TIMEOUT = 10_000

export function createChecks(context: CheckContext, maxConcurrent: number): Checks {
  let queue: Check[] = []
  let next = 0
  const running = new Set<Promise<void>>()
  const gate = semaphore(maxConcurrent)

  const settle = async (check: Check): Promise<void> => {
    const release = await gate.acquire()
    try {
      if (!check.controller.signal.aborted) check.intervention = await judge(check, context)
    } catch {
      // Only a sink of events throws here, and it has already ended the run.
    }
    check.intervention ??= { kind: 'continue' }
    release()
    if (ready()) context.onReady()
  }

  const start: Checks['start'] = (monitor, final, snapshot, watches) => {
    const id = next++
    let begin = (): void => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const check: Check = {
      id,
      monitor,
      at: snapshot.trace.length,
      final,
      snapshot,
      watches,
      controller: new AbortController(),
      patience: new AbortController(),
      done: begun.then(() => settle(check)),
    }
    queue.push(check)
    running.add(check.done)
    void check.done.finally(() => running.delete(check.done))
    begin()
  }

  const group = (): Check[] => {
    const head = queue[0]
    return head ? queue.filter((check) => check.at === head.at && check.final === head.final) : []
  }

  const wants = (check: Check): boolean =>
    check.intervention !== undefined &&
    check.intervention.kind !== 'continue' &&
    context.permits(check.intervention, check)

  /** Groups that are settled and want nothing are gone as soon as anyone looks. */
  const ready = (): boolean => {
    for (let head = group(); head.length > 0; head = group()) {
      if (head.some((check) => check.intervention === undefined)) return false
      if (head.some(wants)) return true
      queue = queue.slice(head.length)
    }
    return false
  }

  return {
    start,
    get ready() {
      return ready()
    },
    get size() {
      return queue.length
    },
    async take(wait) {
      while (!ready()) {
        if (!wait || queue.length === 0) return undefined
        await Promise.all(group().map((check) => check.done))
      }
      const head = group().filter(wants)
      queue = queue.filter((check) => !head.includes(check))
      return together(head)
    },
    cancel(reason) {
      for (const check of queue) {
        check.controller.abort(new Error(reason))
        check.patience.abort(new Error(reason))
        context.emit({ type: 'cancelled', check: check.id, reason })
      }
      queue = []
    },
    async idle() {
      while (running.size > 0) await Promise.allSettled([...running])
    },
  }
}

/** One move for a group: giving up first, then corrections (all of them at once), a fresh start, and only then a conclusion. */
function together(group: readonly Check[]): Move {
  const of = <K extends Intervention['kind']>(kind: K) =>
    group.flatMap((check) => {
      const intervention = check.intervention as Intervention
      return intervention.kind === kind
        ? [{ check, intervention: intervention as Extract<Intervention, { kind: K }> }]
        : []
    })
  const [abstain] = of('abstain')
  if (abstain) return abstain
  const rollbacks = of('rollback')
  const [first] = rollbacks
  if (first) {
    const feedback = [...new Set(rollbacks.map(({ intervention }) => intervention.feedback))].join('\n')
    const voice = rollbacks.some(({ intervention }) => intervention.voice === 'user') ? 'user' : 'model'
    return { check: first.check, intervention: { ...first.intervention, feedback, voice } }
  }
  const move = of('rectify')[0] ?? of('conclude')[0]
  if (!move) throw new Error('a group without a wish was taken')
  return move
}

/** Fork, extract, verify, decide. Whatever goes wrong on the way is `unknown`, never a pass and never a crash. */
async function judge(check: Check, context: CheckContext): Promise<Intervention> {
  const { monitor, controller } = check
  const started = context.now()
  const report = (where: 'engine' | 'extractor' | 'verifier' | 'monitor', error: unknown): Verdict => {
    const message = `${monitor.name}: ${messageOf(error)}`
    if (!controller.signal.aborted) context.emit({ type: 'error', where, message })
    return unknown(`${where} error: ${messageOf(error)}`)
  }
  let z: unknown
  let view: CheckView | undefined
  let verdict: Verdict
  try {
    const elicited = await context.elicit(check)
    view = elicited.view
    try {
      z = monitor.extract(elicited.text, view)
      const found = z
      verdict =
        found === undefined
          ? unknown('nothing stated')
          : await withinTime(monitor, check, elicited.view, (patient) => monitor.verify(found, patient)).catch((e) =>
              report('verifier', e),
            )
    } catch (error) {
      verdict = report('extractor', error)
    }
  } catch (error) {
    verdict = report('engine', error)
  }
  if (controller.signal.aborted) return { kind: 'continue' }
  const answer = z === undefined ? undefined : (monitor.show?.(z) ?? (typeof z === 'string' ? z : JSON.stringify(z)))
  context.emit({
    type: 'verdict',
    check: check.id,
    monitor: monitor.name,
    answer,
    verdict,
    ms: context.now() - started,
  })
  if (!view) return { kind: 'continue' }
  try {
    return monitor.intervene(verdict, z, view)
  } catch (error) {
    report('monitor', error)
    return { kind: 'continue' }
  }
}

/**
 * The verifier's answer, or `unknown` when its time is up or its text is gone. Its time is its own: while it waits for the
 * model the clock stands, so that no verdict depends on how busy an engine is.
 */
async function withinTime(
  monitor: AnyMonitor,
  check: Check,
  view: CheckView,
  verify: (view: CheckView) => Verdict | Promise<Verdict>,
): Promise<Verdict> {
  const limit = monitor.timeoutMs ?? DEFAULT_TIMEOUT
  const { signal } = check.controller
  let end: (verdict: Verdict) => void = () => {}
  const over = new Promise<Verdict>((resolve) => {
    end = resolve
  })
  const clock = countdown(limit, () => {
    end(unknown(`no verdict within ${limit} ms`))
    check.patience.abort(new Error('time limit'))
  })
  const answer = verify({
    ...view,
    ask: (what, options) => clock.during(() => view.ask(what, options)),
    again: (sampling) => clock.during(() => view.again(sampling)),
  })
  if (!(answer instanceof Promise)) return sane(answer)
  // A verifier that is still at it when its time is up may fail later, with nobody left to listen.
  answer.catch(() => {})
  const gone = (): void => end(unknown('withdrawn'))
  signal.addEventListener('abort', gone, { once: true })
  clock.start()
  return Promise.race([answer.then(sane), over]).finally(() => {
    clock.stop()
    signal.removeEventListener('abort', gone)
  })
}

/** A verifier written in plain JavaScript may return anything; only a verdict counts as one. */
function sane(verdict: Verdict): Verdict {
  switch (verdict?.kind) {
    case 'pass':
    case 'unknown':
      return verdict
    case 'fail':
      return typeof verdict.feedback === 'string' ? verdict : unknown('the verifier failed it without saying why')
    default:
      return unknown('the verifier gave no verdict')
  }
}

function semaphore(slots: number): { acquire(): Promise<() => void> } {
  const waiting: (() => void)[] = []
  let free = slots
  const release = (): void => {
    const next = waiting.shift()
    if (next) next()
    else free++
  }
  return {
    async acquire() {
      if (free > 0) free--
      else await new Promise<void>((resolve) => waiting.push(resolve))
      return release
    },
  }
}
