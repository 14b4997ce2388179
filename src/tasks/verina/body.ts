/**
 * Sorts what stands in a [CODE] block: models write the bare body, or helpers and then the body, or the whole definition
 * again. Gives the helpers and what follows our own `:=`.
 */
export interface Body {
  readonly aux: string
  /** goes right after `:=`; begins with a line break unless it goes on in the same line */
  readonly body: string
}

const command =
  /^(?:@\[|(?:private|protected|noncomputable|partial|local|scoped|def|abbrev|theorem|lemma|structure|inductive|class|instance|open|namespace|section|end|variable|universe|mutual|example|attribute|set_option|deriving|macro|syntax|notation|axiom|unsafe|import)\b)/

/** @example splitBody('def f (n : Nat := 3) : Nat :=\n  n + 1', 'f').body // '\n  n + 1' */
export function splitBody(code: string, name: string): Body {
  const whole = new RegExp(
    `^(?:@\\[[^\\]]*\\]\\s*)?(?:(?:private|protected|noncomputable|partial)\\s+)*def\\s+${quoted(name)}(?![\\w'.])`,
    'm',
  )
  const at = whole.exec(code)
  if (at) {
    const assign = definedAt(code, at.index + at[0].length)
    if (assign >= 0) return { aux: code.slice(0, at.index).trimEnd(), body: code.slice(assign + 2) }
  }
  const lines = code.split('\n')
  const aux = helperLines(lines)
  return { aux: lines.slice(0, aux).join('\n').trimEnd(), body: `\n${indented(lines.slice(aux)).join('\n')}` }
}

const quoted = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** The `:=` that ends the signature: the first outside brackets, so that of a default argument `(n : Nat := 3)` is passed. */
function definedAt(code: string, from: number): number {
  let depth = 0
  for (let i = from; i < code.length; i++) {
    const c = code[i]!
    if ('([{⟨'.includes(c)) depth++
    else if (')]}⟩'.includes(c)) depth--
    else if (code.startsWith('--', i)) i = Math.max(i, code.indexOf('\n', i) - 1)
    else if (depth === 0 && code.startsWith(':=', i)) return i
    else if (depth === 0 && /^\n\s*\|/.test(code.slice(i, i + 40))) return -1
  }
  return -1
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
