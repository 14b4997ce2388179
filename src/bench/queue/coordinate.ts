import type { BenchConfig } from '../config.ts'
import type { Outcome } from '../execute.ts'
import type { Job } from '../plan.ts'

export async function runQueued(
  _jobs: readonly Job[],
  _config: BenchConfig,
  _options: { run: string; signal: AbortSignal; onRow(o: Extract<Outcome, { kind: 'row' }>): void },
): Promise<void> {}
