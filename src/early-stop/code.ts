import type { Extractor, Statement } from './statement.ts'

/**
 * Code and specifications: tagged ([CODE] … [/CODE], [PRECOND], [POSTCOND]) or fenced blocks. Two blocks are the same when
 * their normal forms are: comments, blank lines and spacing do not matter. What differs beyond that a judge may compare.
 */
export const code: Extractor = (text) => {
  const tagged = taggedBlocks(text)
  return tagged.length > 0 ? tagged : fencedBlocks(text)
}

/** From each opening tag to the next closing one of its kind; linear, also where thousands are opened and none is closed. */
function taggedBlocks(text: string): Statement[] {
  const found: Statement[] = []
  const lastClose = new Map(['CODE', 'PRECOND', 'POSTCOND'].map((kind) => [kind, text.lastIndexOf(`[/${kind}]`)]))
  const open = /\[(CODE|PRECOND|POSTCOND)\]/g
  for (let m = open.exec(text); m; m = open.exec(text)) {
    const kind = m[1]!
    const close = `[/${kind}]`
    const at = m.index < lastClose.get(kind)! ? text.indexOf(close, open.lastIndex) : -1
    if (at < 0) continue
    found.push(...block(text.slice(open.lastIndex, at), at + close.length, kind === 'CODE' ? undefined : kind))
    open.lastIndex = at + close.length
  }
  return found
}

function fencedBlocks(text: string): Statement[] {
  return [...text.matchAll(/```(?:lean4?|python|[a-z]*)?\n([\s\S]*?)```/gi)].flatMap((m) =>
    block(m[1]!, m.index + m[0].length),
  )
}

function block(body: string, end: number, part?: string): Statement[] {
  const key = normalCode(body)
  // "[CODE] tags … [/CODE]" in a sentence is no code; nor is an empty block
  if (key === '' || /^(?:tags?|and|or|\.\.\.|…)$/i.test(key)) return []
  return [{ answer: body.replace(/^\s*\n|\s+$/g, ''), key, end, ...(part && { part }) }]
}

/** Lean and Python comments, indentation and runs of blanks taken away; the order of lines stays. */
export function normalCode(body: string): string {
  return body
    .replace(/\/-[\s\S]*?-\//g, ' ')
    .replace(/(?:--|#(?!\w*eval)).*$/gm, '')
    .split('\n')
    .map((line) =>
      line
        .replace(/\s+/g, ' ')
        .replace(/\s*([()[\]{},:;=<>+*/-])\s*/g, '$1')
        .trim(),
    )
    .filter((line) => line !== '')
    .join('\n')
}
