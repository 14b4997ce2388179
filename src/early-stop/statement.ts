/**
 * What a text states as its answer, each time it does. Extractors are pure: the same text gives the same statements, so a
 * roll-back needs no bookkeeping.
 */
export interface Statement {
  /** as it is shown */
  readonly answer: string
  /** equal for two ways of saying the same */
  readonly key: string
  /** offset just after it */
  readonly end: number
  /** an answer in several parts (pre- and postcondition) is stable when each part is */
  readonly part?: string
}

export type Extractor = (text: string) => readonly Statement[]

export type Said = Pick<Statement, 'answer' | 'key'>

/** Of a line longer than this only the end is read: nobody states an answer in ten pages, and patterns stay quick. */
const LONGEST = 4000

/** An extractor out of a reader of single lines. A line is read once, however often the text is. */
export function byLine(read: (line: string) => Said | undefined): Extractor {
  const seen = new Map<string, Said | undefined>()
  return (text) => {
    const out: Statement[] = []
    let from = 0
    while (from < text.length) {
      const newline = text.indexOf('\n', from)
      const end = newline < 0 ? text.length : newline
      const line = text.slice(Math.max(from, end - LONGEST), end)
      // the line that is still being written changes with every token: it is not worth keeping
      const said = newline < 0 ? read(line) : seen.has(line) ? seen.get(line) : keep(seen, line, read(line))
      if (said) out.push({ ...said, end })
      from = end + 1
    }
    return out
  }
}

function keep<V>(seen: Map<string, V>, line: string, value: V): V {
  if (line.length <= 2000) seen.set(line, value)
  return value
}

/** Several ways of stating an answer in one text, in the order in which they were said. */
export function anyOf(...extractors: readonly Extractor[]): Extractor {
  return (text) => extractors.flatMap((e) => e(text)).sort((a, b) => a.end - b.end)
}

export interface Stability {
  readonly stable: boolean
  /** the last answer stated, parts joined by a blank line */
  readonly answer: string | undefined
  /** how often the last answer was stated in a row (the least of its parts) */
  readonly count: number
}

/**
 * interwhen, section 4.3: has the same answer been stated k times in a row?
 * @example stability(choice(options)('The answer is B.\nSo the answer is B.'), 2).stable // true
 */
export function stability(
  statements: readonly Statement[],
  k: number,
  same: (a: Statement, b: Statement) => boolean = (a, b) => a.key === b.key,
): Stability {
  const parts = new Map<string, { last: Statement; count: number }>()
  for (const s of statements) {
    const known = parts.get(s.part ?? '')
    parts.set(s.part ?? '', { last: s, count: known && same(known.last, s) ? known.count + 1 : 1 })
  }
  if (parts.size === 0) return { stable: false, answer: undefined, count: 0 }
  const all = [...parts.values()]
  const count = Math.min(...all.map((p) => p.count))
  return { stable: count >= k, answer: all.map((p) => p.last.answer).join('\n\n'), count }
}
