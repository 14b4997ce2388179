/**
 * nano beside llama.cpp: the same weights, the same number of threads, one after the other in one run. Tokens a second for
 * 1, 8 and 32 streams at several contexts, the cost of a fork and of the entropy output.
 *
 *   npx tsx bench/nano.ts [--weights DIR] [--threads 1] [--streams 1,8,32] [--contexts 64,512,1536] [--rounds 4] [--json FILE]
 *
 * A stream decodes 32 tokens from a context that is already in the cache, so that both sides measure decoding alone; the
 * best of the rounds counts, because other programs can only slow a measurement down.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageRoot } from '../src/base/paths.ts'
import { random } from '../src/base/random.ts'
import { exportModel } from '../src/engine/nano/export.ts'
import { type NanoEngine, nano } from '../src/engine/nano/index.ts'
import { writeRandomModel } from '../src/engine/nano/random-model.ts'
import { Trace } from '../src/trace/trace.ts'
import { obtainLlamaServer, startLlamaServer } from '../test/engine/llama-server.ts'
import { readFlags } from './flags.ts'

const flags = readFlags({ weights: '', threads: 1, streams: '1,8,32', contexts: '64,512,1536', rounds: 4, json: '' })
const numbers = (text: string): number[] => text.split(',').map(Number)
const decode = 32
const rounds = flags.rounds
const scratch = mkdtempSync(join(tmpdir(), 'rein-bench-'))
const { build } = await import(join(packageRoot, 'scripts', 'build.js'))
build()

function weightsFolder(): string {
  const own = flags.weights || join(packageRoot, 'model', 'weights')
  if (existsSync(join(own, 'model.safetensors'))) return own
  console.log('(no weights there: random ones of the same shape)')
  writeRandomModel(join(scratch, 'weights'))
  return join(scratch, 'weights')
}

const rng = random('bench')
const words = (n: number): number[] => Array.from({ length: n }, () => rng.int(261, 1000))

/** A trace of n tokens that no other stream shares. */
const traceOf = (engine: NanoEngine, n: number): Trace => Trace.begin('', words(n).map(engine.tokenizer.token))

/** Streams that decode `decode` tokens each from a cached context; tokens a second, and the share of time of the entropy. */
async function ours(engine: NanoEngine, streams: number, context: number, attention: boolean): Promise<number> {
  const traces = Array.from({ length: streams }, () => traceOf(engine, context))
  const run = async (trace: Trace, maxTokens: number, name: number): Promise<number> => {
    let n = 0
    // the end mark is left out by a temperature at which random draws hardly find it; what ends early is not counted
    const options = { maxTokens, seed: 7, temperature: 1, attention, purpose: 'main', requestId: `${name}-1` } as const
    for await (const token of engine.stream(trace, options)) n += token.count ?? 1
    return n
  }
  await Promise.all(traces.map((t, i) => run(t, 1, i)))
  const started = performance.now()
  const tokens = await Promise.all(traces.map((t, i) => run(t, decode, i)))
  return (tokens.reduce((a, b) => a + b) * 1000) / (performance.now() - started)
}

interface LlamaRow {
  readonly n_gen: number
  readonly avg_ts: number
}

type Home = Exclude<Awaited<ReturnType<typeof obtainLlamaServer>>, { missing: string }>

/** llama-bench, beside the server: tokens a second of one stream at a context. */
function llamaBench({ root, binary }: Home, gguf: string, threads: number, context: number, flash: Flash): number {
  const inside = root === undefined ? gguf : '/tmp/rein-bench.gguf'
  if (root !== undefined) copyFileSync(gguf, join(root, inside))
  const bench = binary.replace(/llama-server$/, 'llama-bench')
  const [command, ...rest] = root === undefined ? [bench] : ['chroot', root, bench]
  const shape = ['-p', '0', '-n', `${decode}`, '-d', `${context}`, '-r', '1', '-fa', flash === 'on' ? '1' : '0']
  const args = [...rest, '-m', inside, '-t', `${threads}`, ...shape, '-o', 'json']
  const done = spawnSync(command!, args, { encoding: 'utf8', maxBuffer: 1 << 26 })
  if (done.status !== 0) return 0
  return (JSON.parse(done.stdout) as LlamaRow[]).find((r) => r.n_gen > 0)?.avg_ts ?? 0
}

