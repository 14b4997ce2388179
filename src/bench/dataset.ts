import { existsSync } from 'node:fs'
import { InputError, messageOf } from '../base/errors.ts'
import { random } from '../base/random.ts'
import { type Side, sideOf } from '../tasks/held-out.ts'
import type { Task } from '../tasks/task.ts'
import { readRows } from './rows.ts'

export interface Instance {
  readonly id: string
  readonly data: unknown
  readonly difficulty?: number
}

export interface DatasetOptions {
  readonly limit: number
  readonly seed: number
  /** a local file of real rows; absent: the task's generator */
  readonly file?: string
  readonly sizes?: readonly number[]
  /** only instances on this side of the embedded model's fence */
  readonly side?: Side
}

/** Where the real rows are to be had. Nothing is fetched: the licences differ and some state none. */
const sources: Readonly<Record<string, string>> = {
  game24: '24.csv from github.com/princeton-nlp/tree-of-thought-llm (src/tot/data/24)',
  maze: 'maze_text_only of huggingface.co/datasets/microsoft/VISION_LANGUAGE (Parquet), or the tqa rows of MilaWang/SpatialEval',
  spatialmap:
    'spatial_map_text_only of huggingface.co/datasets/microsoft/VISION_LANGUAGE (Parquet), or the tqa rows of MilaWang/SpatialEval',
  zebralogic:
    'grid_mode of huggingface.co/datasets/WildEval/ZebraLogic (Parquet; the solutions are in its private twin)',
  verina: 'datasets/verina of github.com/sunblaze-ucb/verina, one JSON object a line',
  gsm8k: 'test.jsonl from github.com/openai/grade-school-math (grade_school_math/data)',
  math: 'the test split of huggingface.co/datasets/HuggingFaceH4/MATH-500 (JSONL) or of hendrycks/competition_math',
  omni: 'huggingface.co/datasets/KbsdJames/Omni-MATH (JSONL)',
  ruler: 'its generator (RULER has no fixed rows)',
}

export function whereToGet(task: string): string {
  return sources[task] ?? 'the place that the task names'
}

/**
 * A task's instances: distinct, in a fixed order, the same for the same options.
 * @example await loadInstances(game24, { limit: 20, seed: 1, side: 'test' })
 */
export async function loadInstances(task: Task, options: DatasetOptions): Promise<Instance[]> {
  return options.file === undefined ? generated(task, options) : fromFile(task, options.file, options)
}

function generated(task: Task, { limit, seed, sizes, side }: DatasetOptions): Instance[] {
  if (!task.generate)
    throw new InputError(
      `task "${task.name}" has no generator: get ${whereToGet(task.name)} and give it with --data ${task.name}=FILE`,
    )
  const seen = new Set<string>()
  const out: Instance[] = []
  // a small family (1,362 puzzles of 24) runs out: after this many tries in vain there is nothing new to be found
  const patience = 3000
  for (let i = 0, last = 0; i - last < patience && out.length < limit; i++) {
    const size = sizes?.[out.length % sizes.length]
    const data = task.generate(random(`bench/${seed}/${task.name}/${i}`), size === undefined ? {} : { size })
    const id = task.id(data)
    if (seen.has(id) || (side !== undefined && sideOf(id) !== side)) continue
    seen.add(id)
    out.push(describe(task, id, data))
    last = i
  }
  if (out.length === 0) throw new InputError(`task "${task.name}": its generator gives no instance for these sizes`)
  return out
}

async function fromFile(task: Task, file: string, { limit, side }: DatasetOptions): Promise<Instance[]> {
  if (!existsSync(file))
    throw new InputError(
      `${file} is not there: get ${whereToGet(task.name)} and give its path with --data ${task.name}=FILE`,
    )
  const rows = await readRows(file)
  const seen = new Set<string>()
  const out: Instance[] = []
  for (const [i, row] of rows.entries()) {
    if (out.length === limit) break
    let data: unknown
    try {
      data = task.read(adapt(task.name, row))
    } catch (error) {
      throw new InputError(`${file}, row ${i + 1}: ${messageOf(error)}`)
    }
    const id = task.id(data)
    if (seen.has(id) || (side !== undefined && sideOf(id) !== side)) continue
    seen.add(id)
    out.push(describe(task, id, data))
  }
  if (out.length === 0)
    throw new InputError(`${file} holds no row that can be used${side ? ' (nano takes only held-out ones)' : ''}`)
  return out
}

function describe(task: Task, id: string, data: unknown): Instance {
  const difficulty = task.difficulty?.(data)
  return { id, data, ...(difficulty !== undefined && { difficulty }) }
}

/** The datasets' own column names, where they differ from what a task reads. */
function adapt(task: string, row: Record<string, unknown>): unknown {
  if (task === 'game24') return typeof row.Puzzles === 'string' ? row.Puzzles : row
  if ((task === 'maze' || task === 'spatialmap') && typeof row.text === 'string' && row.prompt === undefined)
    return { ...row, prompt: row.text }
  return row
}
