import type { BenchInput } from '../../src/bench/index.ts'
import type { Calibration } from '../../src/halo/index.ts'
import allMethods from '../all-methods.json' with { type: 'json' }

/** One bench: what it runs, and its share of the hour. Work goes instance by instance, so it may end at any time. */
export interface Section {
  readonly name: string
  readonly share: number
  readonly config: Omit<BenchInput, 'out'>
}

/** No table shows how long a run takes, so nothing need be generated twice. */
const sharing = (section: Section): Section => ({ ...section, config: { ...section.config, recall: true } })

/** Instances at most; the time decides how many of them are reached. */
const limit = 200
const maxTokens = 3000

/** Where nano is neither always right nor always wrong; its horizon on chains lies between 12 and 24 steps. */
const size = { chain: [12, 16, 20, 24], ...allMethods.size }
const only = (...tasks: (keyof typeof size)[]): Partial<typeof size> =>
  Object.fromEntries(tasks.map((task) => [task, size[task]]))

export function sections(halo: Calibration | undefined): Section[] {
  const out: Section[] = [
    // The comparison that rein is held to: every method on 200 held-out instances a task. Some of them think many times
    // over, so the whole of it takes longer than its share; a larger --minutes gets there.
    { name: 'interwhen', share: 0.64, config: allMethods as Section['config'] },
    {
      name: 'early-stop',
      share: 0.12,
      config: {
        tasks: ['game24', 'maze', 'spatialmap', 'chain'],
        methods: ['cot'],
        // the paper's values (A.4.1), thinned out
        sweep: [
          'k-stable:k=2,3,4,5,7,10',
          'deer:threshold=0.85,0.9,0.95,0.98,0.99,0.995',
          'eat:variance=0.2,0.04,0.008,0.003,0.001,0.0001',
        ],
        size: only('chain', 'maze', 'spatialmap'),
        limit,
        maxTokens,
      },
    },
    {
      name: 'interval',
      share: 0.04,
      config: {
        tasks: ['game24', 'chain'],
        methods: ['cot'],
        sweep: ['interwhen:k=1,2,5,10,20'],
        size: only('chain'),
        limit,
        maxTokens,
      },
    },
    {
      name: 'width',
      share: 0.04,
      config: {
        tasks: ['game24', 'chain'],
        methods: ['cot'],
        sweep: ['self-consistency:k=1,3,5,9,15,early=false'],
        size: only('chain'),
        limit,
        maxTokens: 20_000,
      },
    },
  ]
  const length = { chain: [4, 8, 12, 16, 20, 24, 32, 48] }
  if (!halo)
    return [
      ...out,
      { name: 'length', share: 0.16, config: { tasks: ['chain'], methods: ['cot'], size: length, limit, maxTokens } },
    ].map(sharing)
  out.push({
    name: 'halo',
    share: 0.1,
    config: {
      tasks: ['chain', 'game24', 'ruler-vt'],
      methods: ['cot,self-consistency:k=5,adacot,tot,cot-valve,halo,halo+verify,halo-random'],
      size: length,
      limit,
      maxTokens,
    },
  })
  out.push({
    name: 'halo-grid',
    share: 0.06,
    config: { tasks: ['chain'], methods: ['cot'], sweep: [grid(halo)], size: { chain: [20] }, limit, maxTokens },
  })
  return out.map(sharing)
}

/** Halo, Table 4 asks how sharp the optimum is: the paper's values as multiples of its own setting, here of nano's. */
function grid({ alpha, psi }: Calibration): string {
  const times = (base: number, factors: readonly number[]): string =>
    factors.map((f) => Number((base * f).toPrecision(3))).join(',')
  return `halo:alpha=${times(alpha, [0.6, 1, 1.2, 1.4])};psi=${times(psi, [0.4, 0.8, 1, 1.2, 1.6])}`
}