/** llama-server with as many slots: the same two phases as ours, over its own API, without streaming. */
async function llamaServer(home: Home, gguf: string, threads: number, streams: number, context: number, flash: Flash) {
  const server = await startLlamaServer(home, {
    model: gguf,
    slots: streams,
    context: Math.ceil((context + decode + 8) / 256) * 256,
    threads,
    extra: ['-fa', flash],
  })
  try {
    const prompts = Array.from({ length: streams }, () => words(context))
    const ask = async (n: number): Promise<number> => {
      const replies = prompts.map(async (prompt, slot) => {
        const body = { prompt, n_predict: n, id_slot: slot, cache_prompt: true, ignore_eos: true, temperature: 1 }
        const reply = await fetch(`${server.url}/completion`, { method: 'POST', body: JSON.stringify(body) })
        return ((await reply.json()) as { tokens_predicted: number }).tokens_predicted
      })
      return (await Promise.all(replies)).reduce((a, b) => a + b)
    }
    await ask(1)
    const started = performance.now()
    const tokens = await ask(decode)
    return (tokens * 1000) / (performance.now() - started)
  } finally {
    await server.close()
  }
}

type Flash = 'on' | 'off'

async function forkCost(engine: NanoEngine): Promise<string> {
  const trace = traceOf(engine, 1536)
  const first = async (t: Trace): Promise<[ms: number, cached: number]> => {
    const started = performance.now()
    let cached = 0
    for await (const token of engine.stream(t, { maxTokens: 1, seed: 1, purpose: 'fork', requestId: 'fork-1' }))
      cached = token.usage?.cached ?? cached
    return [performance.now() - started, cached]
  }
  const [cold] = await first(trace)
  const suffix = await engine.encode('\nSo')
  let best: [number, number] = [Number.POSITIVE_INFINITY, 0]
  const before = (await engine.stats())[0]!.copied
  const tries = 10
  for (let i = 0; i < tries; i++) {
    const [extra] = words(1)
    const side = trace.appendAll([...suffix, engine.tokenizer.token(extra!)], 'forced')
    const now = await first(side)
    if (now[0] < best[0]) best = now
  }
  const copied = (await engine.stats())[0]!.copied - before
  return `first token of a fork at 1,536 tokens: ${best[0].toFixed(1)} ms (${best[1]} of ${1536 + suffix.length + 1} positions from the cache, ${(copied / tries).toFixed(1)} blocks copied a fork); from nothing: ${cold.toFixed(0)} ms`
}

const dir = weightsFolder()
const threads = flags.threads
process.env.REIN_CACHE = scratch
const engine = await nano({ weights: dir, workers: threads })
delete process.env.REIN_CACHE
const home = await obtainLlamaServer()
const gguf = join(scratch, 'nano.gguf')
if ('missing' in home) console.log(`llama.cpp is not here: ${home.missing}`)
else await exportModel(dir, 'gguf', gguf)

/** The better of flash attention on and off: one a round. */
async function theirSpeed(streams: number, context: number, round: number): Promise<number> {
  if ('missing' in home) return 0
  const flash = round % 2 === 0 ? 'on' : 'off'
  if (streams === 1) return llamaBench(home, gguf, threads, context, flash)
  return llamaServer(home, gguf, threads, streams, context, flash)
}

const rows: Record<string, number>[] = []
console.log(`threads ${threads}; tokens/s, best of ${rounds}`)
console.log('streams  context     nano  llama.cpp  ratio  with entropy')
for (const streams of numbers(flags.streams))
  for (const context of numbers(flags.contexts)) {
    let [plain, entropy, theirs] = [0, 0, 0]
    for (let r = 0; r < rounds; r++) {
      plain = Math.max(plain, await ours(engine, streams, context, false))
      entropy = Math.max(entropy, await ours(engine, streams, context, true))
      theirs = Math.max(theirs, await theirSpeed(streams, context, r))
    }
    rows.push({ threads, streams, context, nano: plain, entropy, llama: theirs, ratio: plain / theirs })
    const cells = [`${streams}`.padStart(7), `${context}`.padStart(8), plain.toFixed(0).padStart(8)]
    cells.push(theirs.toFixed(0).padStart(10), (theirs ? (plain / theirs).toFixed(2) : '-').padStart(6))
    console.log(cells.join(' '), `${(100 * (plain / entropy - 1)).toFixed(1)}%`.padStart(13))
  }
console.log(await forkCost(engine))
if (flags.json) writeFileSync(flags.json, `${JSON.stringify(rows, undefined, 2)}\n`)
await engine.close?.()
rmSync(scratch, { recursive: true, force: true })
