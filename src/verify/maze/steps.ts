import type { Cell, Direction, Turn } from './grid.ts'

/** A list of moves as a model writes it, in our compact form or as blocks of labelled lines. Judges nothing. */

export interface Step {
  readonly from: Cell
  readonly to: Cell
  readonly direction?: Direction
  readonly turn?: Turn
  /** turns so far, this move's included */
  readonly right?: number
  readonly left?: number
}

export interface Steps {
  readonly start?: Cell
  readonly exit?: Cell
  readonly steps: readonly Step[]
}

const limit = 200_000
const cell = String.raw`[([]\s*(\d{1,4})\s*,\s*(\d{1,4})\s*[)\]]`
const arrow = String.raw`,?\s*(?:(?:i |we )?(?:move|moving|go|going|step|head)s?\s+)?(?:(?:up|down|left|right)\s*)?(?:->|-->|=>|→|⇒|to)\s*`
const thought =
  /\b(?:not|no|can't|cannot|blocked|wall|invalid|wrong|instead|impossible|if|would|could|might|maybe|suppose|wait|option)\b|\?/i
const cellForm = new RegExp(cell, 'g')
const chainForm = new RegExp(`${cell}((?:${arrow}${cell})+)`, 'gi')
const place = new RegExp(
  String.raw`^\W*(S|E|start|exit|end)(?:ing)?(?:\s+(?:position|point|cell))?(?:\s*\([SE]\))?\s*(?:is\s+at|is|at|:|=)?\s*${cell}\W*$`,
  'i',
)

/**
 * Reads every move. When the text does not end with a line break its last word may be cut short ("L=1" of "L=10"), so that
 * word is dropped: what is left is surely what the model wrote.
 */
export function readSteps(text: string): Steps {
  const cut = dropLastWord(text.length > limit ? text.slice(0, limit) : text)
  const steps: Step[] = []
  let start: Cell | undefined
  let exit: Cell | undefined
  for (const raw of cut.split('\n')) {
    if (raw.trim() === '') continue
    const line = raw.length > 2000 ? '' : raw.replace(/[*`]/g, '')
    const at = steps.length === 0 ? place.exec(line) : null
    if (at) {
      if (/^s/i.test(at[1]!)) start = [Number(at[2]), Number(at[3])]
      else exit = [Number(at[2]), Number(at[3])]
      continue
    }
    // "(1,1) -> (2,1) is blocked" is a thought about a move
    if (thought.test(line)) continue
    const moves = movesOf(line)
    steps.push(...moves.cells)
    const last = steps.length - 1
    if (last >= 0) steps[last] = { ...steps[last]!, ...labels(line.slice(moves.end), moves.cells.length === 1) }
  }
  return { steps, ...(start && { start }), ...(exit && { exit }) }
}

function dropLastWord(text: string): string {
  let end = text.length
  while (end > 0 && /[\w.-]/.test(text[end - 1]!)) end--
  return text.slice(0, end)
}

/** "(1,1) -> (1,2)", also as a chain of several. `end` is where the labels of the last move begin. */
function movesOf(line: string): { cells: Step[]; end: number } {
  const cells: Step[] = []
  let end = 0
  for (const m of line.matchAll(chainForm)) {
    const word = directionIn(line.slice(end, m.index)) ?? directionIn(m[0])
    const chain = [...m[0].matchAll(cellForm)].map((c) => [Number(c[1]), Number(c[2])] as const)
    for (let i = 1; i < chain.length; i++)
      cells.push({ from: chain[i - 1]!, to: chain[i]!, ...(word && chain.length === 2 && { direction: word }) })
    end = m.index + m[0].length
  }
  return { cells, end }
}

function directionIn(words: string): Direction | undefined {
  const m = /\b(up|down|left|right)\b(?![ _-]?turn)/i.exec(
    words.replace(/\b(?:turn(?:ing|s)?|right|left)[ _-]+turns?\b/gi, ' '),
  )
  return m ? (m[1]!.toLowerCase() as Direction) : undefined
}

/** What is said about a move after its cells: the direction (only on its own line), the kind of turn, the counts so far. */
function labels(words: string, own: boolean): Partial<Step> {
  const right = /\bR(?:ight)?(?:[ _]turns?)?\s*[=:]\s*(\d{1,6})\b/i.exec(words)
  const left = /\bL(?:eft)?(?:[ _]turns?)?\s*[=:]\s*(\d{1,6})\b/i.exec(words)
  const turn = /\bturn type\s*[:=]\s*(straight|right|left|u[ _-]?turn|back|reverse)/i.exec(words)?.[1]?.toLowerCase()
  const direction = own
    ? directionIn(words)
    : (/\bcurrent direction\s*[:=]\s*(up|down|left|right)\b/i.exec(words)?.[1]?.toLowerCase() as Direction | undefined)
  return {
    ...(right && { right: Number(right[1]) }),
    ...(left && { left: Number(left[1]) }),
    ...(turn && { turn: /^(?:u|back|rev)/.test(turn) ? 'back' : (turn as Turn) }),
    ...(direction && { direction }),
  }
}
