import type { Random } from '../src/base/random.ts'
import type { Task } from '../src/tasks/task.ts'
import { type Part, textOf } from './doc.ts'

/**
 * A story is one way through a problem, told line by line as a model thinks, with what it would honestly say at each line if
 * it were asked. compose.ts makes documents of it: the plain one, and one for each way in which rein breaks in.
 * `Here` is the author's own bookmark: from it the story can be told on, with or without a correction.
 */
export interface Story<Here> {
  readonly lines: readonly Line<Here>[]
  /** what follows the task's answer prefix after the thinking: "{B}." ; absent: the story stops in mid-thought */
  readonly answer?: readonly Part[]
}

export interface Line<Here> {
  /** ends with a line break */
  readonly parts: readonly Part[]
  readonly here: Here
}

export interface Author<I, Here> {
  readonly task: Task<I>
  /** a fresh instance, of any size that is trained on; not yet known to be on the training side */
  instance(random: Random): I
  /** Tells the story from a bookmark (absent: from the beginning). `corrected`: a check has just failed here. */
  tell(random: Random, instance: I, mood: Mood, from?: Here, corrected?: boolean): Story<Here>
  /** the honest answer to the task's fork at this bookmark (undefined: before the first line) */
  partial(instance: I, here: Here | undefined): string
  /** what the model would answer if it had to now; undefined where nothing but a refusal would be honest */
  guess(random: Random, instance: I, here: Here | undefined): string
  /** the honest answer to the compressing fork */
  state?(instance: I, here: Here | undefined): string
  /** the bookmark at which a restart from this state stands; undefined where the state is of no use */
  resume?(instance: I, state: string): Here | undefined
  /** critic, proposal and value questions with their answers, where the task has its own */
  search?(random: Random, instance: I): { prompt: string; parts: readonly Part[] }
}

/** How often what happens. Written down with its reasons in model/README.md. */
export interface Mood {
  /** a slip, for each calculation or reading */
  readonly slip: number
  /** that a slip is noticed by itself, for each line after it */
  readonly notice: number
  /** that a found answer is checked once more, each time again */
  readonly recheck: number
  /** that a right answer is doubted and thrown away */
  readonly ruin: number
  /** that something already written is written again */
  readonly restate: number
  /** that an unsolved problem is answered all the same after many tries */
  readonly giveUp: number
}

export const usual: Mood = { slip: 0.02, notice: 0.2, recheck: 0.65, ruin: 0.03, restate: 0.3, giveUp: 0.04 }
/** nothing goes wrong and nothing is said twice */
export const calm: Mood = { slip: 0, notice: 0, recheck: 0, ruin: 0, restate: 0, giveUp: 0 }
/** for documents that need something to correct */
export const clumsy: Mood = { ...usual, slip: 0.12, notice: 0.08 }

/** Collects lines. */
export function teller<Here>() {
  const lines: Line<Here>[] = []
  return {
    lines,
    say(here: Here, ...parts: Part[]): void {
      lines.push({ parts: [...parts, { text: '\n', kind: parts.at(-1)!.kind }], here })
    },
    get text(): string {
      return textOf(lines.flatMap((l) => l.parts))
    },
  }
}
