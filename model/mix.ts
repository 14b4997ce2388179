import type { Random } from '../src/base/random.ts'
import { compose, type Form, forms, weighted } from './compose.ts'
import type { Doc } from './doc.ts'
import { split } from './split.ts'
import type { Author } from './story.ts'
import { author as chain } from './tasks/chain.ts'
import { author as game24 } from './tasks/game24.ts'
import { author as maze } from './tasks/maze.ts'
import { author as spatialmap } from './tasks/spatialmap.ts'
import { author as vt } from './tasks/vt.ts'
import { author as zebra } from './tasks/zebra.ts'

/** What nano is trained on: which task how often, in which form. The reasons stand in model/README.md. */
export const authors = { game24, chain, maze, spatialmap, zebralogic: zebra, 'ruler-vt': vt } as const
export type TaskName = keyof typeof authors

/** documents of each task, by weight */
export const shares: Readonly<Record<TaskName, number>> = {
  game24: 25,
  chain: 14,
  maze: 14,
  spatialmap: 23,
  zebralogic: 18,
  'ruler-vt': 12,
}

/** A chain is all about going on from a state, so its documents are so more often. */
const chainForms: Readonly<Record<Form, number>> = { ...forms, restart: 22, compress: 10 }

export type Mix = 'all' | 'plain'

export interface Made {
  readonly task: TaskName
  readonly form: Form
  readonly instance: unknown
  readonly id: string
  readonly doc: Doc
}

/** One training document; only of instances on the training side. `plain` is the ablation: nothing that rein injects. */
export function make(random: Random, mix: Mix): Made {
  for (;;) {
    const task = weighted(random, shares)
    const author = authors[task] as unknown as Author<unknown, unknown>
    const instance = author.instance(random)
    if (split(author.task, instance) !== 'train') continue
    const form = mix === 'plain' ? 'plain' : weighted(random, task === 'chain' ? chainForms : forms)
    const doc = compose(author, random, instance, form)
    if (doc) return { task, form, instance, id: author.task.id(instance), doc }
  }
}
