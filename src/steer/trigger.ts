import type { Token } from '../trace/token.ts'
import type { RunView, Trigger, Watch } from './monitor.ts'

/**
 * When a monitor looks. All of them count since they last fired, so that a token with two line ends skips nothing, and all
 * but `when` count only the model's thinking (everything it writes, if it does not think in tags).
 */

const thinking = (view: RunView): boolean => view.phase === 'think' || !view.thinks

/** A watch whose whole state is one number. */
function counter(start: number, step: (count: number, token: Token, view: RunView) => number, limit: number): Watch {
  return {
    state: start,
    push(token, view) {
      if (!thinking(view)) return false
      const count = step(this.state as number, token, view)
      this.state = count >= limit ? 0 : count
      return count >= limit
    },
  }
}

function positive(k: number, what: string): void {
  if (!Number.isInteger(k) || k < 1) throw new RangeError(`${what} must be a whole number of at least 1, not ${k}`)
}

function lineEnds(text: string): number {
  let count = 0
  for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) count++
  return count
}

/**
 * Every k lines, the first time after `warmup` more.
 * @example everyLines(20, { warmup: 4 })
 */
export function everyLines(k: number, { warmup = 0 }: { warmup?: number } = {}): Trigger {
  positive(k, 'everyLines')
  return { name: `every ${k} lines`, watch: () => counter(-warmup, (n, token) => n + lineEnds(token.text), k) }
}

/** Every k paragraphs: a paragraph ends at the first of two or more line ends, however they are cut into tokens. */
export function everyParagraphs(k: number, { warmup = 0 }: { warmup?: number } = {}): Trigger {
  positive(k, 'everyParagraphs')
  return {
    name: `every ${k} paragraphs`,
    watch: () => ({
      // ends: line ends in a row up to here, so that the third of three does not count again
      state: { count: -warmup, ends: 0 },
      push(token, view) {
        if (!thinking(view)) return false
        let { count, ends } = this.state as { count: number; ends: number }
        for (const character of token.text) {
          if (character === '\n') ends++
          else if (character !== ' ' && character !== '\t' && character !== '\r') ends = 0
          if (character === '\n' && ends === 2) count++
        }
        const fire = count >= k
        this.state = { count: fire ? 0 : count, ends }
        return fire
      },
    }),
  }
}

/** Every n tokens. */
export function everyTokens(n: number): Trigger {
  positive(n, 'everyTokens')
  return { name: `every ${n} tokens`, watch: () => counter(0, (count, token) => count + (token.count ?? 1), n) }
}

/**
 * At a word, when it is whole: "Wait" does not fire in "Waiting". It looks once the character after the word is there.
 * @example atWord(['Wait', 'Hmm'])
 */
export function atWord(words: readonly string[]): Trigger {
  if (words.length === 0) throw new RangeError('atWord needs at least one word')
  const alternatives = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_])(?:${alternatives})(?![\\p{L}\\p{N}_])[^]`, 'iu')
  const longest = Math.max(...words.map((word) => word.length)) + 2
  return {
    name: `at ${words.join(', ')}`,
    watch: () => ({
      state: '',
      push(token, view) {
        if (!thinking(view)) return false
        const text = (this.state as string) + token.text
        const found = pattern.exec(text)
        // After a match keep only what follows it, else the same word would fire again with the next token.
        this.state = found ? text.slice(found.index + found[0].length - 1) : text.slice(-longest)
        return found !== null
      },
    }),
  }
}

/** Once, when the model closes its thinking. */
export function endOfThinking(): Trigger {
  return {
    name: 'end of thinking',
    watch: () => ({
      state: false,
      push(_token, view) {
        const was = this.state as boolean
        this.state = view.phase === 'think'
        return was && view.phase === 'answer'
      },
    }),
  }
}

/** Once, when the model has ended its turn: the monitor judges the final answer. */
export function finalAnswer(): Trigger {
  return { name: 'final answer', final: true, watch: () => ({ state: undefined, push: () => false }) }
}

/**
 * A function of one's own, with a state that is put back at a roll-back.
 * @example when('a box', false, (seen, token) => [seen, token.text.includes('\\boxed')])
 */
export function when<S>(
  name: string,
  start: S,
  step: (state: S, token: Token, view: RunView) => readonly [state: S, fire: boolean],
  needs?: Trigger['needs'],
): Trigger {
  return {
    name,
    ...(needs && { needs }),
    watch: () => ({
      state: start,
      push(token, view) {
        const [state, fire] = step(this.state as S, token, view)
        this.state = state
        return fire
      },
    }),
  }
}

/** Fires when any of these does. */
export function anyOf(...triggers: readonly Trigger[]): Trigger {
  return {
    name: triggers.map((trigger) => trigger.name).join(' or '),
    watch: () => {
      const watches = triggers.map((trigger) => trigger.watch())
      return {
        get state() {
          return watches.map((watch) => watch.state)
        },
        set state(states: unknown) {
          watches.forEach((watch, i) => {
            watch.state = (states as unknown[])[i]
          })
        },
        push: (token, view) => watches.map((watch) => watch.push(token, view)).some(Boolean),
      }
    },
  }
}
