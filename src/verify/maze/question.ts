import type { Cell, Turns } from './grid.ts'

/** What a maze question asks. `unclear`: the wording has no one meaning that we know. */
export type Question =
  | { readonly kind: 'turns'; readonly of: 'right' | 'left' | 'total' }
  | {
      readonly kind: 'relation'
      readonly vertical: -1 | 0 | 1
      readonly horizontal: -1 | 0 | 1
      readonly exact: boolean
      readonly flip: boolean
    }
  | { readonly kind: 'unclear' }

const unclear: Question = { kind: 'unclear' }

/** Reads the question from the text after the grid, up to the options. */
export function readQuestion(text: string): Question {
  const upToOptions = text.split(/available options\s*:/i)[0]!
  const mark = upToOptions.indexOf('?')
  if (mark < 0) return unclear
  const before = upToOptions.slice(Math.max(0, mark - 400), mark)
  const asked = before.slice(Math.max(before.lastIndexOf('\n'), before.lastIndexOf('. ')) + 1)
  const q = asked.toLowerCase().replace(/\s+/g, ' ').trim()
  if (/\b(?:not|never|except|without|or|than|u-turns?|at least|at most)\b/.test(q)) return unclear
  return /\bhow many\b/.test(q) ? turnsQuestion(q) : relationQuestion(q)
}

function turnsQuestion(q: string): Question {
  const m = /\bhow many (right|left|total)?[- ]?(?:hand )?turns\b(?! (?:right|left|to))/.exec(q)
  if (!m || /\bturns\b.*\bturns\b/.test(q)) return unclear
  return { kind: 'turns', of: (m[1] as 'right' | 'left' | 'total' | undefined) ?? 'total' }
}

const sides: Readonly<Record<string, readonly [-1 | 0 | 1, -1 | 0 | 1]>> = {
  top: [-1, 0],
  upper: [-1, 0],
  up: [-1, 0],
  above: [-1, 0],
  north: [-1, 0],
  bottom: [1, 0],
  lower: [1, 0],
  down: [1, 0],
  below: [1, 0],
  under: [1, 0],
  south: [1, 0],
  left: [0, -1],
  west: [0, -1],
  right: [0, 1],
  east: [0, 1],
}

function relationQuestion(q: string): Question {
  const m =
    /\bis (?:the )?(exit|end ?point|end|e|start(?:ing)?(?: point)?|s)(?: \([es]\))? (.+?) (?:of |from )?(?:the )?(exit|end ?point|end|e|start(?:ing)?(?: point)?|s)\b(?: \([es]\))?(.*)$/.exec(
      q,
    )
  if (!m) return unclear
  const from = /^s/.test(m[1]!)
  if (from === /^s/.test(m[3]!)) return unclear
  const words = m[2]!
    .replace(/^located /, '')
    .replace(/\b(?:to|in|on|the|side|and)\b/g, ' ')
    .replace(/[-,]/g, ' ')
    .split(/\s+/)
    .filter(Boolean)
  const exactWord = /^(?:directly|exactly|straight|immediately)$/.test(words[0] ?? '') ? words.shift() : undefined
  const parts = words.flatMap((w) => (/^(?:north|south)(?:east|west)$/.test(w) ? [w.slice(0, 5), w.slice(5)] : [w]))
  const known = parts.map((w) => sides[w])
  if (parts.length < 1 || parts.length > 2 || known.some((k) => !k) || exactWord === 'immediately') return unclear
  const vertical = known.map((k) => k![0]).filter((v) => v !== 0)
  const horizontal = known.map((k) => k![1]).filter((h) => h !== 0)
  if (vertical.length > 1 || horizontal.length > 1) return unclear
  const rest = m[4]!.replace(/[,\s]+/g, ' ').trim()
  const none = /^with no (vertical|horizontal) displacement$/.exec(rest)
  // "directly left, with no vertical displacement": the rest must say the same as the phrase, or we do not know it
  const crossed = horizontal.length > 0 ? 'vertical' : 'horizontal'
  if (rest !== '' && !(none && none[1] === crossed && parts.length === 1)) return unclear
  return {
    kind: 'relation',
    vertical: vertical[0] ?? 0,
    horizontal: horizontal[0] ?? 0,
    exact: exactWord !== undefined || none !== null,
    flip: from,
  }
}

/**
 * The truth, as a number or as yes/no; undefined where the wording leaves it open. Plain "north of" may mean exactly north
 * or anywhere further north: it is answered only where both readings agree.
 */
export function truthOf(
  question: Question,
  start: Cell,
  exit: Cell,
  turns: Turns | undefined,
): number | boolean | undefined {
  if (question.kind === 'unclear') return undefined
  if (question.kind === 'turns') {
    if (!turns) return undefined
    return question.of === 'total' ? turns.right + turns.left : turns[question.of]
  }
  const sign = question.flip ? -1 : 1
  const v = Math.sign((exit[0] - start[0]) * sign)
  const h = Math.sign((exit[1] - start[1]) * sign)
  const exactly = v === question.vertical && h === question.horizontal
  if (question.exact || (question.vertical !== 0 && question.horizontal !== 0)) return exactly
  const loosely =
    (question.vertical === 0 || v === question.vertical) && (question.horizontal === 0 || h === question.horizontal)
  return exactly === loosely ? exactly : undefined
}
