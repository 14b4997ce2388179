import type { Verdict } from '../../trace/words.ts'
import { chosenOption, type Option, readOptions } from '../choice.ts'
import {
  type Cell,
  charAt,
  type Direction,
  directionOf,
  type Grid,
  isUnread,
  type Read,
  readGrid,
  sameCell,
  showCell,
  type Turns,
  turnOf,
  turnsOf,
} from './grid.ts'
import { type Question, readQuestion, truthOf } from './question.ts'
import { routeOf } from './route.ts'
import { readSteps, type Step, type Steps } from './steps.ts'

export interface Maze {
  readonly grid: Grid
  /** S to E, where the drawing leaves no doubt */
  readonly route: readonly Cell[] | undefined
  readonly turns: Turns | undefined
  readonly question: Question
  readonly options: readonly Option[]
  /** the right answer to the question */
  readonly truth: number | boolean | undefined
}

/** Reads a maze question in SpatialEval's words. */
export function readMaze(text: string): Read<Maze> {
  const grid = readGrid(text)
  if (isUnread(grid)) return grid
  const rest = text.slice(grid.end)
  const route = routeOf(grid)
  const turns = route && turnsOf(route)
  const question = readQuestion(rest)
  const truth = truthOf(question, grid.start, grid.exit, turns)
  return { grid, route, turns, question, options: readOptions(rest), truth }
}

/** What an option says, as the question's kind of value. */
function optionValue(option: Option, truth: number | boolean): number | boolean | undefined {
  if (typeof truth === 'number') return /^\d+$/.test(option.text) ? Number(option.text) : undefined
  return /^(?:yes|true)$/i.test(option.text) ? true : /^(?:no|false)$/i.test(option.text) ? false : undefined
}

/** Does this letter agree with the truth? Undefined where the question, the drawing or the options leave it open. */
export function letterIsRight(maze: Maze, letter: string): boolean | undefined {
  const { truth } = maze
  if (truth === undefined) return undefined
  const values = maze.options.map((o) => optionValue(o, truth))
  const at = maze.options.findIndex((o) => o.letter === letter)
  if (at < 0 || values.includes(undefined) || !values.includes(truth)) return undefined
  return values[at] === truth
}

/** Judges a final answer by its letter alone: a right letter after a clumsy explanation is right. */
export function checkMazeAnswer(maze: Read<Maze>, text: string): Verdict {
  if (isUnread(maze)) return { kind: 'unknown', reason: maze.unread }
  const letter = chosenOption(text, maze.options)
  if (letter === undefined) {
    const steps = checkMazeSteps(maze, text)
    return steps.kind === 'fail' ? steps : { kind: 'unknown', reason: 'no option is chosen' }
  }
  const right = letterIsRight(maze, letter)
  if (right === undefined)
    return { kind: 'unknown', reason: 'the question or its options cannot be read with certainty' }
  if (right) return { kind: 'pass', complete: true }
  const said = maze.options.find((o) => o.letter === letter)!.text
  return { kind: 'fail', feedback: `option ${letter} (${said}) does not agree with the path in the maze.` }
}

/** Judges a list of moves so far. A right beginning passes; it is complete when it reaches E with the counts it needs. */
export function checkMazeSteps(maze: Read<Maze>, text: string): Verdict {
  if (isUnread(maze)) return { kind: 'unknown', reason: maze.unread }
  const read = readSteps(text)
  const said = { ...read, steps: lastList(maze.grid, read.steps) }
  const wrong = wrongPlace(maze.grid, said) ?? wrongStep(maze, said.steps)
  if (wrong) return { kind: 'fail', feedback: wrong }
  const first = said.steps[0]
  if (!first) return said.start ? { kind: 'pass', complete: false } : { kind: 'unknown', reason: 'no move is stated' }
  if (!sameCell(first.from, maze.grid.start)) return { kind: 'unknown', reason: 'the moves do not begin at S' }
  return { kind: 'pass', complete: isWhole(maze, said.steps) }
}

/** A list that begins at S anew replaces what was listed before it: no path comes back to S. */
function lastList(grid: Grid, steps: readonly Step[]): readonly Step[] {
  const from = steps.findLastIndex(
    (s, i) => i > 0 && sameCell(s.from, grid.start) && !sameCell(steps[i - 1]!.to, s.from),
  )
  return from < 0 ? steps : steps.slice(from)
}

function isWhole(maze: Maze, steps: readonly Step[]): boolean {
  const last = steps[steps.length - 1]!
  if (!maze.route || maze.truth === undefined) return false
  if (steps.length !== maze.route.length - 1 || !sameCell(last.to, maze.grid.exit)) return false
  if (maze.question.kind !== 'turns') return true
  const needs = maze.question.of === 'total' ? (['right', 'left'] as const) : [maze.question.of]
  return needs.every((side) => last[side] !== undefined)
}

function wrongPlace(grid: Grid, { start, exit }: Steps): string | undefined {
  if (start && !sameCell(start, grid.start)) return `S is not at ${showCell(start)} (rows and columns count from 0).`
  if (exit && !sameCell(exit, grid.exit)) return `E is not at ${showCell(exit)} (rows and columns count from 0).`
  return undefined
}

/** The first thing that is wrong with the moves, in words that do not tell the right answer. */
function wrongStep(maze: Maze, steps: readonly Step[]): string | undefined {
  const known = steps.length > 0 && sameCell(steps[0]!.from, maze.grid.start)
  let before: Direction | undefined
  let right = 0
  let left = 0
  for (const [i, step] of steps.entries()) {
    const move = `${showCell(step.from)} -> ${showCell(step.to)}`
    if (i > 0 && !sameCell(step.from, steps[i - 1]!.to))
      return `the move ${move} does not begin where the last one ended.`
    const direction = directionOf(step.from, step.to)
    if (!direction) return `the move ${move} is not one step up, down, left or right.`
    const blocked = wrongCells(maze, step, i, known)
    if (blocked) return blocked
    if (step.direction && step.direction !== direction) return `the move ${move} does not go ${step.direction}.`
    const turn = before ? turnOf(before, direction) : 'straight'
    if (turn === 'right') right++
    if (turn === 'left') left++
    if (known || i > 0) {
      if (step.turn && step.turn !== turn) return `the kind of turn at the move ${move} is wrong.`
    }
    if (known && step.right !== undefined && step.right !== right) return `R=${step.right} after ${move} is wrong.`
    if (known && step.left !== undefined && step.left !== left) return `L=${step.left} after ${move} is wrong.`
    before = direction
  }
  return undefined
}

function wrongCells(maze: Maze, step: Step, index: number, known: boolean): string | undefined {
  for (const cell of [step.from, step.to]) if (charAt(maze.grid, cell) === '#') return `${showCell(cell)} is a wall.`
  // without marks any open cell may be walked; a marked route is to be followed
  if (!known || !maze.route || !maze.grid.rows.some((r) => r.includes('X'))) return undefined
  const on = maze.route[index + 1]
  const move = `${showCell(step.from)} -> ${showCell(step.to)}`
  if (!on) return `the move ${move} goes beyond E.`
  return sameCell(on, step.to) ? undefined : `the move ${move} leaves the path marked X.`
}
