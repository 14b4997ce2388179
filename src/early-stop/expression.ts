import { lastBoxed } from '../verify/choice.ts'
import { type Expression, evaluate, literals, parseExpression } from '../verify/expression.ts'
import { equals, format, parseDecimal, type Rational, rational } from '../verify/rational.ts'
import { byLine, type Extractor, type Said } from './statement.ts'

export interface ExpressionOptions {
  readonly numbers: readonly number[]
  /** an expression of another value is a try, not an answer */
  readonly target: number
}

/**
 * Arithmetic puzzles: the expression that a line states, if it uses exactly these numbers and has the wanted value, exactly.
 * Reordered sums and products are the same answer.
 * @example expression({ numbers: [1, 2, 3, 4], target: 24 })('So (1+2+3)*4 = 24.')[0]?.answer // '(1+2+3)*4'
 */
export function expression({ numbers, target }: ExpressionOptions): Extractor {
  const wanted = numbers.map((n) => format(parseDecimal(String(n)) ?? rational(0))).sort()
  const goal = parseDecimal(String(target)) ?? rational(0)
  return byLine((line) =>
    candidates(line).reduce<Said | undefined>((last, text) => read(text, wanted, goal) ?? last, undefined),
  )
}

const run =
  /(?:[\d.()[\]{}+\-*/\u00d7\u00f7\u00b7\u22c5\u2212\u2013\u2217=\s$]|\\(?:d?frac|tfrac|times|cdot|div|left|right|[()[\]])|(?<=[\d)\]\s])[xX](?=[\s\d(]))+/g

/** Every stretch of a line that could be arithmetic, the sides of equations apart. */
function candidates(line: string): string[] {
  const boxed = lastBoxed(line)
  // "3. 4*6" is the third item of a list, not 3.4 or 3
  const body = line.replace(/^\s*(?:[-*>#]+\s+)*(?:\d+[.)]\s+)?/, '')
  const runs = body.match(run) ?? []
  return [...runs, ...(boxed === undefined ? [] : [boxed])]
    .flatMap((r) => r.split('='))
    .filter((r) => r.length <= 500)
    .map(trim)
}

function read(text: string, wanted: readonly string[], goal: Rational): Said | undefined {
  const digits = text.match(/\d+(?:\.\d+)?/g)
  if (!digits || digits.length !== wanted.length) return undefined
  const parsed = parseExpression(text)
  if (!parsed.ok || parsed.sides.length !== 1) return undefined
  const e = parsed.sides[0]
  const used = literals(e)
    .map((l) => format(l.value))
    .sort()
  if (used.some((n, i) => n !== wanted[i])) return undefined
  const value = evaluate(e)
  return value && equals(value, goal) ? { answer: text, key: normalForm(e) } : undefined
}

/** Blanks, sentence ends and brackets without a partner at the edges. */
function trim(text: string): string {
  let out = text
    .replace(/\\[()[\]]|\$/g, ' ')
    .trim()
    .replace(/[.\s]+$/, '')
    .replace(/^[.*\s]+/, '')
  while (depth(out) < 0 && /[)\]}]$/.test(out)) out = out.slice(0, -1).trim()
  while (depth(out) > 0 && /^[([{]/.test(out)) out = out.slice(1).trim()
  return out
}

function depth(text: string): number {
  let open = 0
  for (const c of text) open += '([{'.includes(c) ? 1 : ')]}'.includes(c) ? -1 : 0
  return open
}

/** The same text for expressions that differ in order, brackets without effect, or how a difference is nested. */
export function normalForm(e: Expression): string {
  switch (e.kind) {
    case 'number':
      return format(e.value)
    case '+':
    case '-':
    case 'negate':
      return `(${terms(e, false).sort().join('')})`
    case '*':
    case '/':
      return `[${factors(e, false).sort().join('')}]`
    default:
      return e satisfies never
  }
}

function terms(e: Expression, minus: boolean): string[] {
  if (e.kind === 'negate') return terms(e.of, !minus)
  if (e.kind === '+' || e.kind === '-') return [...terms(e.left, minus), ...terms(e.right, minus !== (e.kind === '-'))]
  return [`${minus ? '-' : '+'}${normalForm(e)}`]
}

function factors(e: Expression, below: boolean): string[] {
  if (e.kind === '*' || e.kind === '/')
    return [...factors(e.left, below), ...factors(e.right, below !== (e.kind === '/'))]
  return [`${below ? '/' : '*'}${normalForm(e)}`]
}
