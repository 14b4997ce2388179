/**
 * Checks a second of each verifier, and the zebra verifier beside Z3 on the same puzzles in the same run: Debian's native
 * `z3` (one process, SMT-LIB on its input) and python3-z3 (one process, constraints built through its API). Z3 is given the
 * clues already read; rein's figure includes reading them from the text.  npx tsx bench/verify.ts [--count 100]
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { random } from '../src/base/random.ts'
import { getTask } from '../src/tasks/registry.ts'
import type { Kind } from '../src/tasks/task.ts'
import { isUnread, readMaze, turnsOf } from '../src/verify/maze/index.ts'
import { checkZebra, readZebra, type Zebra } from '../src/verify/zebra/index.ts'
import { sharedDir } from '../test/shared.ts'
import { readFlags } from './flags.ts'
import { smtScript } from './verify-z3.ts'

const { count: COUNT } = readFlags({ count: 100 })

/** Repeats until a second has passed, after a warm-up; calls a second. */
function rate(work: () => void): number {
  for (let i = 0; i < 20; i++) work()
  const began = performance.now()
  let calls = 0
  while (performance.now() - began < 1000) {
    work()
    calls++
  }
  return (calls * 1000) / (performance.now() - began)
}

function measure(name: string, task: string, kind: Kind, answer: (instance: unknown) => string): void {
  const t = getTask(task)
  const cases = Array.from({ length: 20 }, (_, i) => t.generate!(random(i), {})).map((instance) => ({
    instance,
    said: answer(instance),
  }))
  let at = 0
  const perSecond = rate(() => {
    const { instance, said } = cases[at++ % cases.length]!
    t.verify(instance, said, kind)
  })
  console.log(`${name.padEnd(34)} ${Math.round(perSecond).toLocaleString('en').padStart(10)} checks/s`)
}

const numbers = (instance: unknown): number[] => (instance as { numbers: number[] }).numbers
measure('game24 final', 'game24', 'final', (i) => numbers(i).join(' + '))
measure('game24 partial', 'game24', 'partial', (i) => `${numbers(i)[0]} * ${numbers(i)[1]}`)
measure('maze final', 'maze', 'final', () => '\\boxed{A}')
measure('maze partial (whole path)', 'maze', 'partial', mazeSteps)
measure('spatialmap final', 'spatialmap', 'final', () => '\\boxed{A}')
measure('spatialmap partial (all relations)', 'spatialmap', 'partial', (i) =>
  (i as { prompt: string }).prompt.split('\n')[1]!.split('.').join('.\n'),
)
measure(
  'zebralogic partial (puzzle known)',
  'zebralogic',
  'partial',
  () => '{"House 1": {"Name": "Anna"}, "House 2": {"Name": "Boris"}}',
)

function mazeSteps(instance: unknown): string {
  const read = readMaze((instance as { prompt: string }).prompt)
  if (isUnread(read) || !read.route) return ''
  const cells = read.route
  const lines = cells.slice(1).map((c, i) => {
    const { right, left } = turnsOf(cells.slice(0, i + 2))
    return `(${cells[i]!.join(',')}) -> (${c.join(',')}) R=${right} L=${left}`
  })
  return `${lines.join('\n')}\n`
}

/** Real rows where they are, else ours; largest first, because there a solver has something to do. */
function puzzles(): string[] {
  const file = join(sharedDir() ?? '', 'data/zebralogic/grid_mode_test_1000_half.jsonl')
  if (!existsSync(file))
    return Array.from(
      { length: COUNT },
      (_, i) =>
        (getTask('zebralogic').generate!(random(i), { size: 4 + (i % 3), features: 5 }) as { puzzle: string }).puzzle,
    )
  const rows = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((l) => JSON.parse(l) as { puzzle: string })
  return rows.slice(0, COUNT).map((r) => r.puzzle)
}

const texts = puzzles()
const read = texts.map((t) => readZebra(t)).filter((z): z is Zebra => !('unread' in z))
/** One right and one wrong partial assignment a puzzle: the first value of each feature where it is, and one house on. */
const jobs = read.flatMap((zebra, i) =>
  [0, 1].map((shift) => ({ zebra, text: texts[i]!, cells: cellsOf(zebra, shift) })),
)

function cellsOf({ head, solution }: Zebra, shift: number) {
  return head.features.map((_, feature) => ({
    feature,
    value: 0,
    house: (solution![feature * head.houses]! + (feature === 0 ? shift : 0)) % head.houses,
  }))
}

const asJson = ({ head }: Zebra, cells: ReturnType<typeof cellsOf>): string => {
  const table: Record<string, Record<string, string>> = {}
  for (const c of cells)
    (table[`House ${c.house + 1}`] ??= {})[head.features[c.feature]!.key] = head.features[c.feature]!.values[c.value]!
  return JSON.stringify(table)
}

console.log(`\nzebra: ${jobs.length} checks on ${read.length} puzzles`)
const answers = jobs.map((j) => asJson(j.zebra, j.cells))
for (const job of jobs.slice(0, 20)) readZebra(job.text)
let began = performance.now()
const ours = jobs.map((job, i) => checkZebra(readZebra(job.text), answers[i]!, 'partial').kind === 'pass')
const reinMs = report('rein, from the text each time', performance.now() - began)
began = performance.now()
jobs.map((job, i) => checkZebra(job.zebra, answers[i]!, 'partial').kind)
report('rein, puzzle read once', performance.now() - began)

function report(name: string, ms: number): number {
  console.log(`${name.padEnd(34)} ${(ms / jobs.length).toFixed(3).padStart(10)} ms a check`)
  return ms
}

function beside(
  name: string,
  command: string,
  args: string[],
  input: string,
  parse: (out: string) => { ms: number; sat: boolean[] },
): void {
  const start = performance.now()
  const done = spawnSync(command, args, { input, encoding: 'utf8', maxBuffer: 1e9 })
  if (done.error || done.status !== 0) {
    console.log(`${name.padEnd(34)} not installed here, skipped`)
    return
  }
  const { ms, sat } = parse(done.stdout)
  const wrong = sat.filter((s, i) => s !== ours[i]).length
  report(name, Number.isNaN(ms) ? performance.now() - start : ms)
  const total = Number.isNaN(ms) ? performance.now() - start : ms
  console.log(
    `${''.padEnd(34)} ${(total / reinMs).toFixed(1).padStart(10)} × rein's time; ${wrong} of ${sat.length} verdicts differ`,
  )
  if (wrong > 0 || sat.length !== ours.length) process.exitCode = 1
}

const scripts = jobs.map((j) => smtScript(j.zebra.grid, j.cells))
beside('native z3', 'z3', ['-in', '-smt2'], scripts.join('(reset)\n'), (out) => ({
  ms: Number.NaN,
  sat: out
    .trim()
    .split('\n')
    .map((l) => l === 'sat'),
}))
const python = ['/usr/bin/python3', 'python3'].find((p) => spawnSync(p, ['-c', 'import z3']).status === 0) ?? 'python3'
const script = fileURLToPath(new URL('verify-z3.py', import.meta.url))
const plain = jobs.map((j) => ({
  houses: j.zebra.grid.houses,
  features: j.zebra.grid.features,
  clues: j.zebra.grid.clues,
  cells: j.cells,
}))
beside('python3-z3', python, [script], JSON.stringify(plain), (out) => JSON.parse(out))
