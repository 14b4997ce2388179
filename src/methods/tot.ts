import { deriveSeed } from '../base/random.ts'
import type { Method, MethodContext, MethodResult } from './method.ts'
import { promptText } from './prompt.ts'
import { outcome, type Runs, startRuns } from './run.ts'
import { readValue } from './value.ts'

/**
 * Tree of thoughts (Yao et al. 2023): a proposer writes next steps, a value prompt judges each partial solution in one of five
 * words, and a search keeps the best. `beam` is interwhen's set-up (width 2, four active branches, depth 8), `bfs` Halo's
 * (b = 5, d = 3, pruned below 0.5): tot:search=bfs,branch=5,beam=5,depth=3.
 */
export const tot: Method = {
  name: 'tot',
  summary: 'tree of thoughts: propose steps, value them, keep the best (beam or bfs)',
  parameters: { search: 'beam', branch: 2, beam: 2, depth: 8, prune: 0.5, stepTokens: 512 },
  choices: { search: ['beam', 'bfs'] },
  least: { branch: 1, beam: 1, depth: 1, stepTokens: 1 },
  async run(context) {
    const runs = startRuns(context)
    const { search, branch, beam, depth, prune } = context.parameters
    let frontier: Node[] = [{ steps: [], value: 0.5 }]
    let best: Node | undefined
    let nodes = 0
    for (let level = 0; level < Number(depth) && frontier.length > 0; level++) {
      const children: Node[] = []
      for (const parent of frontier)
        for (let i = 0; i < Number(branch); i++) {
          if (context.signal?.aborted) return finish(context, runs, best ?? parent, nodes)
          const seed = deriveSeed(context.seed, 'tot', level, nodes++)
          const child = await grow(context, runs, parent, seed)
          if (child && !children.some((c) => c.steps.join('\n') === child.steps.join('\n'))) children.push(child)
        }
      const kept = children
        .filter((c) => search === 'beam' || c.value >= Number(prune))
        .sort((a, b) => b.value - a.value)
        .slice(0, Number(beam))
      const done = kept.find((c) => c.final !== undefined)
      if (done) return finish(context, runs, done, nodes)
      best = kept[0] ?? best
      frontier = kept
    }
    return finish(context, runs, best ?? { steps: [], value: 0 }, nodes)
  },
}

interface Node {
  readonly steps: readonly string[]
  readonly value: number
  /** the last step's text, when it gives the answer */
  readonly final?: string
}

async function grow(context: MethodContext, runs: Runs, parent: Node, seed: number): Promise<Node | undefined> {
  const { task, instance, parameters } = context
  const maxTokens = Number(parameters.stepTokens)
  const said = (await runs.ask(proposal(context, parent.steps), { purpose: 'main', maxTokens, seed })).trim()
  if (said === '') return undefined
  const final = task.extract(instance, said, 'final') !== undefined && /\\boxed|answer/i.test(said)
  const steps = [...parent.steps, final ? said : firstStep(said)]
  const judged = await runs.ask(valuation(context, steps), { purpose: 'judge', maxTokens, temperature: 0, seed })
  return { steps, value: readValue(judged) ?? 0.5, ...(final && { final: said }) }
}

/** One step a node: the first line that says something. */
const firstStep = (text: string): string =>
  text
    .split('\n')
    .find((line) => /[\p{L}\p{N}]/u.test(line))
    ?.trim() ?? text

function proposal({ task, instance }: MethodContext, steps: readonly string[]) {
  return (
    task.search?.propose(instance, steps) ??
    `${promptText(task.prompt(instance))}\n\nSteps so far:\n${steps.join('\n') || 'none'}\n\nWrite only the next step in one line, or the final answer if it is reached.`
  )
}

function valuation({ task, instance }: MethodContext, steps: readonly string[]) {
  return (
    task.search?.value(instance, steps) ??
    `${promptText(task.prompt(instance))}\n\nSteps so far:\n${steps.join('\n')}\n\nHow likely do these steps lead to a right answer? End with one line: Confidence: sure, likely, possible, unlikely or impossible.`
  )
}

/** The answer of a finished node, or what the model makes of the best unfinished one. */
async function finish(context: MethodContext, runs: Runs, node: Node, nodes: number): Promise<MethodResult> {
  const { task, instance } = context
  const figures = { nodes, depth: node.steps.length, value: node.value }
  if (node.final !== undefined)
    return {
      status: 'unverified',
      output: node.final,
      answer: task.extract(instance, node.final, 'final'),
      ledger: runs.ledger,
      figures,
    }
  const worked =
    node.steps.length === 0
      ? ''
      : `\n\nThese steps are done:\n${node.steps.join('\n')}\n\nGo on from them to the answer.`
  const result = await runs.run(`${promptText(task.prompt(instance))}${worked}`, [])
  return outcome(context, result, runs, figures)
}
