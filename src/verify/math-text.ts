/** Answers as strings: what can be taken off or written in one way without changing what they mean. */

const unicode: Record<string, string> = {
  '\u2212': '-',
  '\u2013': '-',
  '\u2014': '-',
  '\u00d7': '\\times ',
  '\u00b7': '\\cdot ',
  '\u22c5': '\\cdot ',
  '\u00f7': '\\div ',
  '\u03c0': '\\pi ',
  '\u221e': '\\infty ',
  '\u2264': '\\le ',
  '\u2265': '\\ge ',
  '\u00b1': '\\pm ',
  '\u222a': '\\cup ',
  '\u2208': '\\in ',
  '\u00b0': '^\\circ ',
  '\u00b2': '^2',
  '\u00b3': '^3',
  '\u03b8': '\\theta ',
  '\u00bd': '\\frac{1}{2}',
  '\u00bc': '\\frac{1}{4}',
  '\u00be': '\\frac{3}{4}',
  '\u00a0': ' ',
  '\u2009': ' ',
  '\u2018': "'",
  '\u2019': "'",
  '\uff08': '(',
  '\uff09': ')',
  '\uff0c': ',',
}

/** What a matrix row ends with after `clean`. */
export const rowEnd = '\u0001'

/** One way of writing: no delimiters, no spacing commands, no sizes, ASCII signs. */
export function clean(text: string): string {
  let out = text.replace(/[^\x00-\x7f]/g, (c) => unicode[c] ?? c).replace(/\u221a\s*(\d+|\([^()]*\))/g, '\\sqrt{$1}')
  // a doubled backslash ends a matrix row; elsewhere it is an escape that was escaped
  out = out.includes('\\begin') ? out.replaceAll('\\\\', rowEnd) : out.replace(/\\\\(?=[a-zA-Z])/g, '\\')
  out = out
    .replace(/,\s*\\!\s*(?=\d{3})/g, ',')
    .replace(/\\(?:left|right|[bB]ig+[lr]?)(?![a-zA-Z])\s*\.?/g, '')
    .replace(/\\(?:displaystyle|textstyle|limits|nolimits)\b/g, '')
    .replace(/\\!|\\(?:hspace|vspace|phantom)\{[^}]*\}/g, '')
    .replace(/\\[,;:]|\\ |~|\\q?quad\b/g, ' ')
    .replace(/\\(?:leq|leqslant)\b/g, '\\le ')
    .replace(/\\(?:geq|geqslant)\b/g, '\\ge ')
    .replace(/\\(?:infin)\b/g, '\\infty ')
    .replace(/\\(?:lbrace|\{)/g, '\\{')
    .replace(/\\(?:rbrace|\})/g, '\\}')
    .replace(
      /\\(?:textbf|mathbf|mathrm|mathit|mathsf|operatorname|textrm|textit|mbox|hbox|bf|rm|textnormal)\b/g,
      '\\text',
    )
    .replace(/\\bmod\b/g, '\\text{mod}')
    .replace(/\\(?:degree|deg)\b/g, '^\\circ ')
  return peel(out)
}

/** Delimiters and emphasis around the whole, a full stop at the end. */
function peel(text: string): string {
  let out = text.trim()
  for (let before = ''; before !== out; ) {
    before = out
    const inner =
      /^\$\$?((?:\\\$|[^$])*)\$\$?$/s.exec(out) ??
      /^\\\(((?:(?!\\\)).)*)\\\)$/s.exec(out) ??
      /^\\\[((?:(?!\\\]).)*)\\\]$/s.exec(out) ??
      /^\*\*([^*]*)\*\*$/s.exec(out) ??
      /^`([^`]*)`$/s.exec(out) ??
      /^"([^"]*)"$/s.exec(out) ??
      /^\\boxed\{([^{}]*(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}[^{}]*)*)\}$/s.exec(out)
    out = (inner?.[1] ?? out)
      .trim()
      .replace(/(?<=[^.])\.$|[;:]$/, '')
      .trim()
    const braces = /^\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}$/.exec(out)
    if (braces) out = braces[1]!.trim()
  }
  return out
}

/** The parts of a list: cut at these characters outside of all brackets. */
export function splitOutside(text: string, separator: RegExp): string[] {
  const out: string[] = []
  let depth = 0
  let from = 0
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!
    if (c === '(' || c === '[' || c === '{') depth++
    else if (c === ')' || c === ']' || c === '}') depth = Math.max(0, depth - 1)
    else if (depth === 0) {
      separator.lastIndex = i
      const m = separator.exec(text)
      if (m && m.index === i && m[0] !== '') {
        out.push(text.slice(from, i))
        i += m[0].length - 1
        from = i + 1
      }
    }
  }
  out.push(text.slice(from))
  return out.map((part) => part.trim())
}

/** Words only: letters in lower case with single blanks; undefined when it holds mathematics. */
export function words(text: string): string | undefined {
  const bare = text
    .replace(/\\text\s*\{([^{}]*)\}/g, ' $1 ')
    .replace(/[{}]/g, ' ')
    .trim()
  if (/[\\^_=<>+*/|\d]/.test(bare) || !/[a-zA-Z]{2,}|^\(?[A-Z]\)?$/.test(bare)) return undefined
  return bare
    .toLowerCase()
    .replace(/[^\p{L}' ]+/gu, ' ')
    .replace(/^(?:an?|the) /, '')
    .trim()
    .replace(/\s+/g, ' ')
}
