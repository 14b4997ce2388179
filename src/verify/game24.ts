import type { Verdict } from '../trace/words.ts'
import { type Expression, evaluate, literals, parseExpression } from './expression.ts'
import { equals, format, negate, type Rational } from './rational.ts'
import { reaches } from './reach.ts'

export interface Game24 {
  readonly numbers: readonly Rational[]
  readonly target: Rational
}

/**
 * Judges an expression against the numbers and the target. `final`: all numbers once each, and the value is the target.
 * `partial`: read as a finished piece of the answer; it fails only when no expression of its value (or of its negative, since
 * a minus sign is free) with the numbers left makes the target.
 */
export function verifyGame24(game: Game24, text: string, kind: 'partial' | 'final'): Verdict {
  const parsed = parseExpression(text)
  if (!parsed.ok) {
    return parsed.kind === 'illegal' ? { kind: 'fail', feedback: parsed.why } : { kind: 'unknown', reason: parsed.why }
  }
  const answer = theExpression(parsed.sides, game)
  const left = unused(game.numbers, answer)
  if (left instanceof Error) return left.message === '' ? undecided : { kind: 'fail', feedback: left.message }
  const value = evaluate(answer)
  if (!value) return { kind: 'fail', feedback: 'it divides by zero' }
  // a right expression with a slip after its "=" is still the right expression
  if (left.length === 0 && equals(value, game.target)) return { kind: 'pass', complete: true }
  for (const side of parsed.sides) {
    const stated = evaluate(side)
    if (!stated) return { kind: 'fail', feedback: 'it divides by zero' }
    if (!equals(stated, value)) return { kind: 'fail', feedback: `it gives ${format(value)}, not ${format(stated)}` }
  }
  return judge(game, value, left, kind)
}

const undecided: Verdict = { kind: 'unknown', reason: 'it writes a whole number as a decimal' }

function judge(game: Game24, value: Rational, left: readonly Rational[], kind: 'partial' | 'final'): Verdict {
  const target = format(game.target)
  if (left.length === 0) return { kind: 'fail', feedback: `it gives ${format(value)}, not ${target}` }
  const rest = left.map(format).join(', ')
  if (kind === 'final') return { kind: 'fail', feedback: `it does not use ${rest}` }
  if (alive(value, left, game.target)) return { kind: 'pass', complete: false }
  return {
    kind: 'fail',
    feedback: `it gives ${format(value)}, and with the numbers left (${rest}) nothing makes ${target} from that`,
  }
}

/** False only when it is proven that the value and the numbers left cannot make the target. */
function alive(value: Rational, left: readonly Rational[], target: Rational): boolean {
  const numbers = [value, ...left]
  // With free minus signs an expression makes exactly the values that one without them makes, and their negatives.
  return reaches(numbers, target) !== false || reaches(numbers, negate(target)) !== false
}

/** Of "24 = (1+2+3)*4" the side that is not a bare number; else the first. */
function theExpression(sides: readonly [Expression, ...Expression[]], game: Game24): Expression {
  const [first, second] = sides
  const bare = first.kind === 'number' && equals(first.value, game.target)
  return bare && second && second.kind !== 'number' ? second : first
}

/** The numbers that an expression leaves; an Error tells what it uses wrongly (an empty one: cannot be told). */
function unused(numbers: readonly Rational[], expression: Expression): Rational[] | Error {
  const left = [...numbers]
  for (const { value, text } of literals(signed(expression, numbers))) {
    const at = left.findIndex((n) => equals(n, value))
    const given = numbers.some((n) => equals(n, value))
    if (text.includes('.') && value.d === 1n && given) return new Error('')
    if (at < 0)
      return new Error(given ? `it uses ${text} too often` : `it uses ${text}, which is not one of the numbers`)
    left.splice(at, 1)
  }
  return left
}

/** Where negative numbers are given, "-3" is that number and not a sign before 3. Division bars of given fractions likewise. */
function signed(e: Expression, numbers: readonly Rational[]): Expression {
  if (e.kind === 'number') return e
  const whole = e.kind === 'negate' ? literalOf(e) : undefined
  if (whole && numbers.some((n) => equals(n, whole)) && !numbers.some((n) => equals(n, negate(whole))))
    return { kind: 'number', value: whole, text: format(whole) }
  if (e.kind === 'negate') return { kind: 'negate', of: signed(e.of, numbers) }
  return { kind: e.kind, left: signed(e.left, numbers), right: signed(e.right, numbers) }
}

const literalOf = (e: Extract<Expression, { kind: 'negate' }>): Rational | undefined =>
  e.of.kind === 'number' ? negate(e.of.value) : undefined
