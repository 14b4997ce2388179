/**
 * Cuts Lean 4 source into the tokens that matter for a scan: names (with their dots), `#commands`, and everything else as
 * single symbols. Comments (nested), strings (raw and interpolated) and characters are left out, except that the code
 * inside an interpolated string's braces counts.
 */
export interface LeanToken {
  readonly text: string
  readonly line: number
}

const nameStart = /[\p{L}_«]/u
const nameRest = /[\p{L}\p{N}\p{M}_'!?₀-₉ₐ-ₜᵢ-ᵪ]/u

/** @example tokens('def f := 1 -- sorry').map((t) => t.text) // ['def', 'f', ':', '=', '1'] */
export function tokens(source: string): LeanToken[] {
  const out: LeanToken[] = []
  let i = 0
  let line = 1
  const skip = (end: number): void => {
    for (; i < end && i < source.length; i++) if (source[i] === '\n') line++
  }
  while (i < source.length) {
    const c = source[i]!
    if (/\s/.test(c)) skip(i + 1)
    else if (source.startsWith('--', i)) skip(endOfLine(source, i))
    else if (source.startsWith('/-', i)) skip(endOfComment(source, i))
    else if (c === 'r' && /^r#*"/.test(source.slice(i, i + 64))) skip(endOfRaw(source, i))
    else if (c === '"') {
      const end = endOfString(source, i)
      for (const code of interpolated(source.slice(i, end))) {
        for (const t of tokens(code)) out.push({ text: t.text, line: line + t.line - 1 })
      }
      skip(end)
    } else if (c === "'" && charEnd(source, i) > 0) skip(charEnd(source, i))
    else {
      const end = nameStart.test(codePoint(source, i)) ? endOfName(source, i) : endOfSymbol(source, i)
      out.push({ text: source.slice(i, end).replace(/[«»]/g, ''), line })
      skip(end)
    }
  }
  return out
}

const codePoint = (source: string, i: number): string => String.fromCodePoint(source.codePointAt(i) ?? 0)

function endOfLine(source: string, i: number): number {
  const end = source.indexOf('\n', i)
  return end < 0 ? source.length : end
}

export function endOfComment(source: string, start: number): number {
  let depth = 0
  for (let i = start; i < source.length; i++) {
    if (source.startsWith('/-', i)) {
      depth++
      i++
    } else if (source.startsWith('-/', i)) {
      depth--
      i++
      if (depth === 0) return i + 1
    }
  }
  return source.length
}

function endOfRaw(source: string, start: number): number {
  const hashes = /^r(#*)"/.exec(source.slice(start, start + 64))?.[1] ?? ''
  const end = source.indexOf(`"${hashes}`, start + hashes.length + 2)
  return end < 0 ? source.length : end + 1 + hashes.length
}

export function endOfString(source: string, start: number): number {
  for (let i = start + 1; i < source.length; i++) {
    if (source[i] === '\\') i++
    else if (source[i] === '"') return i + 1
  }
  return source.length
}

/** What stands in braces might be code (s!"…{x}…"); a plain string's braces are read too, which can only find more. */
function interpolated(text: string): string[] {
  return [...text.matchAll(/\{([^{}]*)\}/g)].map((m) => m[1] ?? '')
}

/** The end of 'a', '\n', '\x41', '\u00e9'; 0 when the quote belongs to a name such as h'. */
export function charEnd(source: string, i: number): number {
  const m = /^'(?:\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)|[^\\'])'/su.exec(source.slice(i, i + 12))
  return m === null ? 0 : i + m[0].length
}

function endOfName(source: string, start: number): number {
  let i = start
  for (;;) {
    if (source[i] === '«') {
      const end = source.indexOf('»', i)
      if (end < 0) return source.length
      i = end + 1
    } else while (i < source.length && nameRest.test(codePoint(source, i))) i += codePoint(source, i).length
    if (source[i] === '.' && nameStart.test(codePoint(source, i + 1))) i++
    else return Math.max(i, start + 1)
  }
}

function endOfSymbol(source: string, start: number): number {
  const shape = source[start] === '#' ? /#[a-z_]+!?/y : /[0-9][0-9a-zA-Z_]*/y
  shape.lastIndex = start
  const found = shape.exec(source)
  return start + (found?.[0].length ?? codePoint(source, start).length)
}
