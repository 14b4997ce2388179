import type { Token } from '../trace/token.ts'
import type { Trace } from '../trace/trace.ts'
import type { Engine, StreamOptions } from './engine.ts'
import { EngineError } from './errors.ts'
import { stopMatcher } from './stops.ts'

/**
 * An engine that says nothing twice. Where the next token follows from the prefix, the sampling and the seed alone, streams
 * that agree so far are one stream: several methods on one question share what they have in common while it is generated,
 * and whoever comes later reads it. Every reader gets exactly what the engine would have given to it alone.
 */
export interface RecallingEngine extends Engine {
  /** tokens that were generated, and tokens that were read */
  readonly counts: { readonly generated: number; readonly read: number }
}

export interface RecallOptions {
  /** tokens to remember; the prompts that were used longest ago are forgotten first */
  readonly tokens?: number
}

/** A prefix, and what the engine says after it. */
interface Node {
  said?: Token
  /** how much `said` carries */
  rich: Needs
  /** who is about to say it */
  source: Source | undefined
  after: Map<number, Node> | undefined
}

interface Needs {
  readonly top: number
  /** 0: no attention entropy, 1: its mean, 2: every head */
  readonly attention: 0 | 1 | 2
}

/** A stream of the engine that runs as long as somebody reads at its end. */
interface Source {
  readonly rich: Needs
  readonly readers: Set<() => void>
  readonly stop: AbortController
  failed?: { readonly error: unknown }
}

interface Book {
  readonly root: Node
  size: number
  /** books that are open are not forgotten */
  readers: number
}

const none: Needs = { top: 0, attention: 0 }
const covers = (a: Needs, b: Needs): boolean => a.top >= b.top && a.attention >= b.attention
const both = (a: Needs, b: Needs): Needs => ({
  top: Math.max(a.top, b.top),
  attention: Math.max(a.attention, b.attention) as Needs['attention'],
})
const blank = (): Node => ({ rich: none, source: undefined, after: undefined })

