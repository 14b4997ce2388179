import type { Verdict } from '../trace/words.ts'
import { type Expression, evaluate, parseExpression } from './expression.ts'
import type { Game24 } from './game24.ts'
import { equals, format, negate, type Rational, rational } from './rational.ts'
import { reaches } from './reach.ts'

/**
 * The Game of 24 one operation at a time: "8 - 4 = 4, 4 * 7 = 28", or the blocks "available numbers / suggested operation /
 * remaining numbers". Each step takes two of the numbers left and puts their result back. Negative numbers and fractions
 * count like any other.
 */
export interface StepsResult {
  readonly verdict: Verdict
  /** the steps read, in one form */
  readonly steps: readonly string[]
  /** the numbers left after the right steps */
  readonly left: string[]
}

const number = String.raw`(?<!\d)\(?-?\d{1,12}(?:\s?/\s?\d{1,12})?(?:\.\d{1,12})?\)?`
const operation = new RegExp(
  String.raw`(${number})\s{0,4}([-+*/\u00d7\u00f7\u2212\u00b7x]|\\times|\\cdot|\\div)\s{0,4}(${number})\s{0,4}=\s{0,4}(${number})`,
  'g',
)
const available = /available numbers\s*:?\s*[[(]?([^\])\n]*)[\])]?/i
const remaining = /(?:remaining numbers|numbers left|left)\s*:?\s*[[(]?([^\])\n]*)[\])]?/i

export function verifySteps(game: Game24, text: string): StepsResult {
  const source = text.slice(0, 8000).replaceAll('\u2212', '-')
  const left = [...game.numbers]
  const steps: string[] = []
  let assumed = false
  const end = (verdict: Verdict): StepsResult => ({ verdict, steps, left: left.map(format) })
  const found = [...source.matchAll(operation)]
  if (found.length === 0) return end({ kind: 'unknown', reason: 'no step in it' })
  for (const [i, m] of found.entries()) {
    const shown = `${bare(m[1]!)} ${sign(m[2]!)} ${bare(m[3]!)} = ${bare(m[4]!)}`
    const before = source.slice(i === 0 ? 0 : found[i - 1]!.index + found[i - 1]![0].length, m.index)
    const given = numbersIn(available.exec(before)?.[1])
    if (given && !sameNumbers(given, left)) {
      // steps that are not shown came before: what follows can be refuted but not confirmed
      assumed = true
      left.splice(0, left.length, ...given)
    }
    const problem = take(left, m)
    if (problem) return end({ kind: 'fail', feedback: `${shown}: ${problem}` })
    steps.push(shown)
    const after = source.slice(m.index + m[0].length, found[i + 1]?.index ?? source.length)
    const listed = numbersIn(remaining.exec(after)?.[1])
    if (listed && !sameNumbers(listed, left))
      return end({ kind: 'fail', feedback: `after ${shown} the numbers left are listed wrongly` })
  }
  const verdict = judge(left, game)
  return end(assumed && verdict.kind === 'pass' ? { kind: 'unknown', reason: 'earlier steps are not shown' } : verdict)
}

function judge(left: readonly Rational[], game: Game24): Verdict {
  const target = format(game.target)
  if (left.length === 1) {
    if (equals(left[0]!, game.target)) return { kind: 'pass', complete: true }
    return { kind: 'fail', feedback: `the steps end in ${format(left[0]!)}, not ${target}` }
  }
  const dead = reaches(left, game.target) === false && reaches(left, negate(game.target)) === false
  if (!dead) return { kind: 'pass', complete: false }
  return { kind: 'fail', feedback: `the numbers left (${left.map(format).join(', ')}) cannot make ${target}` }
}

const bare = (text: string): string => text.replace(/[()\s]/g, '')
const sign = (text: string): string =>
  ({ '\u00d7': '*', x: '*', '\u00b7': '*', '\u00f7': '/', '\u2212': '-', '\\times': '*', '\\cdot': '*', '\\div': '/' })[
    text
  ] ?? text

function exact(text: string): Rational | undefined {
  const parsed = parseExpression(bare(text))
  return parsed.ok ? evaluate(parsed.sides[0]) : undefined
}

/** Takes the step's two numbers out of `left` and puts the result in, or says what is wrong and leaves it as it was. */
function take(left: Rational[], m: RegExpMatchArray): string | undefined {
  const a = exact(m[1]!)
  const b = exact(m[3]!)
  const stated = exact(m[4]!)
  if (!a || !b || !stated) return 'it divides by zero'
  const rest = [...left]
  for (const wanted of [a, b]) {
    const at = rest.findIndex((n) => equals(n, wanted))
    if (at < 0) return `${format(wanted)} is not among the numbers left`
    rest.splice(at, 1)
  }
  const made = combine(sign(m[2]!), a, b)
  if (!made) return 'it divides by zero'
  if (!equals(made, stated)) return 'the result is wrong'
  left.splice(0, left.length, made, ...rest)
  return undefined
}

function combine(op: string, a: Rational, b: Rational): Rational | undefined {
  const leaf = (value: Rational): Expression => ({ kind: 'number', value, text: format(value) })
  return evaluate({ kind: op as '+' | '-' | '*' | '/', left: leaf(a), right: leaf(b) })
}

/** "[-6, 1, 5]" or "4 7 8" as numbers; undefined where it cannot be read as a list of them. */
function numbersIn(listed: string | undefined): Rational[] | undefined {
  const words = (listed ?? '').trim().split(/[\s,]+/)
  const values = words.map((word) => (word === '' ? undefined : exact(word)))
  return values.every((v) => v !== undefined) ? values : undefined
}

function sameNumbers(a: readonly Rational[], b: readonly Rational[]): boolean {
  const rest = [...b]
  for (const v of a) {
    const at = rest.findIndex((n) => equals(n, v))
    if (at < 0) return false
    rest.splice(at, 1)
  }
  return rest.length === 0
}

/** The steps that compute an expression, inside out; the reverse of what a solver of steps does. */
export function stepsOf(e: Expression): string[] {
  if (e.kind === 'number' || e.kind === 'negate') return []
  const show = (side: Expression): string => format(evaluate(side) ?? rational(0))
  return [...stepsOf(e.left), ...stepsOf(e.right), `${show(e.left)} ${e.kind} ${show(e.right)} = ${show(e)}`]
}
