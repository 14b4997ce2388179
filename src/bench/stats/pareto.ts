import { random } from '../../base/random.ts'

export interface Point {
  readonly accuracy: number
  readonly tokens: number
}

/** interwhen, 5.3.2: nobody is at least as accurate for at most the tokens with one of the two strictly better. */
export function dominates(a: Point, b: Point): boolean {
  return a.accuracy >= b.accuracy && a.tokens <= b.tokens && (a.accuracy > b.accuracy || a.tokens < b.tokens)
}

/**
 * Which points lie on the front, in their own order.
 * @example paretoFront([{ accuracy: 0.9, tokens: 100 }, { accuracy: 0.8, tokens: 200 }]) // [true, false]
 */
export function paretoFront(points: readonly Point[]): boolean[] {
  // by tokens, then best accuracy first: a point is on the front when it beats all cheaper ones
  const order = points.map((_, i) => i).sort((i, j) => compare(points[i]!, points[j]!))
  const front = new Array<boolean>(points.length).fill(false)
  let best: Point | undefined
  for (const i of order) {
    const p = points[i]!
    const same = best !== undefined && best.accuracy === p.accuracy && best.tokens === p.tokens
    if (best !== undefined && p.accuracy <= best.accuracy && !same) continue
    front[i] = true
    best = p
  }
  return front
}

function compare(a: Point, b: Point): number {
  return a.tokens - b.tokens || b.accuracy - a.accuracy
}

export interface Samples {
  /** right (1) or wrong (0) on each instance, the same instances in the same order for every method */
  readonly correct: ArrayLike<number>
  readonly tokens: ArrayLike<number>
}

/**
 * How sure each method's place on the front is: the share of resamples of the instances in which it lies on it.
 * The same resample is drawn for all methods, because they ran on the same instances.
 */
export function frontProbability(
  methods: readonly Samples[],
  options: { resamples?: number; seed?: number } = {},
): number[] {
  const n = methods[0]?.correct.length ?? 0
  if (n === 0) return methods.map(() => 0)
  const resamples = Math.max(200, Math.min(options.resamples ?? 1000, Math.floor(1e7 / (n * methods.length))))
  const rng = random(`pareto/${options.seed ?? 1}`)
  const hits = methods.map(() => 0)
  const draw = new Int32Array(n)
  for (let r = 0; r < resamples; r++) {
    for (let i = 0; i < n; i++) draw[i] = Math.floor(rng.next() * n)
    const front = paretoFront(
      methods.map((m) => ({ accuracy: sumAt(m.correct, draw) / n, tokens: sumAt(m.tokens, draw) / n })),
    )
    for (const [i, on] of front.entries()) if (on) hits[i]!++
  }
  return hits.map((h) => h / resamples)
}

function sumAt(values: ArrayLike<number>, at: Int32Array): number {
  let sum = 0
  for (let i = 0; i < at.length; i++) sum += values[at[i]!]!
  return sum
}
