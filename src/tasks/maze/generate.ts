import type { Random } from '../../base/random.ts'
import { type Cell, neighbours, sameCell, turnsOf } from '../../verify/maze/index.ts'
import type { GenerateOptions } from '../task.ts'

export type MazeQuestion = 'right' | 'left' | 'total' | 'relation'

const legend = `, where the symbols have the following meanings:
- # represents walls that are impassable barriers.
- " " (space) represents the navigable path within the maze, but not necessarily the correct path to the exit.
- S denotes the starting point of the maze.
- E marks the endpoint or the exit of the maze.
- X marks the specific route you should follow to navigate from the starting point 'S' to the endpoint 'E'.
- The objective is to navigate from S to E by following the path marked by X. Movement is allowed in any of the four cardinal directions (up, down, left, right) along the spaces, but to solve the maze, follow the path designated by X.`

/**
 * A maze in SpatialEval's text: `size` × `size` rooms (3 makes the dataset's 7 × 7 characters), a spanning tree of passages,
 * the way from S to E marked X. `question` fixes what is asked.
 */
export function generateMaze(random: Random, options: GenerateOptions): { prompt: string } {
  const size = Math.max(2, Math.floor(options.size ?? 3))
  const open = carve(random, size)
  const rooms = random.shuffle(
    Array.from({ length: size * size }, (_, i) => [2 * Math.floor(i / size) + 1, 2 * (i % size) + 1] as const),
  )
  const [start, exit] = [rooms[0]!, rooms[1]!]
  const path = wayThrough(open, start, exit)
  const rows = draw(size, open, path)
  const kind = (options.question as MazeQuestion | undefined) ?? random.pick(['right', 'total', 'relation'] as const)
  const { question, choices } = kind === 'relation' ? relation(random, start, exit) : turns(random, kind, path)
  const list = choices.map((c, i) => `${String.fromCharCode(65 + i)}. ${c}`).join('\n')
  return {
    prompt: `Here is a Maze represented in ASCII code:\n${rows.join('\n')}${legend}Please answer the following question based on the provided information. ${question} Available options:\n${list}.`,
  }
}

const key = ([r, c]: Cell): string => `${r},${c}`

/** Open cells of a random spanning tree over the rooms (depth first, so corridors wind). */
function carve(random: Random, size: number): Set<string> {
  const open = new Set<string>(['1,1'])
  const stack: Cell[] = [[1, 1]]
  while (stack.length > 0) {
    const [r, c] = stack[stack.length - 1]!
    const next = neighbours([0, 0])
      .map(([dr, dc]) => [r + 2 * dr, c + 2 * dc] as const)
      .filter(([a, b]) => a > 0 && b > 0 && a < 2 * size && b < 2 * size && !open.has(key([a, b])))
    if (next.length === 0) {
      stack.pop()
      continue
    }
    const room = random.pick(next)
    open.add(key([(r + room[0]) / 2, (c + room[1]) / 2])).add(key(room))
    stack.push(room)
  }
  return open
}

function wayThrough(open: ReadonlySet<string>, start: Cell, exit: Cell): Cell[] {
  const came = new Map<string, Cell | undefined>([[key(start), undefined]])
  const queue: Cell[] = [start]
  for (const cell of queue)
    for (const n of neighbours(cell))
      if (open.has(key(n)) && !came.has(key(n))) {
        came.set(key(n), cell)
        queue.push(n)
      }
  const path: Cell[] = []
  for (let at: Cell | undefined = exit; at; at = came.get(key(at))) path.unshift(at)
  return path
}

function draw(size: number, open: ReadonlySet<string>, path: readonly Cell[]): string[] {
  const side = 2 * size + 1
  const way = new Set(path.map(key))
  const mark = (cell: Cell): string => {
    if (sameCell(cell, path[0]!)) return 'S'
    if (sameCell(cell, path[path.length - 1]!)) return 'E'
    return way.has(key(cell)) ? 'X' : open.has(key(cell)) ? ' ' : '#'
  }
  return Array.from({ length: side }, (_, r) => Array.from({ length: side }, (_, c) => mark([r, c])).join(''))
}

function turns(
  random: Random,
  kind: 'right' | 'left' | 'total',
  path: readonly Cell[],
): { question: string; choices: string[] } {
  const { right, left } = turnsOf(path)
  const truth = kind === 'total' ? right + left : kind === 'right' ? right : left
  const others = random.shuffle(Array.from({ length: Math.max(10, truth + 4) }, (_, i) => i).filter((i) => i !== truth))
  return {
    question: `How many ${kind} turns are there in the provided path (marked by X) from S to E?`,
    choices: random.shuffle([truth, ...others.slice(0, 3)]).map(String),
  }
}

const forms: Readonly<Record<string, string>> = {
  '0,-1': 'directly to the left of the starting point (S), with no vertical displacement',
  '0,1': 'directly to the right of the starting point (S), with no vertical displacement',
  '-1,0': 'directly above the starting point (S), with no horizontal displacement',
  '1,0': 'directly below the starting point (S), with no horizontal displacement',
  '-1,-1': 'to the top left of the starting point (S)',
  '-1,1': 'to the top right of the starting point (S)',
  '1,-1': 'to the bottom left of the starting point (S)',
  '1,1': 'to the bottom right of the starting point (S)',
}

function relation(random: Random, start: Cell, exit: Cell): { question: string; choices: string[] } {
  const holds = `${Math.sign(exit[0] - start[0])},${Math.sign(exit[1] - start[1])}`
  const asked = random.chance(0.5) ? holds : random.pick(Object.keys(forms).filter((f) => f !== holds))
  return { question: `Is the exit (E) ${forms[asked]}?`, choices: random.chance(0.2) ? ['No', 'Yes'] : ['Yes', 'No'] }
}
