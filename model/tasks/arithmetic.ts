/** Numbers left in a Game of 24, as small fractions with the expression that made each. Exact for what the game makes of them. */
export interface Item {
  readonly n: number
  readonly d: number
  /** the expression */
  readonly text: string
  /** how tightly it binds: 1 sum, 2 product, 3 a number */
  readonly top: 1 | 2 | 3
}

export interface Move {
  readonly a: Item
  readonly b: Item
  /** "8 - 4" in values, not expressions */
  readonly text: string
  readonly result: Item
}

const gcd = (a: number, b: number): number => (b === 0 ? Math.abs(a) : gcd(b, a % b))

/** "4", "-3", "8/3" */
export const show = ({ n, d }: { n: number; d: number }): string => (d === 1 ? String(n) : `${n}/${d}`)
const operand = (i: Item): string => (i.d === 1 && i.n >= 0 ? show(i) : `(${show(i)})`)
export const same = ({ n, d }: { n: number; d: number }, target: number): boolean => n === target * d

function make(n: number, d: number, text: string, top: 1 | 2): Item {
  const g = gcd(n, d) * (d < 0 ? -1 : 1) || 1
  return { n: n / g, d: d / g, text, top }
}

/** One operation on two numbers; undefined for a division by zero. */
export function combine(a: Item, op: '+' | '-' | '*' | '/', b: Item): Item | undefined {
  const tight = (i: Item, need: number): string => (i.top < need ? `(${i.text})` : i.text)
  switch (op) {
    case '+':
      return make(a.n * b.d + b.n * a.d, a.d * b.d, `${a.text} + ${b.text}`, 1)
    case '-':
      return make(a.n * b.d - b.n * a.d, a.d * b.d, `${a.text} - ${tight(b, 2)}`, 1)
    case '*':
      return make(a.n * b.n, a.d * b.d, `${tight(a, 2)} * ${tight(b, 2)}`, 2)
    case '/':
      return b.n === 0 ? undefined : make(a.n * b.d, a.d * b.n, `${tight(a, 2)} / ${tight(b, 3)}`, 2)
  }
}

/** Every different operation on two of the numbers; sums and products only with the larger first. */
export function movesOf(items: readonly Item[]): Move[] {
  const out = new Map<string, Move>()
  for (const [i, x] of items.entries())
    for (const [j, y] of items.entries()) {
      if (i === j) continue
      for (const op of ['+', '-', '*', '/'] as const) {
        if ((op === '+' || op === '*') && (x.n * y.d < y.n * x.d || (x.n * y.d === y.n * x.d && i > j))) continue
        const result = combine(x, op, y)
        const text = `${operand(x)} ${op} ${operand(y)}`
        if (result && !out.has(text)) out.set(text, { a: x, b: y, text, result })
      }
    }
  return [...out.values()]
}

/** The numbers left after a move; the newest stands last. */
export function nextItems(items: readonly Item[], move: Move): Item[] {
  const rest = [...items]
  for (const used of [move.a, move.b])
    rest.splice(
      rest.findIndex((i) => i.text === used.text && i.n === used.n && i.d === used.d),
      1,
    )
  return [...rest, move.result]
}

export const steps = (moves: readonly Move[]): string => moves.map((m) => `${m.text} = ${show(m.result)}`).join(', ')

const known = new Map<string, boolean>()

/** Can these numbers make the target? By search, remembered by the values alone. */
export function alive(items: readonly { n: number; d: number }[], target: number): boolean {
  if (items.length === 1) return same(items[0]!, target)
  const key = `${target}|${items.map(show).sort().join(' ')}`
  const before = known.get(key)
  if (before !== undefined) return before
  let can = false
  for (let i = 0; i < items.length && !can; i++)
    for (let j = i + 1; j < items.length && !can; j++) {
      const rest = items.filter((_, k) => k !== i && k !== j)
      can = results(items[i]!, items[j]!).some((r) => alive([...rest, r], target))
    }
  if (known.size > 400_000) known.clear()
  known.set(key, can)
  return can
}

function results(a: { n: number; d: number }, b: { n: number; d: number }): { n: number; d: number }[] {
  const x = a.n * b.d
  const y = b.n * a.d
  const d = a.d * b.d
  const pairs: [number, number][] = [
    [x + y, d],
    [x - y, d],
    [y - x, d],
    [a.n * b.n, d],
  ]
  if (b.n !== 0) pairs.push([x, y])
  if (a.n !== 0) pairs.push([y, x])
  return pairs.map(([n, m]) => {
    const g = gcd(n, m) * (m < 0 ? -1 : 1) || 1
    return { n: n / g, d: m / g }
  })
}
