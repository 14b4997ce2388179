import { InputError } from '../../base/errors.ts'
import { hash32 } from '../../base/random.ts'
import { chosenOption } from '../../verify/choice.ts'
import {
  checkSpatialAnswer,
  checkSpatialClaims,
  decidedOption,
  readClaims,
  readSpatialMap,
} from '../../verify/spatial/index.ts'
import { checkNote, memo, textRow } from '../puzzle-text.ts'
import type { Task } from '../task.ts'
import { afterThinking } from '../text.ts'
import { generateSpatialMap } from './generate.ts'

export interface SpatialMapInstance {
  /** SpatialEval's text */
  readonly prompt: string
  /** the right letter, where a dataset or the generator tells it */
  readonly answer?: string
}

const parsed = memo(readSpatialMap)

/**
 * Reasoning about a map told in sentences, in SpatialEval's text. The text often does not decide the question: an answer that
 * it allows but does not prove is neither passed nor failed.
 *
 * A fork states what was derived so far, one a line:
 * ```
 * - Elm Toys is to the Northeast of Oak Cafe.
 * ```
 */
export const spatialmap: Task<SpatialMapInstance> = {
  name: 'spatialmap',
  sound: true,
  voice: 'model',
  read(raw) {
    const prompt = textRow('spatialmap', raw, ['prompt', 'text'])
    if (!/\bis\b/i.test(prompt) || !/\bof\b/i.test(prompt))
      throw new InputError('spatialmap: field "prompt" tells no relation such as "A is to the Northeast of B".')
    const row = raw as { answer?: unknown; oracle_option?: unknown }
    const answer = typeof raw === 'object' ? (row.answer ?? row.oracle_option) : undefined
    return typeof answer === 'string' && /^[A-Z]$/.test(answer) ? { prompt, answer } : { prompt }
  },
  id: (instance) => `spatialmap-${hash32(instance.prompt).toString(16).padStart(8, '0')}`,
  prompt: ({ prompt }) =>
    `${prompt}\n\nWork out from the given relations how the objects lie. End with the letter of the right option in \\boxed{}.`,
  elicit: () => ({ suffix: spatialSuffix, maxTokens: 400, stop: ['\n\n'] }),
  answerPrefix: 'The answer is \\boxed',
  extract: (instance, text, kind) => (kind === 'partial' ? statedClaims(instance, text) : finalAnswer(instance, text)),
  verify: (instance, answer, kind) =>
    kind === 'partial'
      ? checkSpatialClaims(parsed(instance.prompt), answer)
      : checkSpatialAnswer(parsed(instance.prompt), answer),
  feedback: (_instance, _answer, verdict, phase) => checkNote(verdict.feedback, phase),
  grade(instance, output) {
    const read = parsed(instance.prompt)
    if ('unread' in read) return undefined
    const right = instance.answer ?? decidedOption(read)
    return right === undefined ? undefined : chosenOption(afterThinking(output), read.options) === right
  },
  generate: generateSpatialMap,
  difficulty(instance) {
    const read = parsed(instance.prompt)
    return 'unread' in read ? 0 : read.premises.length
  },
}

/** The fork's question; the model goes on with the first line of the list. */
export const spatialSuffix = 'What I have derived so far, one a line like X is to the Northeast of Y:\n-'

function statedClaims(instance: SpatialMapInstance, text: string): string | undefined {
  const read = parsed(instance.prompt)
  const whole = `- ${text.trimStart()}`
  return 'unread' in read || readClaims(whole, read.names).length === 0 ? undefined : whole
}

function finalAnswer(instance: SpatialMapInstance, text: string): string | undefined {
  const read = parsed(instance.prompt)
  return 'unread' in read ? undefined : chosenOption(text, read.options)
}
