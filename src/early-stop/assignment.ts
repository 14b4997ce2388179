import type { Extractor, Statement } from './statement.ts'

export interface AssignmentOptions {
  /** how many values a whole answer assigns; fewer is a state on the way, not an answer */
  readonly cells?: number
}

/**
 * Logic grids: assignments written as JSON ({"House 1": {"name": "Peter"}}) or as lines "House 1: Peter, red, cat".
 * The order of keys, the case of letters and the names of the features do not matter, the values do.
 */
export function assignment({ cells = 2 }: AssignmentOptions = {}): Extractor {
  return (text) =>
    [...jsonBlocks(text), ...listed(text)]
      .flatMap(({ houses, end, shown }) => {
        const count = [...houses.values()].reduce((n, values) => n + values.size, 0)
        return count >= cells ? [{ answer: shown, key: keyOf(houses), end } satisfies Statement] : []
      })
      .sort((a, b) => a.end - b.end)
}

type Houses = Map<number, Set<string>>
interface Found {
  readonly houses: Houses
  readonly end: number
  readonly shown: string
}

const keyOf = (houses: Houses): string =>
  [...houses]
    .sort(([a], [b]) => a - b)
    .map(([house, values]) => `${house}:${[...values].sort().join(',')}`)
    .join(';')

const houseNumber = (key: string): number | undefined => {
  const m = /^(?:house|position|h)?\s*#?(\d{1,2})$/i.exec(key.trim())
  return m ? Number(m[1]) : undefined
}

/** Text that only looks like JSON, however long, costs little: an object begins with a key, and only the last few are tried. */
const MAX_OBJECTS = 200

function jsonBlocks(text: string): Found[] {
  const out: Found[] = []
  let past = 0
  for (const { index: from } of [...text.matchAll(/\{\s*"/g)].slice(-MAX_OBJECTS)) {
    if (from < past) continue
    const end = objectEnd(text, from)
    if (end === undefined) continue
    const shown = text.slice(from, end)
    const houses = /\d/.test(shown) ? housesOf(parsed(shown)) : undefined
    if (!houses) continue
    out.push({ houses, end, shown })
    past = end
  }
  return out
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The houses in {"House 1": {…}}, or one level further down ({"solution": {"House 1": …}}). */
function housesOf(value: unknown, depth = 0): Houses | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const houses: Houses = new Map()
  for (const [key, inner] of Object.entries(value)) {
    const house = houseNumber(key)
    if (house === undefined || typeof inner !== 'object' || inner === null) continue
    const values = Object.values(inner).filter((v) => typeof v === 'string' || typeof v === 'number')
    houses.set(
      house,
      new Set(values.map((v) => plain(String(v))).filter((v) => !/^(?:|_+|\?+|unknown|null|tbd)$/.test(v))),
    )
  }
  if (houses.size > 0) return houses
  if (depth > 0) return undefined
  for (const inner of Object.values(value)) {
    const found = housesOf(inner, depth + 1)
    if (found) return found
  }
  return undefined
}

const plain = (value: string): string =>
  value
    .trim()
    .toLowerCase()
    .replace(/[*_`"'.]+/g, '')
    .replace(/\s+/g, ' ')
    .trim()

/** Past the closing brace of the object that begins here, strings respected; undefined while it is open. */
function objectEnd(text: string, from: number): number | undefined {
  let depth = 0
  let quoted = false
  for (let i = from; i < text.length && i < from + 20_000; i++) {
    const c = text[i]
    if (quoted) {
      if (c === '\\') i++
      else if (c === '"') quoted = false
    } else if (c === '"') quoted = true
    else if (c === '{') depth++
    else if (c === '}' && --depth === 0) return i + 1
  }
  return undefined
}

/** Runs of lines "House 1: a, b, c" that begin at house 1 and count upwards. */
function listed(text: string): Found[] {
  const out: Found[] = []
  let current: Houses | undefined
  let start = 0
  let end = 0
  const close = (): void => {
    if (current && current.size > 1) out.push({ houses: current, end, shown: text.slice(start, end) })
    current = undefined
  }
  for (const m of text.matchAll(/^[ \t]*(?:[-*•]\s*)?\**house\s+#?(\d{1,2})\**\s*[:\-–—]\s*(.+)$/gim)) {
    const house = Number(m[1])
    // another list begins, or other text stood between
    if (house === 1 || (current && (!current.has(house - 1) || text.slice(end, m.index).trim() !== ''))) close()
    if (house !== 1 && !current) continue
    if (!current) {
      current = new Map()
      start = m.index
    }
    const values = m[2]!.replace(/\([^)]*\)/g, ' ').split(/[,;|]/)
    current.set(
      house,
      new Set(values.map((v) => plain(v.replace(/^[^:=]*[:=]/, ''))).filter((v) => v !== '' && v !== '?')),
    )
    end = m.index + m[0].length
  }
  close()
  return out
}
