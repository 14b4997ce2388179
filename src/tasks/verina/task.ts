/** What verina-code and verina-spec share: the row, the check by Lean, the grade. */
import { hash32 } from '../../base/random.ts'
import type { Prompt, Verdict } from '../../trace/words.ts'
import { runsCode } from '../../verify/lean/runs-code.ts'
import { refusal, refusalFeedback } from '../../verify/lean/scan.ts'
import { type LeanService, sharedLean } from '../../verify/lean/service.ts'
import { howToGetLean } from '../../verify/lean/toolchain.ts'
import type { Task } from '../task.ts'
import { afterThinking } from '../text.ts'
import type { LeanFile, Tests } from './assemble.ts'
import type { Blocks, Tag } from './blocks.ts'
import { blocks } from './blocks.ts'
import { readRow, type VerinaRow } from './row.ts'
import type { Means } from './tests.ts'
import { compileVerdict, gradeOf } from './verdict.ts'

export interface VerinaKind {
  readonly name: string
  readonly prompt: (row: VerinaRow) => Prompt
  readonly file: (row: VerinaRow, answer: Blocks, tests?: Tests) => LeanFile
  readonly tests: (row: VerinaRow, means: Means) => Tests
  /** the tags that an answer must have, first the one that the fork's suffix opens */
  readonly needs: readonly Tag[]
  readonly suffix: string
  readonly stop: string
  readonly what: string
  /** an answer without its tags */
  readonly fallback?: (text: string) => Blocks | undefined
  readonly lean?: LeanService
}

export type VerinaTask = Task<VerinaRow> & Required<Pick<Task<VerinaRow>, 'gradeAsync' | 'verifyAsync'>>

export function verinaTask(kind: VerinaKind): VerinaTask {
  const [opened] = kind.needs
  const extract = (text: string, partial: boolean): Blocks | undefined => {
    const found = blocks(partial ? `[${opened}]\n${text.replace(/^\n/, '')}` : text)
    if (kind.needs.every((tag) => found[tag] !== undefined && !noAnswer(found[tag]))) return found
    return partial ? undefined : kind.fallback?.(text)
  }
  const lean = () => kind.lean ?? sharedLean()
  const check = (file: LeanFile, signal?: AbortSignal) => lean().check(file.text, signal ? { signal } : {})
  return {
    name: kind.name,
    sound: false,
    read: readRow,
    id: (row) => row.id || `${kind.name}-${hash32(row.lean).toString(16)}`,
    prompt: kind.prompt,
    elicit: () => ({ suffix: kind.suffix, maxTokens: 2048, stop: [kind.stop] }),
    answerPrefix: '',
    extract(_, text, k) {
      const found = extract(k === 'final' ? afterThinking(text) : text, k === 'partial')
      return found && JSON.stringify(found)
    },
    verify(_, answer) {
      const refused = refusedIn(answer)
      return refused ?? { kind: 'unknown', reason: `needs Lean: ${howToGetLean}` }
    },
    async verifyAsync(row, answer, _, signal) {
      const refused = refusedIn(answer)
      if (refused) return refused
      const file = kind.file(row, readBlocks(answer)!)
      return compileVerdict(row, file, await check(file, signal))
    },
    feedback: (_, __, verdict) => `The ${kind.what} you gave does not compile:\n${verdict.feedback}`,
    conclusion: () => `The ${kind.what} I have compiles, so I give it as my final answer in the required format.`,
    voice: 'user',
    grade: (_, output) => {
      const found = extract(afterThinking(output), false)
      return found && !refusedIn(JSON.stringify(found)) ? undefined : false
    },
    async gradeAsync(row, output, signal) {
      const found = extract(afterThinking(output), false)
      if (!found || refusedIn(JSON.stringify(found))) return false
      const plain = kind.file(row, found)
      const runs = await runsCode(lean(), plain.text, signal)
      if (runs === undefined) return undefined
      const file = kind.file(row, found, kind.tests(row, runs ? 'run' : 'prove'))
      return gradeOf(row, file, await check(file, signal))
    },
    difficulty: (row) => (row.sections.code ?? '').split('\n').length,
  }
}

/** "NO_SOLUTION" and the like in place of Lean. */
const noAnswer = (text: string): boolean => /^\s*(?:no[_ ]solution|none(?: yet)?|n\/a|todo|\.\.\.|…)\.?\s*$/i.test(text)

function readBlocks(answer: string): Blocks | undefined {
  try {
    const value: unknown = JSON.parse(answer)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Blocks) : undefined
  } catch {
    return undefined
  }
}

function refusedIn(answer: string): Verdict | undefined {
  const found = readBlocks(answer)
  if (!found || Object.values(found).some((t) => typeof t !== 'string'))
    return { kind: 'unknown', reason: 'the answer has no blocks of Lean' }
  for (const [tag, text] of Object.entries(found)) {
    const refused = refusal(text)
    if (refused) return { kind: 'fail', feedback: `In [${tag}], ${refusalFeedback(refused)}` }
  }
  return undefined
}
