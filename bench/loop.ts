/**
 * What the loop costs: microseconds a token with 0, 1 and 5 monitors that never fire, on a synthetic stream, beside the bare
 * `for await` over the same stream.  npx tsx --expose-gc bench/loop.ts [--count 1000000]
 */
import type { Engine } from '../src/engine/engine.ts'
import type { AnyMonitor } from '../src/steer/monitor.ts'
import { steer } from '../src/steer/steer.ts'
import { atWord, everyLines, everyParagraphs, everyTokens, when } from '../src/steer/trigger.ts'
import { pass } from '../src/steer/verdict.ts'
import type { Token } from '../src/trace/token.ts'
import { Trace } from '../src/trace/trace.ts'
import { readFlags } from './flags.ts'

const { count: COUNT } = readFlags({ count: 1_000_000 })
const WORDS = ['the', ' sum', ' of', ' 4', ' and', ' 7', ' is', ' 11', '.', '\n', 'So', ' we', ' go', ' on', '\n\n']
const stock: Token[] = WORDS.map((text, id) => ({ id, text, logprob: -0.1 }))

/** Tokens arrive in small batches, as they do from a socket or a worker. */
async function* tokens(count: number, signal?: AbortSignal): AsyncGenerator<Token> {
  for (let i = 0; i < count; i++) {
    if (i % 64 === 0) await new Promise<void>((done) => setImmediate(done))
    if (signal?.aborted) return
    yield stock[i % stock.length]!
  }
  yield { text: '', count: 0, finish: 'eos' }
}

const engine: Engine = {
  name: 'synthetic',
  model: 'synthetic',
  can: {
    ids: true,
    topLogprobs: 0,
    attentionEntropy: false,
    seed: true,
    fork: 'shared',
    resume: 'token',
    context: Number.POSITIVE_INFINITY,
  },
  markers: { thinkOpen: '<think>', thinkClose: '</think>', thinkOpened: true, userTurn: (text) => text },
  begin: async (prompt) => Trace.begin(prompt, [{ id: 0, text: 'Q<think>\n' }]),
  encode: async (text) => [{ id: 0, text }],
  stream: (_prefix, { signal }) => tokens(COUNT, signal),
}

const never = 1e12
const silent = (name: string, trigger: AnyMonitor['when']): AnyMonitor => ({
  name,
  when: trigger,
  extract: (text) => text,
  verify: () => pass(),
  intervene: () => ({ kind: 'continue' }),
})
const monitors: AnyMonitor[] = [
  silent('lines', everyLines(never)),
  silent('paragraphs', everyParagraphs(never)),
  silent('tokens', everyTokens(never)),
  silent('word', atWord(['Wait', 'Hmm', 'Actually'])),
  silent(
    'own',
    when('own', 0, (n: number, token) => [n + (token.logprob ?? 0), false] as const),
  ),
]

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await work()
  return ((performance.now() - started) * 1000) / COUNT
}

async function bare(): Promise<void> {
  let n = 0
  for await (const token of tokens(COUNT)) n += token.text.length
  if (n === 0) throw new Error('nothing was read')
}

const heap = (): number => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 1e6
}

await bare()
const base = Math.min(await timed(bare), await timed(bare))
console.log(`${COUNT.toLocaleString('en')} tokens, Node ${process.version}`)
console.log(`bare for await      ${base.toFixed(2)} us a token`)
for (const count of [0, 1, 5]) {
  let cost = Number.POSITIVE_INFINITY
  let kept = 0
  for (let i = 0; i < 3; i++) {
    const before = heap()
    const run = steer(engine, 'Q', monitors.slice(0, count), { maxTokens: COUNT * 2 })
    cost = Math.min(cost, await timed(async () => void (await run.result())))
    kept = heap() - before
  }
  const own = cost - base
  console.log(
    `steer, ${count} monitors   ${cost.toFixed(2)} us a token, ${own.toFixed(2)} of them its own, ${(cost / base).toFixed(1)} x bare; ` +
      `${((kept * 1e6) / COUNT).toFixed(0)} bytes a token kept (the trace)`,
  )
}
