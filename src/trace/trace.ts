import { type GrowingText, growingText } from './text.ts'
import type { Token } from './token.ts'
import type { Origin, Prompt } from './words.ts'

/**
 * What the model has seen and written, token by token, in segments with an origin. A trace never changes: `append` gives a
 * new one, `rollback` an older one, and both cost O(1), because traces are views of a shared tape that only ever grows.
 * It knows tokens, text and who wrote what; it knows nothing of engines, tags or verdicts.
 */
export interface Segment {
  readonly origin: Origin
  readonly turn?: Turn
  /** token positions [start, end) and text offsets [textStart, textEnd) */
  readonly start: number
  readonly end: number
  readonly textStart: number
  readonly textEnd: number
}

/** A whole turn of the user's rather than text in the model's voice; `content` is the bare text without turn markers. */
export interface Turn {
  readonly role: 'user'
  readonly content: string
}

interface Mark {
  readonly origin: Origin
  readonly turn?: Turn
  readonly start: number
  readonly textStart: number
}

/** Grows at its end only. Several traces share one; each sees no more than its own length of it. */
class Tape {
  readonly parent: Trace | undefined
  readonly base: number
  readonly baseText: number
  readonly tokens: Token[] = []
  /** text offset after each token; bytes that do not yet make a character add nothing */
  readonly ends: number[] = []
  readonly marks: Mark[] = []
  /** per token with an unfinished character: the bytes still waiting. Sparse: nearly all tokens end on a whole character. */
  readonly waiting = new Map<number, Uint8Array>()
  readonly text: GrowingText = growingText()

  constructor(parent: Trace | undefined) {
    this.parent = parent
    this.base = parent?.length ?? 0
    this.baseText = parent?.textLength ?? 0
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: false })

/** Splits bytes into the characters that are whole and the start of one that is not. */
function wholeCharacters(bytes: Uint8Array): [text: string, rest: Uint8Array | undefined] {
  let lead = bytes.length - 1
  while (lead >= 0 && bytes.length - lead < 4 && (bytes[lead]! & 0xc0) === 0x80) lead--
  if (lead < 0) return [utf8.decode(bytes), undefined]
  const first = bytes[lead]!
  const need = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1
  if (bytes.length - lead >= need) return [utf8.decode(bytes), undefined]
  return [utf8.decode(bytes.subarray(0, lead)), bytes.slice(lead)]
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const out = new Uint8Array(a.length + b.length)
  out.set(a)
  out.set(b, a.length)
  return out
}

export class Trace {
  /** tokens in all */
  readonly length: number
  /** characters (UTF-16 units) of `text` */
  readonly textLength: number
  /** the prompt this trace began with; chat engines rebuild their messages from it */
  readonly prompt: Prompt
  readonly #tape: Tape

  private constructor(tape: Tape, length: number, textLength: number, prompt: Prompt) {
    this.#tape = tape
    this.length = length
    this.textLength = textLength
    this.prompt = prompt
  }

  /** @example Trace.begin('2+2?', [{ id: 17, text: '2+2?' }]) */
  static begin(prompt: Prompt, tokens: readonly Token[]): Trace {
    return new Trace(new Tape(undefined), 0, 0, prompt).appendAll(tokens, 'prompt')
  }

  append(token: Token, origin: Origin = 'model'): Trace {
    const tape = this.#writable()
    this.#mark(tape, origin, undefined)
    this.#write(tape, token)
    return new Trace(tape, this.length + 1, tape.baseText + tape.text.length, this.prompt)
  }

  /** Text that rein wrote: one segment, even when the one before has the same origin. */
  appendAll(tokens: readonly Token[], origin: Origin, turn?: Turn): Trace {
    if (tokens.length === 0) return this
    const tape = this.#writable()
    tape.marks.push({ origin, ...(turn && { turn }), start: this.length, textStart: this.textLength })
    for (const token of tokens) this.#write(tape, token)
    return new Trace(tape, this.length + tokens.length, tape.baseText + tape.text.length, this.prompt)
  }

  /** The trace as it was after its first `length` tokens. */
  rollback(length: number): Trace {
    if (length < 0 || length > this.length)
      throw new RangeError(`rollback to ${length} of a trace of ${this.length} tokens`)
    if (length === this.length) return this
    const tape = this.#tape
    if (length < tape.base) return tape.parent!.rollback(length)
    const at = length - tape.base
    return new Trace(tape, length, at === 0 ? tape.baseText : tape.ends[at - 1]!, this.prompt)
  }

  token(position: number): Token {
    if (position < 0 || position >= this.length) throw new RangeError(`token ${position} of a trace of ${this.length}`)
    let tape = this.#tape
    while (position < tape.base) tape = tape.parent!.#tape
    return tape.tokens[position - tape.base]!
  }

