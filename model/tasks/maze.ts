import type { Random } from '../../src/base/random.ts'
import { type MazeInstance, maze } from '../../src/tasks/maze/index.ts'
import { type Cell, directionOf, isUnread, type Maze, readMaze, showCell, turnOf } from '../../src/verify/maze/index.ts'
import { own, type Part, slip } from '../doc.ts'
import { type Author, type Mood, type Story, teller } from '../story.ts'

/** Mazes, walked move by move with the turns counted, in the very form in which a fork states them. */
export interface Here {
  /** the written lines of the walk: S's cell, then one a move */
  readonly walk: readonly Step[]
  /** what the story would answer, once it has an answer */
  readonly letter?: string
}

interface Step {
  readonly to: Cell
  readonly text: string
  readonly right: number
  readonly left: number
  readonly wrong: boolean
}

const task = maze
const read = (instance: MazeInstance): Maze => {
  const m = readMaze(instance.prompt)
  if (isUnread(m)) throw new Error(m.unread)
  return m
}

/** Something that is nearly right: a neighbouring cell or a count one off. */
function stepAt(random: Random, m: Maze, walk: readonly Step[], slips: number): { step: Step; parts: Part[] } {
  const route = m.route!
  const i = walk.length
  const bad = random.chance(slips)
  if (i === 0) {
    const [r, c] = m.grid.start
    const to: Cell = bad
      ? random.pick([
          [r, c + 1],
          [r + 1, c],
          [r, Math.max(0, c - 1)],
        ] as const)
      : m.grid.start
    const text = showCell(to)
    return { step: { to, text, right: 0, left: 0, wrong: bad }, parts: [own('S '), bad ? slip(text) : own(text)] }
  }
  const from = walk[i - 1]!.to
  const to = route[i]!
  const direction = directionOf(route[i - 1]!, to)!
  const before = i > 1 ? directionOf(route[i - 2]!, route[i - 1]!)! : direction
  const turn = turnOf(before, direction)
  let right = walk[i - 1]!.right + (turn === 'right' ? 1 : 0)
  let left = walk[i - 1]!.left + (turn === 'left' ? 1 : 0)
  const head = `${showCell(from)} -> ${showCell(to)} ${direction} `
  if (bad) {
    if (turn === 'straight') random.chance(0.5) ? right++ : left++
    else if (random.chance(0.5))
      [right, left] = [right + (turn === 'right' ? -1 : 1), left + (turn === 'left' ? -1 : 1)]
    else turn === 'right' ? right-- : left--
  }
  const counts = `R=${right} L=${left}`
  const text = head + counts
  return {
    step: { to, text, right, left, wrong: bad || walk[i - 1]!.wrong },
    parts: bad ? [own(head), slip(counts)] : [own(text)],
  }
}

function asked(m: Maze, walk: readonly Step[]): { said: string; value: string } {
  const last = walk.at(-1)!
  if (m.question.kind === 'turns') {
    const { of } = m.question
    const n = of === 'right' ? last.right : of === 'left' ? last.left : last.right + last.left
    const said =
      of === 'total'
        ? `Total turns: ${last.right} + ${last.left} = ${n}.`
        : `${of === 'right' ? 'Right' : 'Left'} turns: ${n}.`
    return { said, value: String(n) }
  }
  const [s, e] = [walk[0]!.to, m.grid.exit]
  const up = e[0] < s[0] ? 'above' : e[0] > s[0] ? 'below' : 'level'
  const side = e[1] < s[1] ? 'left' : e[1] > s[1] ? 'right' : 'in line'
  return { said: `S ${showCell(s)}, E ${showCell(e)}: E is ${up} and ${side}.`, value: m.truth === true ? 'Yes' : 'No' }
}

interface Telling {
  readonly random: Random
  readonly m: Maze
  readonly mood: Mood
  readonly t: ReturnType<typeof teller<Here>>
  walk: Step[]
}

function walkOn(x: Telling, to: number, slips: number): void {
  while (x.walk.length < to) {
    const { step, parts } = stepAt(x.random, x.m, x.walk, slips)
    x.walk = [...x.walk, step]
    x.t.say({ walk: x.walk }, ...parts)
    if (step.wrong && x.random.chance(x.mood.notice)) {
      const first = x.walk.findIndex((s) => s.wrong)
      x.t.say({ walk: x.walk }, own(first === 0 ? 'Wait, S is not there.' : `Wait, ${x.walk[first]!.text} is wrong.`))
      x.walk = x.walk.slice(0, first)
    }
  }
}

