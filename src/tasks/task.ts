import type { Random } from '../base/random.ts'
import type { Elicitation } from '../steer/monitor.ts'
import type { Phase, Prompt, Verdict } from '../trace/words.ts'

/**
 * A problem family: how an instance is read, asked, elicited, extracted, verified, graded and generated.
 * All of it is pure and synchronous except `check`, which runs its verifier off the main thread.
 * `Instance` is plain JSON data, so that it can cross to a worker, a log and a queue.
 */
export interface Task<Instance = unknown> {
  readonly name: string
  /** a passing final verdict means that the answer is right (game24, maze, zebralogic), not only that it is not refuted */
  readonly sound: boolean
  /** `verify` compares with the gold answer (gsm8k, math, omni): a method that feeds its verdicts back is an oracle there */
  readonly gold?: true
  /** Reads a raw row (JSON, or a string such as "4 7 8 8"). Throws an InputError that names the field. */
  read(raw: unknown): Instance
  /** the same instance always has the same id; the train/test split hashes it */
  id(instance: Instance): string
  prompt(instance: Instance): Prompt
  /** the fork's suffix that makes the model state its partial answer in a format */
  elicit(instance: Instance): Elicitation
  /** what follows the close of thinking when rein closes it, in the model's voice; '' for none */
  readonly answerPrefix: string
  /**
   * What this text states, or undefined when it states nothing ("none yet"). `partial`: the text of a fork, suffix excluded
   * (the extractor knows what the suffix began). `final`: the text after the thinking.
   */
  extract(instance: Instance, text: string, kind: Kind): string | undefined
  /** Judges what `extract` gave. Never throws: garbage is `unknown` or `fail`. Runs in the verifier pool. */
  verify(instance: Instance, answer: string, kind: Kind): Verdict
  /** the same, off the main thread and with a time limit whose end is `unknown`; absent: `verify` is cheap enough to call */
  verifyAsync?(instance: Instance, answer: string, kind: Kind, signal?: AbortSignal): Promise<Verdict>
  /** What the model is told about a failed check, in its own voice (while thinking) or as the verifier's note (final). */
  feedback(instance: Instance, answer: string, verdict: Extract<Verdict, { kind: 'fail' }>, phase: Phase): string
  /** what is said, in the model's voice, when a partial answer turns out complete and right; `undefined`: never conclude early */
  conclusion?(instance: Instance, answer: string): string
  /** feedback as the model's own thought, or as a turn of the user's (verina) */
  readonly voice: 'model' | 'user'
  /** Right or wrong against the gold or by computation; undefined where it cannot be decided. Reads the whole output. */
  grade(instance: Instance, output: string): boolean | undefined
  /** the same where grading takes a program of its own (Lean); `grade` then says only what needs none. Ask this one first. */
  gradeAsync?(instance: Instance, output: string, signal?: AbortSignal): Promise<boolean | undefined>
  /** the same for the same random numbers; absent where a task has only real rows */
  generate?(random: Random, options: GenerateOptions): Instance
  /** a number that grows with how hard the instance is (steps, houses × features): the x axis of success-by-length curves */
  difficulty?(instance: Instance): number
  /** Halo: how to compress the history into a state and how to begin again from it */
  readonly rectify?: Rectify<Instance>
  /** a critic's or a tree search's questions; absent: the methods' own general ones */
  readonly search?: Search<Instance>
}

export type Kind = 'partial' | 'final'

export interface GenerateOptions {
  /** task-specific size: chain steps, houses, grid rooms, context length; the task's default unless given */
  readonly size?: number
  readonly [option: string]: unknown
}

export interface Rectify<Instance> {
  compress(instance: Instance): Elicitation
  /** the state in the compressing fork's text, or undefined when it holds none */
  state(instance: Instance, text: string): string | undefined
  restart(instance: Instance, state: string): { readonly prompt: Prompt; readonly text: string }
  /**
   * Where what remains is a smaller problem of the same kind: that problem (asked in place of `restart`, so that a fresh start
   * really is one, with nothing counted on from the old), and a state of it as a state of the whole.
   */
  readonly rest?: {
    after(instance: Instance, state: string): Instance
    whole(from: string, state: string): string
  }
  /** is the state right? Only `halo+verify` asks. */
  verify(instance: Instance, state: string): Verdict
  /** how far along the state is (steps done): resets that do not advance it are counted */
  progress(instance: Instance, state: string): number
  /** the index of the first line of this thinking text that is wrong, or undefined: the calibration's t_collapse */
  collapse?(instance: Instance, thinking: string): number | undefined
}

export interface Search<Instance> {
  critic(instance: Instance, answer: string): Prompt
  /** tree of thoughts: ask for a next step after these steps, and for the value of a partial solution */
  propose(instance: Instance, steps: readonly string[]): Prompt
  value(instance: Instance, steps: readonly string[]): Prompt
}
