import { type Feature, fold, type ZebraHead } from './features.ts'
import { type Loose, readLooseJson } from './loose-json.ts'

/** Reads what a text assigns to houses: {"House 1": {"Color": "red"}}, whole or cut short. */

export interface Cell {
  /** from 0 */
  readonly house: number
  readonly feature: number
  readonly value: number
}

export interface Stated {
  readonly cells: readonly Cell[]
  /** what is certainly no cell of this puzzle: "House 9: Pet = cat" */
  readonly strays: readonly string[]
  /** what cannot be placed with certainty */
  readonly unclear: readonly string[]
}

type Table = { readonly [house: string]: Loose }

const limit = 100_000
const open =
  /^(?:|\?+|-+|—|_+|\.{3}|…|null|none|unknown|tbd|n\/a|undetermined|undefined|not sure|unsure|open|any|unassigned)$/

/** The last object of houses in a text (also inside {"solution": …}), or undefined. A later empty one does not hide it. */
export function houseTable(text: string): Table | undefined {
  const body = text.length > limit ? text.slice(-limit) : text
  const whole = asJson(body)
  if (whole) return tableIn(whole, 0)
  let found: Table | undefined
  for (let at = body.indexOf('{'); at >= 0; ) {
    const read = readLooseJson(body, at)
    const table = tableIn(read.value, 0)
    if (table) found = table
    at = body.indexOf('{', table && read.end > at ? read.end : at + 1)
  }
  return found
}

/** Plain JSON needs no leniency. */
function asJson(text: string): Loose | undefined {
  if (!text.startsWith('{"')) return undefined
  try {
    return JSON.parse(text) as Loose
  } catch {
    return undefined
  }
}

function tableIn(value: Loose | undefined, depth: number): Table | undefined {
  if (typeof value !== 'object' || value === null || depth > 3) return undefined
  if (isRows(value)) return fromRows(value)
  if (Array.isArray(value)) return undefined
  const object = value as Table
  if (Object.keys(object).some((k) => houseNumber(k) !== undefined)) return object
  for (const inner of Object.values(object).reverse()) {
    const table = tableIn(inner, depth + 1)
    if (table) return table
  }
  return undefined
}

type Rows = { readonly header: readonly Loose[]; readonly rows: readonly (readonly Loose[])[] }
const isRows = (value: object): value is Rows =>
  Array.isArray((value as Rows).header) &&
  Array.isArray((value as Rows).rows) &&
  (value as Rows).rows.every(Array.isArray)

function fromRows({ header, rows }: Rows): Table {
  const at = Math.max(
    0,
    header.findIndex((h) => fold(String(h)) === 'house'),
  )
  return Object.fromEntries(
    rows.map((row) => [
      `House ${row[at]}`,
      Object.fromEntries(row.flatMap((v, i) => (i === at ? [] : [[String(header[i]), v]]))),
    ]),
  )
}

/** "House 3", "house_3", "3" → 3. */
function houseNumber(key: string): number | undefined {
  const m = /^\s*(?:house)?[\s_#-]*(\d{1,6})\s*$/i.exec(key)
  return m ? Number(m[1]) : undefined
}

/** Places every stated value in the puzzle. `lookUp` finds a feature's value by its words. */
export function readCells(head: ZebraHead, table: Table, lookUp: (feature: Feature, said: string) => number): Stated {
  const cells: Cell[] = []
  const strays: string[] = []
  const unclear: string[] = []
  const named = new Map<string, number>()
  for (const [house, columns] of Object.entries(table)) {
    const number = houseNumber(house)
    if (number === undefined || typeof columns !== 'object' || columns === null || Array.isArray(columns)) continue
    for (const [key, raw] of Object.entries(columns as Table)) {
      if (typeof raw !== 'string' && typeof raw !== 'number') continue
      const said = String(raw)
      if (open.test(fold(said)) || fold(key) === 'house') continue
      const show = `House ${number}: ${key} = ${said}`.slice(0, 120)
      const known = named.get(key) ?? featureNamed(head, key)
      named.set(key, known)
      const feature = known >= 0 ? known : only(head.features.map((f) => lookUp(f, said) >= 0))
      const value = feature < 0 ? -1 : lookUp(head.features[feature]!, said)
      if (feature < 0 || value === -2) unclear.push(show)
      else if (number < 1 || number > head.houses || value < 0) strays.push(show)
      else cells.push({ house: number - 1, feature, value })
    }
  }
  return { cells, strays, unclear }
}

const bare = (text: string): string =>
  fold(text)
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replace(/^(?:favou?rite|unique)/, '')
    .replace(/s$/, '')

/** By its name, else by the only feature line that has all its words. What is left is placed by its value alone. */
function featureNamed(head: ZebraHead, key: string): number {
  const said = bare(key)
  const named = head.features.findIndex((f) => bare(f.key) === said)
  if (named >= 0) return named
  const words = fold(key.replace(/([a-z])([A-Z])/g, '$1 $2'))
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .map(bare)
  return only(head.features.map((f) => words.every((w) => f.about.split(/[^\p{L}\p{N}]+/u).some((a) => bare(a) === w))))
}

const only = (flags: readonly boolean[]): number => (flags.filter(Boolean).length === 1 ? flags.indexOf(true) : -1)
