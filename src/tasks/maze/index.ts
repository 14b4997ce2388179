import { InputError } from '../../base/errors.ts'
import { hash32 } from '../../base/random.ts'
import { chosenOption } from '../../verify/choice.ts'
import {
  checkMazeAnswer,
  checkMazeSteps,
  isUnread,
  letterIsRight,
  readMaze,
  readSteps,
} from '../../verify/maze/index.ts'
import { checkNote, memo, textRow } from '../puzzle-text.ts'
import type { Task } from '../task.ts'
import { afterThinking } from '../text.ts'
import { generateMaze } from './generate.ts'

export interface MazeInstance {
  /** SpatialEval's text, its closing instruction dropped */
  readonly prompt: string
}

const parsed = memo(readMaze)

/**
 * Maze navigation in SpatialEval's text: turns along the marked path, or where the exit lies.
 *
 * A fork states the moves so far, one a line:
 * ```
 * S (1,1)
 * (1,1) -> (1,2) right R=0 L=0
 * (1,2) -> (2,2) down R=1 L=0
 * ```
 * R and L are the right and left turns so far, the turn into this move included.
 */
export const maze: Task<MazeInstance> = {
  name: 'maze',
  sound: true,
  voice: 'model',
  read(raw) {
    const prompt = textRow('maze', raw, ['prompt', 'text', 'prompt_as_shown'])
    if (!prompt.includes('#')) throw new InputError('maze: field "prompt" holds no maze drawn with # for walls.')
    return { prompt }
  },
  id: (instance) => `maze-${hash32(instance.prompt).toString(16).padStart(8, '0')}`,
  prompt: ({ prompt }) =>
    `${prompt}\n\nFollow the path from S to E move by move; cells are (row,column), counted from 0 at the top left. End with the letter of the right option in \\boxed{}.`,
  elicit: (instance) => ({ suffix: mazeSuffix, maxTokens: forkTokens(instance), stop: ['\n\n'] }),
  answerPrefix: 'The answer is \\boxed',
  extract: (instance, text, kind) => (kind === 'partial' ? statedMoves(text) : finalAnswer(instance, text)),
  verify: (instance, answer, kind) =>
    kind === 'partial'
      ? checkMazeSteps(parsed(instance.prompt), answer)
      : checkMazeAnswer(parsed(instance.prompt), answer),
  feedback: (_instance, _answer, verdict, phase) => checkNote(verdict.feedback, phase),
  conclusion: () => 'The path is traced from S to E and every move checks out.',
  grade(instance, output) {
    const read = parsed(instance.prompt)
    if (isUnread(read)) return undefined
    const letter = chosenOption(afterThinking(output), read.options)
    return letter === undefined ? false : letterIsRight(read, letter)
  },
  generate: generateMaze,
  difficulty(instance) {
    const read = parsed(instance.prompt)
    return isUnread(read) || !read.route ? 0 : read.route.length - 1
  },
}

/** The fork's question; the model goes on with S's row. */
export const mazeSuffix = 'My moves so far, one a line like (1,1) -> (1,2) right R=0 L=0 with the turns so far:\nS ('

/** One move is at most about 20 tokens. */
function forkTokens(instance: MazeInstance): number {
  const read = parsed(instance.prompt)
  const moves = isUnread(read) ? 20 : (read.route?.length ?? 40)
  return Math.min(4000, 60 + 22 * moves)
}

/** A fork's text begins inside "S (", unless the model began the list anew. */
function statedMoves(text: string): string | undefined {
  const whole = /^\s*\d+\s*,\s*\d+\s*\)/.test(text) ? `S (${text.trimStart()}` : text
  const { steps, start } = readSteps(whole)
  return steps.length === 0 && !start ? undefined : whole
}

function finalAnswer(instance: MazeInstance, text: string): string | undefined {
  const read = parsed(instance.prompt)
  const letter = isUnread(read) ? undefined : chosenOption(text, read.options)
  if (letter !== undefined) return letter
  return readSteps(text).steps.length > 0 ? text : undefined
}
