/**
 * Sorts what stands in a [CODE] block: models write the bare body, or helpers and then the body, or the whole definition
 * again, with `:=` or by equations. Gives the helpers and what follows our own `:=`, so that the name, the type and the
 * attributes of the function are always the row's.
 */
import { charEnd, endOfComment, endOfString } from '../../verify/lean/tokens.ts'

export interface Body {
  readonly aux: string
  /** goes right after `:=`; begins with a line break unless it goes on in the same line */
  readonly body: string
}

const command =
  /^(?:@\[|(?:private|protected|noncomputable|partial|local|scoped|def|abbrev|theorem|lemma|structure|inductive|class|instance|open|namespace|section|end|variable|universe|mutual|example|attribute|set_option|deriving|macro|syntax|notation|axiom|unsafe|import)\b)/

/**
 * `args` are the function's own arguments, in order, the precondition's proof included: equations are matched on them.
 * @example splitBody('def f (n : Nat := 3) : Nat :=\n  n + 1', 'f').body // '\n  n + 1'
 * @example splitBody('def f : Nat → Nat\n  | 0 => 1\n  | n + 1 => n', 'f', ['n']).body // ' match n with\n  | 0 => 1\n  | n + 1 => n'
 */
export function splitBody(code: string, name: string, args: readonly string[] = []): Body {
  const whole = new RegExp(
    `^(?:@\\[[^\\]]*\\]\\s*)?(?:(?:private|protected|noncomputable|partial)\\s+)*def\\s+${quoted(name)}(?![\\w'.])`,
    'm',
  )
  const at = whole.exec(code)
  if (at) {
    const from = at.index + at[0].length
    const end = signatureEnd(code, from)
    const body = end && (end.equations ? matched(code, from, end.at, args) : code.slice(end.at + 2))
    if (body !== undefined) return { aux: code.slice(0, at.index).trimEnd(), body }
  }
  const lines = code.split('\n')
  const aux = helperLines(lines)
  return { aux: lines.slice(0, aux).join('\n').trimEnd(), body: `\n${indented(lines.slice(aux)).join('\n')}` }
}

const quoted = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Calls `each` at every place outside brackets, comments and strings, until it says that it has found what it wants. */
function outside(code: string, from: number, to: number, each: (i: number) => boolean): void {
  let depth = 0
  for (let i = from; i < to; i++) {
    const c = code[i]!
    if (code.startsWith('--', i)) i = (code.indexOf('\n', i) + 1 || to) - 2
    else if (code.startsWith('/-', i)) i = endOfComment(code, i) - 1
    else if (c === '"') i = endOfString(code, i) - 1
    else if (c === "'" && charEnd(code, i) > 0) i = charEnd(code, i) - 1
    else if (isOpening(c)) depth++
    else if (isClosing(c)) depth--
    else if (depth === 0 && each(i)) return
  }
}
const isOpening = (c: string): boolean => '([{⟨'.includes(c)
const isClosing = (c: string): boolean => ')]}⟩'.includes(c)

/**
 * Where the signature ends: at its `:=` (not at that of a default argument, `(n : Nat := 3)`), or at the first equation's
 * bar.
 */
function signatureEnd(code: string, from: number): { at: number; equations: boolean } | undefined {
  let end: { at: number; equations: boolean } | undefined
  outside(code, from, code.length, (i) => {
    if (code.startsWith(':=', i)) end = { at: i, equations: false }
    else if (/^\s\|\s/.test(code.slice(i, i + 3))) end = { at: i + 1, equations: true }
    return end !== undefined
  })
  return end
}

/** `def f (a : A) : B → C | p => …` is `fun a b => match b with | p => …`: equations name what the signature left unnamed. */
function matched(code: string, from: number, bar: number, args: readonly string[]): string | undefined {
  const named = binders(code, from, bar)
  const patterns = patternsIn(code, bar)
  if (patterns === 0 || named + patterns > args.length) return undefined
  const start = code.lastIndexOf('\n', bar) + 1
  const lead = code.slice(start, bar).trim() === '' ? `\n${code.slice(start, bar)}` : '\n  '
  return ` match ${args.slice(named, named + patterns).join(', ')} with${lead}${code.slice(bar)}`
}

/** How many arguments stand before the colon of the signature: the names in `(a b : T)` and `{c : U}`. */
function binders(code: string, from: number, to: number): number {
  let colon = to
  outside(code, from, to, (i) => {
    if (code[i] === ':') colon = i
    return colon < to
  })
  const groups = code.slice(from, colon).match(/[({][^(){}:]*:/g) ?? []
  return groups.reduce((n, group) => n + group.slice(1, -1).trim().split(/\s+/).length, 0)
}

/** How many patterns the first equation has: those between its bar and its arrow, with commas between them. */
function patternsIn(code: string, bar: number): number {
  let commas = 0
  let arrow = false
  outside(code, bar + 1, code.length, (i) => {
    if (code[i] === ',') commas++
    arrow = code.startsWith('=>', i)
    return arrow
  })
  return arrow ? commas + 1 : 0
}

/** How many leading lines are helpers: commands at the left margin with what belongs to them, up to the last blank line. */
function helperLines(lines: readonly string[]): number {
  if (!command.test(lines.find((l) => l.trim() !== '' && !l.startsWith('--')) ?? '')) return 0
  for (let i = lines.length - 1; i > 0; i--) {
    if (lines[i - 1]!.trim() !== '' || lines[i]!.trim() === '') continue
    const inside = lines.slice(i).some((l) => command.test(l))
    if (!inside) return i
    return command.test(lines[i]!) ? 0 : i
  }
  return 0
}

/** A body at the left margin is moved in, up to the first command after it. */
function indented(lines: readonly string[]): string[] {
  const first = lines.find((l) => l.trim() !== '')
  if (first === undefined || /^\s/.test(first)) return [...lines]
  const stop = lines.findIndex((l) => command.test(l) && !/^(?:open|set_option)\b.*\bin\b/.test(l))
  return lines.map((l, i) => ((stop < 0 || i < stop) && l.trim() !== '' ? `  ${l}` : l))
}
