/** Writes a dataset value as a Lean term of the given type. Strings of any type but String are Lean terms already. */
export function leanValue(value: unknown, type: string): string {
  const bare = type.trim().replace(/^\((.*)\)$/s, '$1')
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return leanNumber(value, bare)
  if (typeof value === 'string') {
    if (bare === 'String') return leanString(value)
    if (bare === 'Char') return [...value].length === 1 ? leanChar(value) : value
    return value.trim() === '' ? leanString(value) : `(${value})`
  }
  if (Array.isArray(value)) {
    const inner = /^(?:Array|List)\s+(.*)$/s.exec(bare)?.[1] ?? bare
    return `${/^Array\b/.test(bare) ? '#' : ''}[${value.map((v) => leanValue(v, inner)).join(', ')}]`
  }
  return `(${String(value)})`
}

function leanNumber(value: number, type: string): string {
  const digits = type === 'Float' && Number.isInteger(value) ? `${value}.0` : String(value)
  return value < 0 ? `(${digits})` : digits
}

function leanString(value: string): string {
  return `"${[...value].map((c) => escaped(c, '"')).join('')}"`
}

const leanChar = (value: string): string => `'${escaped(value, "'")}'`

function escaped(c: string, quote: string): string {
  if (c === '\\' || c === quote) return `\\${c}`
  if (c === '\n') return '\\n'
  if (c === '\t') return '\\t'
  if (c === '\r') return '\\r'
  const code = c.codePointAt(0) ?? 0
  return code < 32 || code === 127 ? `\\x${code.toString(16).padStart(2, '0')}` : c
}
