import type { Extractor, Statement } from './statement.ts'

/**
 * Code and specifications: tagged ([CODE] … [/CODE], [PRECOND], [POSTCOND]) or fenced blocks. Two blocks are the same when
 * their normal forms are: comments, blank lines and spacing do not matter. What differs beyond that a judge may compare.
 */
export const code: Extractor = (text) => {
  const tagged = [...text.matchAll(/\[(CODE|PRECOND|POSTCOND)\]([\s\S]*?)\[\/\1\]/g)].flatMap((m) =>
    block(m[2]!, m.index + m[0].length, m[1] === 'CODE' ? undefined : m[1]!),
  )
  if (tagged.length > 0) return tagged
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
