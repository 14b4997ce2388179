import { setTimeout as sleep } from 'node:timers/promises'
import { InputError } from '../../src/base/errors.ts'
import { hash32 } from '../../src/base/random.ts'
import type { Parts } from '../../src/bench/parts.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { EngineError } from '../../src/engine/errors.ts'
import type { Method, MethodContext } from '../../src/methods/method.ts'
import { parseMethod } from '../../src/methods/registry.ts'
import type { Task } from '../../src/tasks/task.ts'
import type { Event } from '../../src/trace/event.ts'
import { emptyLedger } from '../../src/trace/ledger.ts'
import type { Token } from '../../src/trace/token.ts'
import { Trace } from '../../src/trace/trace.ts'

/** A small world for the harness's tests: sums, two methods, and an engine whose words are a function of prompt and seed. */

interface Sum {
  readonly a: number
  readonly b: number
}

export const sums: Task<Sum> = {
  name: 'sums',
  sound: true,
  read(raw) {
    const { a, b } = (raw ?? {}) as Partial<Sum>
    if (!Number.isInteger(a) || !Number.isInteger(b)) throw new InputError('field "a" and "b" should be integers')
    return { a: a!, b: b! }
  },
  id: ({ a, b }) => `${a}+${b}`,
  prompt: ({ a, b }) => `What is ${a}+${b}?`,
  elicit: () => ({ suffix: '', maxTokens: 4 }),
  answerPrefix: '',
  extract: (_, text) => /-?\d+/.exec(text)?.[0],
  verify: ({ a, b }, answer) =>
    Number(answer) === a + b ? { kind: 'pass', complete: true } : { kind: 'fail', feedback: 'the sum is wrong' },
  feedback: () => 'the sum is wrong',
  voice: 'model',
  grade: ({ a, b }, output) => Number(/-?\d+/.exec(output)?.[0]) === a + b,
  generate: (rng, { size = 9 }) => ({ a: rng.int(1, 10 ** (size / 3)), b: rng.int(1, 999) }),
  difficulty: ({ a, b }) => String(a + b).length,
}

/** no generator: only rows from a file */
export const files: Task<Sum> = (({ generate: _, ...rest }) => ({ ...rest, name: 'files' }))(sums)

export interface FakeEngineOptions {
  readonly name?: string
  readonly model?: string
  readonly delayMs?: number
  /** throws when the engine is to be gone */
  readonly gate?: () => void
  onStream?(prompt: string): void
}

export function fakeEngine({
  name = 'fake',
  model = 'fake-1',
  delayMs = 0,
  gate,
  onStream,
}: FakeEngineOptions = {}): Engine {
  return {
    name,
    model,
    can: {
      ids: true,
      topLogprobs: 0,
      attentionEntropy: false,
      seed: true,
      fork: 'reprefill',
      resume: 'token',
      context: 4096,
    },
    markers: { thinkOpen: '', thinkClose: '', thinkOpened: false, userTurn: (text) => text },
    async begin(prompt) {
      gate?.()
      return Trace.begin(prompt, [{ text: String(prompt) }])
    },
    encode: async (text) => [{ text }],
    async *stream(prefix, options): AsyncIterable<Token> {
      onStream?.(prefix.text)
      const match = /(\d+)\+(\d+)/.exec(prefix.text)
      const h = hash32(`${prefix.text}/${options.seed}`)
      const right = h % 10 < 6
      const sum = match ? Number(match[1]) + Number(match[2]) + (right ? 0 : 1) : 0
      const words = [...Array.from({ length: 3 + (h % 5) }, () => 'so '), String(sum)]
      for (const [i, text] of words.entries()) {
        gate?.()
        if (delayMs > 0) await sleep(delayMs)
        options.signal?.throwIfAborted()
        yield { id: i, text, ...(i === words.length - 1 && { finish: 'eos' as const }) }
      }
    },
  }
}

/** One pass over the engine with the events of a real run. */
async function pass(context: MethodContext, run: number): Promise<{ text: string; tokens: number }> {
  const { engine, task, instance, seed } = context
  const emit = (event: Event): void => context.onEvent?.(event, run)
  const prompt = task.prompt(instance)
  const trace = await engine.begin(prompt)
  emit({
    type: 'start',
    run: `${task.id(instance)}-${run}`,
    engine: engine.name,
    model: engine.model,
    prompt,
    seed,
    monitors: ['final'],
    verifiedBy: ['final'],
    policy: {},
  })
  emit({ type: 'inject', origin: 'prompt', at: 0, tokens: trace.tokens() })
  let text = ''
  let tokens = 0
  const options = {
    maxTokens: 100,
    purpose: 'main' as const,
    seed: seed * 100 + run,
    ...(context.signal && { signal: context.signal }),
  }
  for await (const token of engine.stream(trace, options)) {
    emit({ type: 'token', at: trace.length + tokens, token })
    text += token.text
    tokens++
  }
  const answer = text.split(' ').at(-1)!
  emit({ type: 'check', check: 1, monitor: 'final', at: trace.length + tokens, epoch: 0, phase: 'answer', final: true })
  emit({ type: 'verdict', check: 1, monitor: 'final', answer, verdict: task.verify(instance, answer, 'final'), ms: 1 })
  emit({ type: 'end', status: 'unverified', reason: 'done', ms: 1 })
  return { text: answer, tokens }
}

export const cot: Method = {
  name: 'cot',
  summary: 'once',
  parameters: {},
  async run(context) {
    const { text, tokens } = await pass(context, 0)
    return { status: 'unverified', output: text, answer: text, ledger: { ...emptyLedger, main: tokens } }
  },
}

export const best: Method = {
  name: 'best',
  summary: 'the best of k',
  parameters: { k: 2, bonus: 0 },
  refuses: (_, task) => (task.name === 'files' ? 'best does not do files' : undefined),
  async run(context) {
    const k = Number(context.parameters.k)
    let chosen = ''
    let tokens = 0
    for (let i = 0; i < k; i++) {
      const tried = await pass(context, i)
      tokens += tried.tokens
      chosen = tried.text
      if (context.task.grade(context.instance, chosen)) break
    }
    return {
      status: 'verified',
      output: chosen,
      answer: chosen,
      ledger: { ...emptyLedger, main: tokens, judge: k },
      figures: { k },
    }
  },
}

/** like `cot`, but breaks on some instances whatever the engine says */
export const brittle: Method = {
  ...cot,
  name: 'brittle',
  async run(context) {
    if (hash32(context.task.id(context.instance)) % 3 === 0)
      throw new EngineError('context', 'the prompt is too long for this model')
    return cot.run(context)
  },
}

export function fakeParts(engine: (spec: string) => Engine = () => fakeEngine()): Parts {
  const methods = Object.fromEntries([cot, best, brittle].map((m) => [m.name, m]))
  const tasks: Record<string, Task> = { sums: sums as Task, files: files as Task }
  return {
    task(name) {
      const task = tasks[name]
      if (!task) throw new InputError(`there is no task "${name}"; there are: ${Object.keys(tasks).join(', ')}`)
      return task
    },
    method: (spec) => parseMethod(spec, methods),
    engine: async (spec) => engine(spec),
  }
}
