import { InputError } from '../../base/errors.ts'
import type { Verdict } from '../../trace/words.ts'
import type { Task } from '../task.ts'
import { afterThinking, isCut, isNone, lastBox } from '../text.ts'
import { commonWords, frequentWords, variableTracking } from './generate.ts'

export interface RulerInstance {
  /** variable tracking, common words, frequent words */
  readonly kind: 'vt' | 'cwe' | 'fwe'
  readonly context: string
  /** vt: the value asked for; else how many words */
  readonly query: string
  readonly answers: readonly string[]
}

// RULER's own templates
const template = {
  vt: ({ context, query }: RulerInstance) =>
    `Memorize and track the chain(s) of variable assignment hidden in the following text.\n\n${context}\nQuestion: Find all variables that are assigned the value ${query} in the text above.`,
  cwe: ({ context, query }: RulerInstance) =>
    `Below is a numbered list of words. In these words, some appear more often than others. Memorize the ones that appear most often.\n${context}\nQuestion: What are the ${query} most common words in the above list?`,
  fwe: ({ context }: RulerInstance) =>
    `Read the following coded text and track the frequency of each coded word. Find the three most frequently appeared coded words. ${context}\nQuestion: Do not provide any explanation. Please ignore the dots '....'. What are the three most frequently appeared words in the above coded text?`,
}

function read(raw: unknown): RulerInstance {
  const row = raw as Record<string, unknown> | null
  if (typeof row !== 'object' || row === null)
    throw new InputError('a ruler instance is what "rein generate ruler" writes')
  if (row.kind !== 'vt' && row.kind !== 'cwe' && row.kind !== 'fwe')
    throw new InputError('field "kind" must be "vt", "cwe" or "fwe"')
  for (const field of ['context', 'query'])
    if (typeof row[field] !== 'string') throw new InputError(`field "${field}" must be a string`)
  if (!Array.isArray(row.answers) || row.answers.length === 0 || !row.answers.every((a) => typeof a === 'string'))
    throw new InputError('field "answers" must be a list of strings')
  return { kind: row.kind, context: row.context as string, query: row.query as string, answers: row.answers }
}

/** The names or words that a list states, in order, once each. */
function items({ kind }: RulerInstance, text: string): string[] {
  if (kind === 'vt') {
    const names = text.slice(0, 20_000).match(/\b[A-Z]{2,}\b/g) ?? []
    return [...new Set(names.filter((name) => name !== 'VAR'))]
  }
  const words = text
    .slice(0, 4000)
    .split(/[,;\n]|\band\b|\s+(?=\d+[.)])/)
    .map((item) =>
      item
        .trim()
        .slice(0, 200)
        .replace(/^[\s\d.)*`"'-]+|[\s.*`"'()\d-]+$/g, '')
        .toLowerCase(),
    )
    .flatMap((item) => (/^[a-z]+(?:\s+[a-z]+)*$/.test(item) ? item.split(/\s+/) : []))
  return [...new Set(words)]
}

/** Where the answer stands: the box, else what follows the last "are:" or "Answer:", else the last line. */
function stated(text: string): string {
  const after = afterThinking(text)
  const box = lastBox(after)
  if (box !== undefined) return box.replace(/\\(?:text|mathrm|textbf|quad|,|;|\s)/g, ' ')
  const lead = [...after.matchAll(/\b(?:are|is|answer|words|variables)\s*\**\s*:\s*\**/gi)].at(-1)
  if (lead) return after.slice(lead.index + lead[0].length)
  return after.trim().split('\n').at(-1)!
}

function verify(instance: RulerInstance, answer: string, partial: boolean): Verdict {
  const found = items(instance, answer)
  if (found.length === 0) return { kind: 'unknown', reason: 'no names in it' }
  const wanted = new Set(instance.answers)
  const wrong = found.filter((name) => !wanted.has(name))
  if (wrong.length > 0) {
    const names = wrong.slice(0, 5).join(', ')
    const not = instance.kind === 'vt' ? `does not have the value ${instance.query}` : 'is not among the most frequent'
    return { kind: 'fail', feedback: `${names} ${not}` }
  }
  if (found.length < wanted.size && !partial) return { kind: 'fail', feedback: 'the list is not complete' }
  return { kind: 'pass', complete: found.length === wanted.size }
}

