import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { random } from '../../src/base/random.ts'
import { maze, spatialmap, zebralogic } from '../../src/tasks/index.ts'
import { readOptions } from '../../src/verify/choice.ts'
import { isUnread, readMaze, routeOf, turnsOf } from '../../src/verify/maze/index.ts'
import { optionStanding, readings, readSpatialMap } from '../../src/verify/spatial/index.ts'
import { readZebra, type Zebra } from '../../src/verify/zebra/index.ts'
import { sharedDir } from '../shared.ts'

/** Real rows and recorded answers: no verdict may be wrong on any of them. */
const shared = sharedDir()
if (!shared) console.warn('skipped: no ../shared beside this checkout, so the real rows cannot be read')

// biome-ignore lint/suspicious/noExplicitAny: rows of several datasets
function rows(path: string): any[] {
  const file = shared && join(shared, 'data', path)
  if (!file || !existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

describe.skipIf(!shared)('spatialmap rows', () => {
  const all = rows('spatialmap/spatialmap_tqa_1500_half.jsonl')
  it('reads every row', () => {
    expect(all.length).toBeGreaterThan(700)
    for (const row of all) {
      const map = readSpatialMap(row.text)
      if ('unread' in map) throw new Error(`${row.id}: ${map.unread}`)
      expect([map.names.length, map.premises.length, map.options.length]).toEqual([6, 9, 4])
      expect(map.question.kind).not.toBe('unclear')
    }
  })
  it('never fails an oracle and always fails an impossible option', () => {
    const seen = { pass: 0, unknown: 0, fail: 0, impossible: 0 }
    for (const row of all) {
      const instance = spatialmap.read({ prompt: row.text })
      const map = readSpatialMap(row.text)
      if ('unread' in map) throw new Error(row.id)
      for (const option of map.options) {
        const verdict = spatialmap.verify(instance, `\\boxed{${option.letter}}`, 'final')
        const impossible = readings.every((r) => optionStanding(map, option, r) === 'impossible')
        expect(verdict.kind === 'fail').toBe(impossible)
        if (option.letter === row.oracle_option) seen[verdict.kind]++
        else if (impossible) seen.impossible++
        if (verdict.kind === 'pass' && verdict.complete) expect(option.letter).toBe(row.oracle_option)
      }
      const told = map.premises
        .map((p) => `${map.names[p.a]} is to the ${p.direction} of ${map.names[p.b]}.`)
        .join('\n')
      expect(spatialmap.verify(instance, told, 'partial').kind).toBe('pass')
    }
    expect(seen.fail).toBe(0)
    console.log(
      `spatialmap: ${all.length} oracles: ${seen.pass} pass, ${seen.unknown} unknown, ${seen.fail} fail; ${seen.impossible} options impossible`,
    )
  })
  it('agrees with the recorded answers', () => {
    const told = rows('traces/spatialmap_eureka/model_answers.jsonl')
    const direction = spatialmap.read({ prompt: all.find((r) => r.id === 'spatialmap.tqa.2000.0')?.text ?? prompt2000 })
    for (const { text } of told.filter(
      (t) => /correct answer is A:|answer is A\./.test(t.text) && /Northeast/.test(t.text),
    ))
      expect(spatialmap.grade(direction, text)).toBe(true)
    expect(told.length).toBeGreaterThan(0)
  })
})

const prompt2000 =
  'Consider a map with multiple objects: \nPolice Supply Store is in the map.  Planetarium Prints is to the Northeast of Police Supply Store. \n\n Please answer the following multiple-choice question based on the provided information. In which direction is Planetarium Prints relative to Police Supply Store? Available options:\nA. Northeast\nB. Northwest\nC. Southwest\nD. Southeast.'

type Table = Record<string, Record<string, string>>

function tableOf(header: string[], body: string[][]): Table {
  return Object.fromEntries(
    body.map((r) => [`House ${r[0]}`, Object.fromEntries(r.slice(1).map((v, i) => [header[i + 1]!, v]))]),
  )
}

describe.skipIf(!shared)('zebralogic rows', () => {
  const all = rows('zebralogic/grid_mode_test_1000_half.jsonl')
  const verdict = (zebra: { puzzle: string }, table: Table, kind: 'partial' | 'final') =>
    zebralogic.verify(zebra, JSON.stringify(table), kind)

  it('reads every clue and finds the one given solution', () => {
    expect(all.length).toBeGreaterThan(400)
    for (const row of all) {
      const zebra = readZebra(row.puzzle)
      if ('unread' in zebra) throw new Error(`${row.id}: ${zebra.unread}`)
      expect(zebra.head.features.map((f) => f.key)).toEqual(row.solution.header.slice(1))
      expect(tableOfSolution(zebra)).toEqual(tableOf(row.solution.header, row.solution.rows))
    }
  })
  it('passes the solution and its parts, fails every wrong cell and every swap', () => {
    let cells = 0
    let swaps = 0
    for (const row of all) {
      const instance = zebralogic.read(row)
      const right = tableOf(row.solution.header, row.solution.rows)
      expect(verdict(instance, right, 'final')).toEqual({ kind: 'pass', complete: true })
      const houses = Object.keys(right)
      const features = row.solution.header.slice(1) as string[]
      for (const [i, house] of houses.entries())
        for (const feature of features) {
          expect(verdict(instance, { [house]: { [feature]: right[house]![feature]! } }, 'partial').kind).toBe('pass')
          for (const other of houses.slice(i + 1)) {
            const wrong = structuredClone(right)
            wrong[house]![feature] = right[other]![feature]!
            expect(verdict(instance, wrong, 'final').kind).toBe('fail')
            expect(verdict(instance, { [house]: { [feature]: right[other]![feature]! } }, 'partial').kind).toBe('fail')
            wrong[other]![feature] = right[house]![feature]!
            expect(verdict(instance, wrong, 'final').kind).toBe('fail')
            cells += 2
            swaps++
          }
        }
    }
    console.log(`zebralogic: ${all.length} rows, ${cells} wrong cells and ${swaps} swapped columns, all failed`)
  })
  it('never fails a part of the solution, however many of its cells are stated', () => {
    for (const row of all) {
      const rng = random(row.id)
      const instance = zebralogic.read(row)
      const right = tableOf(row.solution.header, row.solution.rows)
      for (const share of [0.2, 0.5, 0.8]) {
        const part: Table = {}
        for (const [house, cells] of Object.entries(right))
          for (const [feature, value] of Object.entries(cells))
            if (rng.chance(share)) (part[house] ??= {})[feature] = value
        if (Object.keys(part).length > 0) expect(verdict(instance, part, 'partial').kind, row.id).toBe('pass')
      }
    }
  })
  it('never tells the right value', () => {
    for (const row of all.slice(0, 60)) {
      const instance = zebralogic.read(row)
      const right = tableOf(row.solution.header, row.solution.rows)
      const [feature, ,] = row.solution.header.slice(1) as string[]
      const wrong = { 'House 1': { [feature!]: right['House 2']![feature!]! } }
      const judged = verdict(instance, wrong, 'partial')
      expect(judged.kind === 'fail' && judged.feedback).not.toContain(right['House 1']![feature!]!)
    }
  })
  it('agrees with the recorded answers of a model', () => {
    let right = 0
    let wrong = 0
    for (const row of rows('traces/zeroeval/zebra_grid_llama405b.jsonl')) {
      const known = all.find((r) => r.id === row.id)
      if (!known) continue
      const instance = zebralogic.read({ puzzle: row.puzzle })
      const solution = tableOf(known.solution.header, known.solution.rows)
      const said = zebralogic.extract(instance, row.output[0], 'final')
      const expected = said !== undefined && sameTable(JSON.parse(said), solution)
      expect(zebralogic.grade(instance, row.output[0])).toBe(expected)
      expected ? right++ : wrong++
    }
    console.log(`zebra_grid_llama405b: ${right} right, ${wrong} wrong, as the solutions say`)
    expect(right + wrong).toBeGreaterThan(0)
  })
  it('solves the puzzles of another collection and agrees with its labels', () => {
    const recorded = rows('traces/reasoning_gym/zebra.jsonl')
    for (const row of recorded) {
      const zebra = readZebra(row.question)
      if ('unread' in zebra) throw new Error(`${row.idx}: ${zebra.unread}`)
      const first = tableOfSolution(zebra)['House 1']!.Name
      expect(first).toBe(row.gold)
      const instance = zebralogic.read({ puzzle: row.question })
      const said = /^[a-z]+$/i.test(row.answer ?? '') ? row.answer : undefined
      if (!said) continue
      const judged = verdict(instance, { 'House 1': { Name: said } }, 'partial')
      if (judged.kind !== 'unknown') expect(judged.kind === 'pass').toBe(row.score === 1)
    }
    expect(recorded.length).toBeGreaterThan(100)
  })
})

function tableOfSolution(zebra: Zebra): Table {
  const table: Table = {}
  for (let h = 0; h < zebra.head.houses; h++) table[`House ${h + 1}`] = {}
  for (const [f, feature] of zebra.head.features.entries())
    for (const [v, value] of feature.values.entries())
      table[`House ${zebra.solution![f * zebra.head.houses + v]! + 1}`]![feature.key] = value
  return table
}

const sameTable = (a: Table, b: Table): boolean =>
  Object.keys(b).every((h) => Object.keys(b[h]!).every((f) => a[h]?.[f]?.toLowerCase() === b[h]![f]!.toLowerCase()))

describe.skipIf(!shared)('maze rows', () => {
  it('answers the one complete prompt as its ground truth', () => {
    const [row] = rows('maze/maze_examples.jsonl').filter((r) => r.complete)
    const instance = maze.read({ prompt: row.prompt_as_shown })
    expect(maze.prompt(instance)).not.toContain('concise')
    const right = readOptions(row.prompt_as_shown).find((o) => o.text === row.ground_truth)!.letter
    for (const letter of ['A', 'B'])
      expect(maze.verify(instance, `\\boxed{${letter}}`, 'final').kind).toBe(letter === right ? 'pass' : 'fail')
  })
  it('refuses a grid whose blanks were lost and reads it when they are back', () => {
    for (const row of rows('maze/maze_examples.jsonl').filter((r) => r.grid_restored)) {
      const ask =
        ', where the symbols … How many total turns are there in the provided path (marked by X) from S to E? Available options:\nA. 0\nB. 3.'
      expect(isUnread(readMaze(row.grid_as_shown + ask))).toBe(true)
      const read = readMaze(row.grid_restored + ask)
      expect(isUnread(read) ? undefined : read.route?.length).toBeGreaterThan(3)
    }
  })
  it('finds the marked way of recorded mazes, which is the shortest open way', () => {
    let found = 0
    for (const row of rows('traces/maze_ascii/traces.jsonl').filter((r) => r.representation === 'ascii')) {
      const read = readMaze(`${row.expected}\nHow many right turns? A. 1 B. 2`)
      if (isUnread(read) || !read.route) continue
      const marks = [...row.expected].filter((c) => c === 'X').length
      expect(read.route.length).toBe(marks + 2)
      expect(turnsOf(read.route)).toEqual(read.turns)
      // the same drawing without marks has one way at most, and then it is this one
      const bare = readMaze(`${row.input}\nHow many right turns? A. 1 B. 2`)
      const way = isUnread(bare) ? undefined : routeOf(bare.grid)
      if (way) expect(way).toEqual(read.route)
      found++
    }
    expect(found).toBeGreaterThan(10)
  })
})
