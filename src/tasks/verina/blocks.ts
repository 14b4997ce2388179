/**
 * Finds [CODE], [PRECOND], [POSTCOND] and the _AUX blocks in what a model wrote. A block's tags stand on lines of their own
 * or enclose one line; tags that are quoted in prose are not blocks. The first line keeps its indentation.
 */
export type Tag = 'CODE' | 'CODE_AUX' | 'PRECOND' | 'PRECOND_AUX' | 'POSTCOND' | 'POSTCOND_AUX'

export type Blocks = { readonly [tag in Tag]?: string }

const opening = /^[ \t]*(?:\*\*|`)?\[(CODE|PRECOND|POSTCOND)(_AUX)?\](?:\*\*|`)?/

interface Open {
  readonly tag: Tag
  readonly lines: string[]
}

/**
 * The last block of each tag wins, unless it is empty. A block that never closes runs to the next tag or the end.
 * @example blocks('[CODE]\n  x + 1\n[/CODE]') // { CODE: '  x + 1' }
 */
export function blocks(text: string): Blocks {
  const found: Partial<Record<Tag, string>> = {}
  let open: Open | undefined
  const keep = (): void => {
    const body = open && tidy(open.lines)
    if (open && body) found[open.tag] = body
    open = undefined
  }
  for (const line of text.replaceAll('\r\n', '\n').split('\n')) {
    const start = opening.exec(line)
    if (start && startsBlock(line.slice(start[0].length), `${start[1]}${start[2] ?? ''}`)) {
      keep()
      const current: Open = { tag: `${start[1]}${start[2] ?? ''}` as Tag, lines: [] }
      open = current
      if (take(line.slice(start[0].length), current)) keep()
    } else if (open && take(line, open)) keep()
  }
  keep()
  return found
}

/** After an opening tag comes nothing, a fence, or a whole one-line block; "[CODE] and [/CODE] as asked." is prose. */
function startsBlock(rest: string, tag: string): boolean {
  if (/^[ \t]*(?:```\w*)?[ \t]*$/.test(rest)) return true
  const close = rest.indexOf(`[/${tag}]`)
  return close < 0
    ? !/\[\/?(?:CODE|PRE|POST)/.test(rest) && !prose(rest)
    : rest.slice(close + tag.length + 3).trim() === ''
}

/** "tags:" and the like: words that end as a sentence does. */
const prose = (rest: string): boolean =>
  /^[ \t]+(?:tags?|blocks?|and|or|section)\b/i.test(rest) || /[.:][ \t]*$/.test(rest)

/** Adds a line; true when it closes the block. */
function take(line: string, open: Open): boolean {
  const close = line.indexOf(`[/${open.tag}]`)
  const text = close < 0 ? line : line.slice(0, close)
  if (close < 0 || text.trim() !== '') open.lines.push(text)
  return close >= 0
}

/** Takes off a fence and the blank lines around it; spaces at the start of the first line belong to Lean's layout. */
function tidy(lines: readonly string[]): string | undefined {
  let body = [...lines]
  const fence = body.findIndex((l) => /^[ \t]*```/.test(l))
  if (fence >= 0 && body.slice(0, fence).every((l) => l.trim() === '')) {
    const end = body.findIndex((l, i) => i > fence && /^[ \t]*```[ \t]*$/.test(l))
    body = body.slice(fence + 1, end < 0 ? undefined : end)
  }
  while (body.length > 0 && body[0]!.trim() === '') body.shift()
  while (body.length > 0 && body.at(-1)!.trim() === '') body.pop()
  return body.length > 0 ? body.map((l) => l.replace(/\t/g, '  ')).join('\n') : undefined
}

/** The last fenced block that says it is Lean, for an answer that forgot the tags. */
export function lastFence(text: string): string | undefined {
  let open: string[] | undefined
  let last: string | undefined
  for (const line of text.split(/\r?\n/)) {
    if (open === undefined && /^[ \t]*```lean4?[ \t]*$/.test(line)) open = []
    else if (open && /^[ \t]*```[ \t]*$/.test(line)) {
      last = tidy(open) ?? last
      open = undefined
    } else open?.push(line)
  }
  return last
}