/** From the counts to an option; a count that no option says is counted again, or bent to the nearest. */
function decide(x: Telling): string {
  const { random, m, t } = x
  const { said, value } = asked(m, x.walk)
  const option = m.options.find((o) => o.text === value)
  if (option) {
    t.say({ walk: x.walk, letter: option.letter }, own(`${said} That is option ${option.letter}.`))
    return option.letter
  }
  if (random.chance(0.6)) {
    t.say({ walk: x.walk }, own(`${said} No option says ${value}. I count again.`))
    x.walk = []
    walkOn(x, m.route!.length, 0)
    return decide(x)
  }
  const near = [...m.options].sort(
    (a, b) => Math.abs(Number(a.text) - Number(value)) - Math.abs(Number(b.text) - Number(value)),
  )[0]!
  t.say({ walk: x.walk, letter: near.letter }, own(`${said} No option says ${value}. The nearest is ${near.letter}.`))
  return near.letter
}

/** The directions in a row, and the turns between them: another way to the same count. */
function recheck(x: Telling, letter: string): string {
  const { m, random } = x
  const ways = m.route!.slice(1).map((to, i) => directionOf(m.route![i]!, to)!)
  x.t.say(
    { walk: x.walk, letter },
    own(`${random.pick(['Let me check.', 'Let me verify.', 'Check again.'])} Moves: ${ways.join(' ')}.`),
  )
  const turns = ways
    .slice(1)
    .map((w, i) => turnOf(ways[i]!, w))
    .filter((w) => w !== 'straight')
  const right = turns.filter((w) => w === 'right').length
  const left = turns.length - right
  const last = x.walk.at(-1)!
  const agree = m.question.kind !== 'turns' || (right === last.right && left === last.left)
  const shown = `Turns: ${turns.join(' ') || 'none'}. R=${right} L=${left}`
  if (agree) {
    x.t.say({ walk: x.walk, letter }, own(`${shown}, as before.`))
    return letter
  }
  x.t.say({ walk: x.walk }, own(`${shown}, not R=${last.right} L=${last.left}. I walk it again.`))
  x.walk = []
  walkOn(x, m.route!.length, 0)
  return decide(x)
}

function tell(random: Random, instance: MazeInstance, mood: Mood, from?: Here, corrected?: boolean): Story<Here> {
  const m = read(instance)
  const x: Telling = { random, m, mood, t: teller(), walk: [...(from?.walk ?? [])] }
  if (corrected) {
    const first = x.walk.findIndex((s) => s.wrong)
    x.walk = first < 0 ? [] : x.walk.slice(0, first)
  }
  const short = !from && m.question.kind !== 'turns' && random.chance(0.5)
  walkOn(x, short ? 1 : m.route!.length, corrected ? mood.slip / 4 : mood.slip)
  let letter = decide(x)
  for (let p = mood.recheck * 0.7; !short && random.chance(p); p *= 0.4) letter = recheck(x, letter)
  if (random.chance(mood.restate)) x.t.say({ walk: x.walk, letter }, own(`The answer is ${letter}.`))
  if (random.chance(mood.ruin)) {
    const other = random.pick(m.options.filter((o) => o.letter !== letter))
    x.t.say({ walk: x.walk }, own('Hmm, wait. Maybe I counted a turn at the start or the end that is none.'))
    x.t.say({ walk: x.walk, letter: other.letter }, own(`Then it would be ${other.text}, option ${other.letter}.`))
    letter = other.letter
  }
  return { lines: x.t.lines, answer: [own(`{${letter}}.`)] }
}

export const author: Author<MazeInstance, Here> = {
  task,
  instance: (random) => {
    const question = random.pick(['right', 'total', 'relation', 'left', 'right', 'total'] as const)
    return task.generate!(random, { size: random.pick([2, 3, 3, 3, 4, 4, 5]), question })
  },
  tell,
  // the suffix ends with "S (": the walk goes on from there
  partial: (_instance, here) =>
    !here || here.walk.length === 0
      ? 'none yet)'
      : `${here.walk
          .map((s) => s.text)
          .join('\n')
          .slice(1)}\n`,
  guess: (random, instance, here) => `{${here?.letter ?? random.pick(read(instance).options).letter}}.`,
}
