// The nano counterpart of the tables and figures of both papers, into docs/results. Under an hour on two cores; killed and
// started again it goes on. `npm run bench:papers -- --minutes 55 --only halo --pages`
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf, UserError } from '../src/base/errors.ts'
import { packageRoot } from '../src/base/paths.ts'
import { parseConfig, runBench, writeReport } from '../src/bench/index.ts'
import { progress } from '../src/bench/progress.ts'
import { reinParts } from '../src/bench/rein-parts.ts'
import { openEngine } from '../src/engine/index.ts'
import type { Calibration } from '../src/halo/index.ts'
import { calibrationFor } from '../src/methods/halo.ts'
import { methods } from '../src/methods/registry.ts'
import { readFlags, refuse } from './flags.ts'
import { type Aggregation, aggregations } from './papers/aggregation.ts'
import { indexPage } from './papers/index-page.ts'
import { type Made, pages } from './papers/pages.ts'
import { type Section, sections } from './papers/sections.ts'

const flags = readFlags({
  minutes: 55,
  only: '',
  /** of a run, in place of the sections' own: for a trial */
  'max-tokens': 0,
  /** make the pages again from the runs that are there */
  pages: false,
})

const work = join(packageRoot, 'out', 'papers')
const results = join(packageRoot, 'docs', 'results')
const spentFile = join(work, 'spent.json')
mkdirSync(work, { recursive: true })
mkdirSync(results, { recursive: true })

const trial = flags['max-tokens'] === 0 ? {} : { maxTokens: flags['max-tokens'] }

/** Seconds that each section has had so far, over all starts. */
const spent: Record<string, number> = existsSync(spentFile) ? JSON.parse(readFileSync(spentFile, 'utf8')) : {}
const stop = new AbortController()
process.on('SIGINT', () => (stop.signal.aborted ? process.exit(130) : stop.abort()))

async function haloCalibration(): Promise<Calibration | undefined> {
  const engine = await openEngine('nano')
  try {
    return calibrationFor(engine, methods.halo!.parameters)
  } catch (error) {
    console.error(`Halo is left out: ${messageOf(error)}`)
    return undefined
  } finally {
    await engine.close?.()
  }
}

/** Runs a section until it is done or its share of the time is used up. */
async function run(section: Section, minutes: number): Promise<void> {
  const limit = 60 * minutes * section.share
  const before = spent[section.name] ?? 0
  if (before >= limit) return
  const began = Date.now()
  const note = (): void => {
    spent[section.name] = before + (Date.now() - began) / 1000
    writeFileSync(spentFile, JSON.stringify(spent))
  }
  const clock = setInterval(note, 2000)
  const time = AbortSignal.timeout(Math.ceil(1000 * (limit - before)))
  console.error(`${section.name}: ${((limit - before) / 60).toFixed(1)} minutes`)
  const bars = progress({ stream: process.stderr })
  try {
    const config = parseConfig({ ...section.config, ...trial, out: join(work, section.name), logs: 'none' })
    const signal = AbortSignal.any([stop.signal, time])
    await runBench(config, reinParts, { signal, onPlan: bars.plan, onRow: bars.row })
    if (!stop.signal.aborted) spent[section.name] = limit
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    console.error(error.message)
    process.exit(error.exitCode)
  } finally {
    bars.stop()
    clearInterval(clock)
    if (!stop.signal.aborted && !time.aborted) note()
    writeFileSync(spentFile, JSON.stringify(spent))
  }
}

/** Halo's Table 6 is no bench: recordings of plain runs, read in five ways. Kept beside the others. */
async function table6(): Promise<Aggregation[] | undefined> {
  const file = join(work, 'aggregation.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'))
  if (flags.pages || stop.signal.aborted) return undefined
  const engine = await openEngine('nano')
  try {
    const made = await aggregations(engine, 48)
    writeFileSync(file, JSON.stringify(made))
    return made
  } catch (error) {
    console.error(`Halo's Table 6 is left out: ${messageOf(error)}`)
    return undefined
  } finally {
    await engine.close?.()
  }
}

function hasRows(name: string): boolean {
  const file = join(work, name, 'results.jsonl')
  return existsSync(file) && statSync(file).size > 0
}

function commandOf({ name, config }: Section): string {
  writeFileSync(join(results, `${name}.config.json`), `${JSON.stringify(config, null, 2)}\n`)
  return `npm run bench:papers   # or, all of it: rein bench docs/results/${name}.config.json --out out/${name}`
}

const all = sections(await haloCalibration())
const chosen = flags.only === '' ? all : all.filter((section) => section.name === flags.only)
if (chosen.length === 0) refuse(`--only should be one of ${all.map((s) => s.name).join(', ')}`)
if (!flags.pages) for (const section of chosen) if (!stop.signal.aborted) await run(section, flags.minutes)
const aggregated = flags.only === '' ? await table6() : undefined

const made = new Map<string, Made>()
for (const section of all)
  if (hasRows(section.name)) {
    const summary = writeReport(join(work, section.name))
    made.set(section.name, { summary, command: commandOf(section) })
    writeFileSync(join(results, `${section.name}.summary.json`), `${JSON.stringify(summary)}\n`)
  }
const written = pages(made, aggregated)
const [first] = made.values()
const about = first ? `${first.summary.model}, ${first.summary.date.slice(0, 10)}.` : ''
for (const { file, text } of written) writeFileSync(join(results, file), text)
const index = indexPage(new Set(readdirSync(results)), about)
writeFileSync(join(results, index.file), index.text)
console.error(`docs/results has ${made.size} of ${all.length} sections`)
if (stop.signal.aborted) process.exitCode = 130
