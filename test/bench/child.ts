// One bench in a process of its own, for the tests that kill it: child.ts OUT LIMIT DELAY
import { parseConfig } from '../../src/bench/config.ts'
import { runBench } from '../../src/bench/run.ts'
import { fakeEngine, fakeParts } from './fake.ts'

const [out, limit, delay] = process.argv.slice(2)
const config = parseConfig({
  tasks: ['sums'],
  methods: ['cot', 'best:k=3'],
  engine: 'fake',
  limit: Number(limit),
  seeds: [1, 2],
  out,
  concurrency: 8,
})
await runBench(
  config,
  fakeParts(() => fakeEngine({ delayMs: Number(delay) })),
)