/** RULER's own metric: the share of the answers that the output contains, in any case. */
export function rulerScore(instance: RulerInstance, output: string): number {
  const text = output.toLowerCase()
  return instance.answers.filter((a) => text.includes(a.toLowerCase())).length / instance.answers.length
}

const FORK_TOKENS = 96

const suffixes = {
  vt: 'Variables found so far (or none): ',
  cwe: 'Most common words so far (or none): ',
  fwe: 'Most frequent words so far (or none): ',
}

function listed(instance: RulerInstance, text: string): string | undefined {
  const start = text.trimStart()
  const whole = start.split('\n', 1)[0]!
  // a name at the end of a line that was cut may be half a name
  const line = isCut(whole, FORK_TOKENS, whole.length < start.length) ? whole.replace(/\w+$/, '') : whole
  if (isNone(line)) return undefined
  const found = items(instance, line)
  return found.length === 0 ? undefined : found.join(', ')
}

function rulerTask(name: string, kind: RulerInstance['kind']): Task<RulerInstance> {
  const state = (instance: RulerInstance, text: string): string | undefined => listed(instance, text)
  const elicit = (instance: RulerInstance) => ({
    suffix: suffixes[instance.kind],
    maxTokens: FORK_TOKENS,
    stop: ['\n'],
  })
  return {
    name,
    sound: true,
    read,
    id: ({ kind, query, answers }) => `${kind} ${query} ${answers.join(' ')}`,
    prompt: (instance) => `${template[instance.kind](instance)} End with the names, divided by commas, in \\boxed{}.`,
    elicit,
    answerPrefix: 'They are \\boxed{',
    extract(instance, text, phase) {
      if (phase === 'partial') return listed(instance, lastBox(text) ?? text)
      const found = items(instance, stated(text))
      return found.length === 0 || isNone(stated(text)) ? undefined : found.join(', ')
    },
    verify: (instance, answer, phase) => verify(instance, answer, phase === 'partial'),
    feedback: (_instance, _answer, { feedback }, phase) =>
      phase === 'think'
        ? `Wait, ${feedback}. I look again.`
        : `[Check failed: ${feedback}. Give the names again in \\boxed{}.]`,
    conclusion: (_instance, answer) => `I have found them all: ${answer}.`,
    voice: 'model',
    grade(instance, output) {
      const found = items(instance, stated(output))
      return found.length === instance.answers.length && found.every((item) => instance.answers.includes(item))
    },
    generate: (random, options) => {
      const wanted = options.kind ?? kind
      for (const name of ['size', 'chains', 'hops']) {
        const value = options[name]
        if (value !== undefined && (!Number.isInteger(value) || (value as number) < 1 || (value as number) > 1e7))
          throw new InputError(`option "${name}" must be a positive integer`)
      }
      if (wanted !== 'vt' && wanted !== 'cwe' && wanted !== 'fwe')
        throw new InputError('option "kind" must be vt, cwe or fwe')
      if (wanted === 'cwe') return commonWords(random, options)
      if (wanted === 'fwe') return frequentWords(random, options)
      return variableTracking(random, options)
    },
    difficulty: ({ context }) => context.split(/\s+/).length,
    rectify: {
      compress: (instance) => ({ ...elicit(instance), purpose: 'compress' }),
      state,
      restart: (instance, found) => ({
        prompt: `${template[instance.kind](instance)} End with the names, divided by commas, in \\boxed{}.`,
        text: `I have found so far: ${found}. I go on from there.\n`,
      }),
      verify: (instance, found) => verify(instance, found, true),
      progress: (instance, found) => items(instance, found).length,
    },
  }
}

/** Any of the three kinds; generates variable tracking unless the option `kind` says otherwise. */
export const ruler = rulerTask('ruler', 'vt')
export const rulerVt = rulerTask('ruler-vt', 'vt')
export const rulerCwe = rulerTask('ruler-cwe', 'cwe')
export const rulerFwe = rulerTask('ruler-fwe', 'fwe')