  /** Tokens in order, from `from` on. */
  tokens(from = 0): Token[] {
    const tape = this.#tape
    const own = tape.tokens.slice(Math.max(0, from - tape.base), this.length - tape.base)
    return from < tape.base ? tape.parent!.tokens(from).concat(own) : own
  }

  /** All ids, or undefined when a token has none. */
  ids(from = 0): number[] | undefined {
    const out: number[] = []
    for (const token of this.tokens(from)) {
      if (token.id === undefined) return undefined
      out.push(token.id)
    }
    return out
  }

  get text(): string {
    return this.slice(0)
  }

  /** Text between two offsets; the end is the trace's own end unless given. */
  slice(from: number, to = this.textLength): string {
    const end = Math.min(to, this.textLength)
    if (from >= end) return ''
    const tape = this.#tape
    if (from >= tape.baseText) return tape.text.slice(from - tape.baseText, end - tape.baseText)
    const before = tape.parent!.slice(from, Math.min(end, tape.baseText))
    return end > tape.baseText ? before + tape.text.slice(0, end - tape.baseText) : before
  }

  /** The text offset at which token `position` begins. */
  offsetOf(position: number): number {
    if (position < 0 || position > this.length) throw new RangeError(`token ${position} of a trace of ${this.length}`)
    if (position === this.length) return this.textLength
    let tape = this.#tape
    while (position < tape.base) tape = tape.parent!.#tape
    return position === tape.base ? tape.baseText : tape.ends[position - tape.base - 1]!
  }

  /** How many tokens are needed to cover the text before `offset`: roll back to this to keep that text whole. */
  positionOf(offset: number): number {
    if (offset < 0 || offset > this.textLength) throw new RangeError(`offset ${offset} of a text of ${this.textLength}`)
    let lo = 0
    let hi = this.length
    while (lo < hi) {
      const mid = (lo + hi) >> 1
      if (this.offsetOf(mid) < offset) lo = mid + 1
      else hi = mid
    }
    return lo
  }

  /** The longest roll-back that keeps none of the text from `offset` on. */
  positionBefore(offset: number): number {
    const covering = this.positionOf(offset)
    return this.offsetOf(covering) > offset ? covering - 1 : covering
  }

  get segments(): Segment[] {
    const marks = this.#marks()
    return marks.map((mark, i) => ({
      ...mark,
      end: marks[i + 1]?.start ?? this.length,
      textEnd: marks[i + 1]?.textStart ?? this.textLength,
    }))
  }

  /** Text without the prompt. */
  get written(): string {
    return this.slice(this.promptTextLength)
  }

  get promptLength(): number {
    return this.#promptEnd().start
  }

  get promptTextLength(): number {
    return this.#promptEnd().textStart
  }

  #promptEnd(): { start: number; textStart: number } {
    let tape: Tape = this.#tape
    while (tape.parent) tape = tape.parent.#tape
    const next = tape.marks[1]
    if (next && next.start <= this.length) return next
    return tape === this.#tape
      ? { start: this.length, textStart: this.textLength }
      : { start: tape.tokens.length, textStart: tape.text.length }
  }

  #marks(): Mark[] {
    const own = this.#tape.marks.filter((mark) => mark.start < this.length)
    return this.#tape.parent ? this.#tape.parent.#marks().concat(own) : own
  }

  /** This trace's own tape when nobody has written past it, else a new one that begins here. */
  #writable(): Tape {
    const tape = this.#tape
    return tape.base + tape.tokens.length === this.length ? tape : new Tape(this)
  }

  #mark(tape: Tape, origin: Origin, turn: Turn | undefined): void {
    const last = tape.marks.at(-1)
    if (last && last.origin === origin && !last.turn) return
    tape.marks.push({ origin, ...(turn && { turn }), start: this.length, textStart: this.textLength })
  }

  #write(tape: Tape, token: Token): void {
    tape.tokens.push(token)
    if (token.bytes) {
      const at = tape.tokens.length - 1
      const before = at > 0 ? tape.waiting.get(at - 1) : tape.parent ? tape.parent.#waitingAtEnd() : undefined
      const [text, rest] = wholeCharacters(before ? concat(before, token.bytes) : token.bytes)
      tape.text.append(text)
      if (rest) tape.waiting.set(at, rest)
    } else {
      tape.text.append(token.text)
    }
    tape.ends.push(tape.baseText + tape.text.length)
  }

  #waitingAtEnd(): Uint8Array | undefined {
    const tape = this.#tape
    if (this.length === tape.base) return tape.parent ? tape.parent.#waitingAtEnd() : undefined
    return tape.waiting.get(this.length - tape.base - 1)
  }
}
