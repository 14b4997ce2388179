import { Command, InvalidArgumentError } from 'commander'
import { InputError, messageOf } from '../base/errors.ts'
import { getTask } from '../tasks/registry.ts'
import type { Kind, Task } from '../tasks/task.ts'
import type { Verdict } from '../trace/words.ts'
import { type VerifierPool, verifierPool } from '../verify/pool.ts'
import { endQuietlyWithReader, lines, print } from './lines.ts'

/** `rein check TASK`: JSONL rows of instance and output in, JSONL verdicts out, in order. */
export function command(): Command {
  return new Command()
    .summary('verdicts on answers: JSONL in, JSONL out')
    .description(
      'Reads rows {"instance":…,"output":"…","phase":"partial"|"final"} from stdin and writes {"verdict","complete","answer","feedback","ms"} for each, in order.',
    )
    .argument('<task>', 'game24, maze, zebralogic, …')
    .option('--timeout <ms>', 'time for one check; past it the verdict is unknown', positive, 10_000)
    .option('--threads <n>', 'checks at a time', positive, 2)
    .action(async (name: string, options: { timeout: number; threads: number }) => {
      const task = getTask(name)
      endQuietlyWithReader()
      const pool = verifierPool({ size: options.threads, timeoutMs: options.timeout })
      try {
        // threads start before the first row, so that "ms" is what a check takes
        await Promise.all(Array.from({ length: options.threads }, () => pool.verify('', null, '', 'final')))
        await checkAll(task, pool, lines(process.stdin), print, options.threads)
      } finally {
        await pool.close()
      }
    })
}

function positive(text: string): number {
  const n = Number(text)
  if (!Number.isInteger(n) || n < 1) throw new InvalidArgumentError('it must be a positive integer.')
  return n
}

interface Row {
  readonly instance: unknown
  readonly output: string
  readonly phase: Kind
}

/** Rows are checked a few at a time and written in order; a bad row stops the work after those before it are written. */
export async function checkAll(
  task: Task,
  pool: VerifierPool,
  input: AsyncIterable<string>,
  write: (text: string) => Promise<void>,
  ahead: number,
): Promise<void> {
  const pending: Promise<string>[] = []
  const flush = async (keep: number): Promise<void> => {
    while (pending.length > keep) await write(`${await pending.shift()}\n`)
  }
  let number = 0
  try {
    for await (const line of input) {
      number++
      if (line.trim() === '') continue
      pending.push(check(task, pool, readRow(task, line, number)))
      await flush(ahead)
    }
  } catch (error) {
    await flush(0)
    throw error
  }
  await flush(0)
}

function readRow(task: Task, line: string, number: number): Row {
  const wrong = (what: string): never => {
    throw new InputError(`row ${number}: ${what}`)
  }
  let row: Partial<Row>
  try {
    row = JSON.parse(line)
  } catch {
    return wrong('it is not JSON; each line must be an object with "instance", "output" and "phase"')
  }
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return wrong('it must be a JSON object')
  for (const field of ['instance', 'output', 'phase'] as const)
    if (row[field] === undefined) return wrong(`field "${field}" is missing`)
  if (typeof row.output !== 'string') return wrong('field "output" must be a string')
  if (row.phase !== 'partial' && row.phase !== 'final') return wrong('field "phase" must be "partial" or "final"')
  try {
    return { instance: task.read(row.instance), output: row.output, phase: row.phase }
  } catch (error) {
    return wrong(`field "instance": ${messageOf(error)}`)
  }
}

async function check(task: Task, pool: VerifierPool, { instance, output, phase }: Row): Promise<string> {
  const start = performance.now()
  const answer = task.extract(instance, output, phase)
  const verdict = answer === undefined ? nothing : await verify(task, pool, instance, answer, phase)
  return JSON.stringify({
    verdict: verdict.kind,
    complete: verdict.kind === 'pass' && verdict.complete,
    answer: answer ?? null,
    feedback: verdict.kind === 'fail' ? verdict.feedback : null,
    ...(verdict.kind === 'unknown' && { reason: verdict.reason }),
    ms: Math.round((performance.now() - start) * 1000) / 1000,
  })
}

const nothing: Verdict = { kind: 'unknown', reason: 'the output states no answer' }

function verify(task: Task, pool: VerifierPool, instance: unknown, answer: string, kind: Kind): Promise<Verdict> {
  return task.verifyAsync ? task.verifyAsync(instance, answer, kind) : pool.verify(task.name, instance, answer, kind)
}