/** @example const engine = recalling(await nano()) */
export function recalling(engine: Engine, { tokens: most = 100_000 }: RecallOptions = {}): RecallingEngine {
  const books = new Map<string, Book>()
  const counts = { generated: 0, read: 0 }
  let size = 0
  // what one reader wants a later one may want as well: asking for it at once saves saying it again
  let richest = none

  function bookOf(key: string): Book {
    const book = books.get(key) ?? { root: blank(), size: 0, readers: 0 }
    books.delete(key)
    books.set(key, book)
    for (const [old, { size: tokens, readers }] of books) {
      if (size <= most) break
      if (readers > 0 || old === key) continue
      books.delete(old)
      size -= tokens
    }
    return book
  }

  function grow(book: Book, node: Node, id: number): Node {
    node.after ??= new Map()
    let next = node.after.get(id)
    if (next) return next
    node.after.set(id, (next = blank()))
    book.size++
    size++
    return next
  }

  /** Lets the engine go on from a node and writes down what it says, for whoever reads there. */
  async function generate(
    source: Source,
    book: Book,
    from: Node,
    prefix: Trace,
    options: StreamOptions,
  ): Promise<void> {
    // no request id, so that an engine keeps streams of one prompt together; no stop, which is each reader's own
    const { requestId: _1, stop: _2, topLogprobs: _3, attention: _4, ...rest } = options
    const { top, attention } = source.rich
    let node = from
    let ended = false
    node.source = source
    book.readers++
    try {
      const stream = engine.stream(prefix, {
        ...rest,
        ...(top > 0 && { topLogprobs: top }),
        ...(attention > 0 && { attention: attention === 2 ? 'heads' : true }),
        signal: source.stop.signal,
      })
      for await (const { usage: _, finish, ...token } of stream) {
        counts.generated += token.count ?? 1
        if (token.id === undefined && finish !== 'eos') break
        node.said = { ...token, ...(finish === 'eos' && { finish }) }
        node.rich = source.rich
        if (node.source === source) node.source = undefined
        ended = finish !== undefined
        if (finish !== 'eos') node = grow(book, node, token.id!)
        if (!ended && !(node.source && covers(node.source.rich, source.rich))) node.source = source
        wake(source)
      }
      if (!ended && !source.stop.signal.aborted)
        throw new EngineError('broken', `${engine.name} ended a stream without saying why`)
    } catch (error) {
      source.failed = { error }
    } finally {
      if (node.source === source) node.source = undefined
      book.readers--
      wake(source)
    }
  }

  async function* stream(prefix: Trace, options: StreamOptions): AsyncGenerator<Token> {
    const ids = prefix.ids()
    const { signal, seed, maxTokens, stop = [] } = options
    if (seed === undefined || !ids || maxTokens <= 0 || ids.length >= engine.can.context) {
      yield* engine.stream(prefix, options)
      return
    }
    const wanted = needsOf(options, engine)
    richest = both(richest, wanted)
    const book = bookOf(keyOf(options, ids.slice(0, prefix.promptLength)))
    const room = Math.min(maxTokens, engine.can.context - ids.length)
    const stopAt = stopMatcher(stop)
    const read: Token[] = []
    let node = book.root
    for (const id of ids.slice(prefix.promptLength)) node = grow(book, node, id)
    let source: Source | undefined
    let wakeUp = (): void => {}
    const leave = (): void => {
      source?.readers.delete(wakeUp)
      if (source?.readers.size === 0) source.stop.abort()
      source = undefined
    }
    book.readers++
    try {
      while (!signal?.aborted) {
        const { said } = node
        if (said && covers(node.rich, wanted)) {
          counts.read += said.count ?? 1
          const usage = read.length === 0 ? { usage: { prompt: ids.length, cached: ids.length } } : {}
          read.push(said)
          const found = stopAt(said)
          const finish = said.finish ?? (found !== undefined ? 'stop' : read.length >= room ? 'length' : undefined)
          yield {
            ...cut(said, wanted),
            ...(finish && { finish }),
            ...(finish === 'stop' && { stop: found! }),
            ...usage,
          }
          if (finish) return
          node = node.after!.get(said.id!)!
          continue
        }
        if (!source || node.source !== source) {
          leave()
          if (node.source && covers(node.source.rich, wanted)) source = node.source
          else {
            source = { rich: richest, readers: new Set(), stop: new AbortController() }
            const left = { ...options, maxTokens: room - read.length }
            void generate(source, book, node, prefix.appendAll(read, 'model'), left)
          }
        }
        throwFailure(source)
        const { readers } = source
        await new Promise<void>((resolve) => {
          readers.delete(wakeUp)
          wakeUp = () => resolve()
          readers.add(wakeUp)
          signal?.addEventListener('abort', wakeUp, { once: true })
        })
        signal?.removeEventListener('abort', wakeUp)
        throwFailure(source)
      }
    } finally {
      leave()
      book.readers--
    }
  }

  return { ...engine, stream, counts }
}

function throwFailure({ failed }: Source): void {
  if (failed) throw failed.error
}

function wake({ readers }: Source): void {
  for (const reader of readers) reader()
}

/** Everything but the prefix that the next token follows from, and the prompt, by which books are forgotten. */
function keyOf({ seed, temperature, topP, topK, minP, repetitionPenalty }: StreamOptions, prompt: number[]): string {
  return JSON.stringify([seed, temperature, topP, topK, minP, repetitionPenalty, prompt])
}

function needsOf({ topLogprobs = 0, attention = false }: StreamOptions, { can }: Engine): Needs {
  return {
    top: Math.min(topLogprobs, can.topLogprobs),
    attention: can.attentionEntropy && attention ? (attention === 'heads' ? 2 : 1) : 0,
  }
}

/** No more than was asked for: a monitor that finds entropies which it did not want might act on them. */
function cut({ top, attention, ...token }: Token, wanted: Needs): Token {
  return {
    ...token,
    ...(wanted.top > 0 && top && { top: top.slice(0, wanted.top) }),
    ...(wanted.attention > 0 &&
      attention && { attention: wanted.attention === 2 ? attention : { mean: attention.mean } }),
  }
}
