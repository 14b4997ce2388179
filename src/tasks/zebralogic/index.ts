import { InputError } from '../../base/errors.ts'
import { hash32 } from '../../base/random.ts'
import { checkZebra, houseTable, readHead, readZebra, type ZebraHead } from '../../verify/zebra/index.ts'
import { checkNote, memo, textRow } from '../puzzle-text.ts'
import type { Task } from '../task.ts'
import { afterThinking } from '../text.ts'
import { generateZebra } from './generate.ts'

export interface ZebraInstance {
  /** the puzzle in ZebraLogic's text */
  readonly puzzle: string
}

const parsed = memo(readZebra)
const headOf = memo(readHead)

/**
 * Logic grids in ZebraLogic's text.
 *
 * A fork states the assignments that are sure so far, and the final answer all of them, in the same form:
 * `{"House 1": {"Name": "Eric", "Pet": "cat"}, "House 2": {"Name": "Arnold"}}`
 */
export const zebralogic: Task<ZebraInstance> = {
  name: 'zebralogic',
  sound: true,
  voice: 'model',
  read(raw) {
    const puzzle = textRow('zebralogic', raw, ['puzzle', 'prompt', 'text'])
    const head = readHead(puzzle)
    if ('unread' in head) throw new InputError(`zebralogic: field "puzzle" cannot be read: ${head.unread}.`)
    return { puzzle }
  },
  id: (instance) => `zebralogic-${hash32(instance.puzzle).toString(16).padStart(8, '0')}`,
  prompt: (instance) =>
    `${instance.puzzle}\n\nFind who lives where. End with one JSON object that fills every house: ${form(headOf(instance.puzzle))}`,
  elicit: (instance) => ({
    suffix: zebraSuffix,
    maxTokens: forkTokens(headOf(instance.puzzle)),
    stop: ['\n\n', '```'],
  }),
  answerPrefix: 'The answer is\n{"House 1":',
  extract: (_instance, text, kind) =>
    kind === 'partial' ? statedCells(`{${text}`, text) : statedCells(text, `{"House 1":${text}`),
  verify: (instance, answer, kind) => checkZebra(parsed(instance.puzzle), answer, kind),
  feedback: (_instance, _answer, verdict, phase) => checkNote(verdict.feedback, phase),
  conclusion: () => 'Every house is settled and all clues hold.',
  grade(instance, output) {
    const read = parsed(instance.puzzle)
    if ('unread' in read) return undefined
    const stated = houseTable(afterThinking(output))
    return stated !== undefined && checkZebra(read, JSON.stringify(stated), 'final').kind === 'pass'
  },
  generate: generateZebra,
  difficulty(instance) {
    const head = headOf(instance.puzzle)
    return 'unread' in head ? 0 : head.houses * head.features.length
  },
}

/** The fork's question; the model goes on inside the object. */
export const zebraSuffix = 'What I am sure of so far as JSON, open cells left out:\n{'

/** {"House 1": {"Name": "...", "Pet": "..."}, "House 2": ...} with the puzzle's own features. */
function form(head: ZebraHead | { unread: string }): string {
  const keys = 'unread' in head ? ['Name'] : head.features.map((f) => f.key)
  return `{"House 1": {${keys.map((k) => `"${k}": "..."`).join(', ')}}, "House 2": ...}`
}

/** A cell takes about ten tokens. */
function forkTokens(head: ZebraHead | { unread: string }): number {
  return 'unread' in head ? 400 : Math.min(3000, 60 + 8 * head.houses + 12 * head.houses * head.features.length)
}

/** The text may begin inside an object that was opened for the model. */
function statedCells(...texts: string[]): string | undefined {
  for (const text of texts) {
    const table = houseTable(text)
    if (table && Object.values(table).some((h) => typeof h === 'object' && h !== null && Object.keys(h).length > 0))
      return JSON.stringify(table)
  }
  return undefined
}
