// A worker in a process of its own, for the tests that kill it: worker-child.ts REDIS DELAY
import { runWorker } from '../../src/bench/queue/worker.ts'
import { fakeEngine, fakeParts } from './fake.ts'

const [url, delay] = process.argv.slice(2)
const stop = new AbortController()
process.on('SIGTERM', () => stop.abort())
await runWorker(
  url!,
  fakeParts(() => fakeEngine({ delayMs: Number(delay) })),
  {
    signal: stop.signal,
    concurrency: 4,
    lockMs: 1000,
  },
)
