import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { init } from 'z3-solver'
import { random } from '../../base/random.ts'
import { generateSpatialMap } from '../../tasks/spatialmap/generate.ts'
import {
  axisSigns,
  checkSpatialAnswer,
  checkSpatialClaims,
  compass,
  decidedOption,
  entailed,
  minimalConflict,
  planeOf,
  possibleCounts,
  type Reading,
  type Relation,
  readClaims,
  readings,
  readSpatialMap,
  satisfiable,
} from './index.ts'

const n = 4
const relation = fc
  .record({ a: fc.nat(n - 1), b: fc.nat(n - 1), direction: fc.constantFrom(...compass) })
  .filter((r) => r.a !== r.b)
const relations = fc.array(relation, { minLength: 1, maxLength: 6 })
const reading = fc.constantFrom<Reading>(...readings)

/** Every arrangement of n things on a line, ties included. */
const lines: number[][] = Array.from({ length: n ** n }, (_, i) =>
  Array.from({ length: n }, (_, k) => Math.floor(i / n ** k) % n),
)

const judge = (line: readonly number[], r: Relation, axis: 0 | 1, how: Reading): boolean => {
  const sign = axisSigns(r.direction)[axis]
  const gap = Math.sign(line[r.a]! - line[r.b]!)
  return sign === 0 ? how === 'loose' || gap === 0 : gap === sign
}

const judged = new Map<string, Uint8Array>()
/** The same, looked up: which of all lines have this relation. */
function fitting(r: Relation, axis: 0 | 1, how: Reading): Uint8Array {
  const key = `${r.a}${r.b}${r.direction}${axis}${how}`
  const known = judged.get(key) ?? Uint8Array.from(lines, (line) => (judge(line, r, axis, how) ? 1 : 0))
  judged.set(key, known)
  return known
}

/** All arrangements that fit, axis by axis. */
const arrangements = (all: readonly Relation[], axis: 0 | 1, how: Reading): number[] => {
  const fits = all.map((r) => fitting(r, axis, how))
  return lines.flatMap((_, i) => (fits.every((f) => f[i] === 1) ? [i] : []))
}

describe('orders on two axes against all arrangements', () => {
  it('decides satisfiability, entailment and counts alike (10,000 cases)', () => {
    fc.assert(
      fc.property(relations, relation, reading, (premises, claim, how) => {
        const [xs, ys] = [arrangements(premises, 0, how), arrangements(premises, 1, how)]
        const can = xs.length > 0 && ys.length > 0
        expect(satisfiable(n, premises, how)).toBe(can)
        if (!can) return
        const plane = planeOf(n, premises, how)
        const all = xs.every((l) => fitting(claim, 0, how)[l]) && ys.every((l) => fitting(claim, 1, how)[l])
        expect(entailed(plane, claim, how)).toBe(all)
        const others = Array.from({ length: n }, (_, o) => o).filter((o) => o !== claim.b)
        const masks = (axis: 0 | 1, of: readonly number[]): Set<number> => {
          const fits = others.map((o) => fitting({ ...claim, a: o }, axis, how))
          return new Set(of.map((l) => fits.reduce((m, f, i) => (f[l] ? m | (1 << i) : m), 0)))
        }
        const [mx, my] = [masks(0, xs), masks(1, ys)]
        const counts = new Set(
          [...mx].flatMap((x) => [...my].map((y) => [...(x & y).toString(2)].filter((b) => b === '1').length)),
        )
        expect([...possibleCounts(plane, claim.b, claim.direction, how)].sort()).toEqual([...counts].sort())
      }),
      { numRuns: 10_000 },
    )
  })

  it('names a conflict that no claim can be left out of', () => {
    fc.assert(
      fc.property(relations, relations, reading, (premises, claims, how) => {
        fc.pre(satisfiable(n, premises, how) && !satisfiable(n, [...premises, ...claims], how))
        const core = minimalConflict(n, premises, claims, how)
        expect(satisfiable(n, [...premises, ...core], how)).toBe(false)
        for (const one of core) expect(satisfiable(n, [...premises, ...core.filter((c) => c !== one)], how)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  // Each case has variables of its own, so Z3 needs two checks for all of them: the cases called possible are so together,
  // and of those called impossible not one is.
  it('is equal to Z3 (1,000 cases)', async () => {
    const { Context, em } = (await init()) as Z3
    const { Solver } = Context('main')
    const cases = fc.sample(fc.tuple(wide, reading), { numRuns: 1000, seed: 2026 })
    const said = cases.map(([all, how]) => satisfiable(6, all, how))
    const formulas = cases.map(([all, how], i) => smtFormula(all, how, i))
    const declared = cases.flatMap((_, i) =>
      ['x', 'y'].flatMap((v) => [0, 1, 2, 3, 4, 5].map((o) => `(declare-const ${v}${o}_${i} Int)`)),
    )
    const check = (assertion: string) => {
      const solver = new Solver('QF_IDL')
      solver.fromString(`${declared.join('')}(assert ${assertion})`)
      return solver.check()
    }
    expect(await check(`(and ${formulas.filter((_, i) => said[i]).join(' ')})`)).toBe('sat')
    expect(await check(`(or ${formulas.filter((_, i) => !said[i]).join(' ')})`)).toBe('unsat')
    const sat = said.filter(Boolean).length
    expect(sat).toBeGreaterThan(100)
    expect(sat).toBeLessThan(900)
    em.PThread?.terminateAllThreads()
  })
})

function smtFormula(all: readonly Relation[], how: Reading, id: number): string {
  const parts = all.flatMap((r) =>
    ([0, 1] as const).flatMap((axis) => {
      const sign = axisSigns(r.direction)[axis]
      if (sign === 0 && how === 'loose') return []
      return [`(${sign > 0 ? '>' : sign < 0 ? '<' : '='} ${'xy'[axis]}${r.a}_${id} ${'xy'[axis]}${r.b}_${id})`]
    }),
  )
  return `(and true ${parts.join(' ')})`
}

type Z3 = Awaited<ReturnType<typeof init>> & { em: { PThread?: { terminateAllThreads(): void } } }

const wide = fc.array(
  fc.record({ a: fc.nat(5), b: fc.nat(5), direction: fc.constantFrom(...compass) }).filter((r) => r.a !== r.b),
  { minLength: 3, maxLength: 9 },
)

describe('generated maps', () => {
  it('never fails what is true, and passes it exactly where the text proves it', () => {
    const seen = { pass: 0, unknown: 0, fail: 0 }
    for (let seed = 0; seed < 300; seed++) {
      const made = generateSpatialMap(random(seed), { open: seed % 2 === 0, size: 4 + (seed % 6) })
      const map = readSpatialMap(made.prompt)
      if ('unread' in map) throw new Error(map.unread)
      const decided = decidedOption(map)
      if (decided !== undefined) expect(decided).toBe(made.answer)
      for (const { letter } of map.options) {
        const { kind } = checkSpatialAnswer(map, `\\boxed{${letter}}`)
        expect(kind === 'pass').toBe(letter === decided)
        if (letter === made.answer) seen[kind]++
      }
    }
    expect(seen.fail).toBe(0)
    expect(seen.pass).toBeGreaterThan(100)
    expect(seen.unknown).toBeGreaterThan(10)
  })
})

const names = [
  'Oak Cafe',
  'Pine Books',
  'Elm Toys',
  "St. Mary's",
  'Drive-In Diner',
  'Café Olé',
  'Store 24',
  'Oak',
  'A & B Co.',
]
const map = `Consider a map with multiple objects: \n${names[0]} is in the map.  Pine Books is to the Northeast of Oak Cafe.  Elm Toys is to the Northeast of Pine Books. ${names[3]} is to the Southwest of Oak Cafe.  Drive-In Diner is to the Southeast of St. Mary's. Drive-In Diner is to the Southwest of Oak Cafe.  Café Olé is to the North of Oak Cafe. \n\n Please answer the following multiple-choice question based on the provided information. In which direction is Elm Toys relative to Oak Cafe? Available options:\nA. Northeast\nB. Northwest\nC. Southwest\nD. Southeast.`

describe('claims', () => {
  const kind = (text: string): string => checkSpatialClaims(readSpatialMap(map), text).kind

  it('reads names with full stops, hyphens, accents and apostrophes', () => {
    const read = readSpatialMap(map)
    expect('unread' in read ? read.unread : read.names).toEqual([
      'Oak Cafe',
      'Pine Books',
      'Elm Toys',
      "St. Mary's",
      'Drive-In Diner',
      'Café Olé',
    ])
  })
  it.each([
    ['St. Mary’s is to the southwest of Oak Cafe.', [3, 'southwest', 0]],
    ['**Drive-In Diner** is South-East of *St. Mary’s*', [4, 'southeast', 3]],
    ['1. Café Olé is located to the North of Oak Cafe.', [5, 'north', 0]],
    ['Store 24 is to the north of Oak.', [6, 'north', 7]],
    ['A & B Co. is to the Northwest of Pine Books.', [8, 'northwest', 1]],
    ['So Elm Toys is to the Northeast of Oak Cafe, because Pine Books lies between.', [2, 'northeast', 0]],
  ] as const)('reads %s', (text, [a, direction, b]) => {
    expect(readClaims(text, names)[0]?.relation).toEqual({ a, b, direction })
  })
  it.each([
    'Suppose Elm Toys is to the Southwest of Oak Cafe. Then Pine Books is to the South of Oak Cafe.',
    'If Elm Toys is to the Southwest of Oak Cafe, it fails.',
    'Elm Toys is to the Southwest of Oak Cafe but that contradicts the map.',
    'Elm Toys is to the Southwest of Oak Cafe.\nNo, that is wrong.',
    'Elm Toys is not to the Southwest of Oak Cafe.',
    'Is it so that Elm Toys is to the Southwest of Oak Cafe?',
    'Elm Toys might be to the Southwest of Oak Cafe.',
    'Either Elm Toys is to the Southwest of Oak Cafe or it is not.',
    'none yet',
  ])('takes no claim from: %s', (text) => {
    expect(readClaims(text, names)).toEqual([])
  })
  it('does not judge a name that may go on', () => {
    expect(readClaims('Elm Toys is to the Southwest of Oak', names)).toEqual([])
    expect(readClaims('Elm Toys is to the Southwest of Oak.', names).length).toBe(1)
  })
  it('fails what is impossible, alone or together, every time', () => {
    expect(kind('Elm Toys is to the Southwest of Oak Cafe.')).toBe('fail')
    expect(kind('Elm Toys is to the Northeast of Oak Cafe.')).toBe('pass')
    expect(kind('Drive-In Diner is to the Northeast of Elm Toys.')).toBe('fail')
    const loop = 'Café Olé is to the Northwest of Elm Toys.\nCafé Olé is to the Southwest of Pine Books.\n'
    const verdict = checkSpatialClaims(readSpatialMap(map), loop)
    expect(verdict.kind).toBe('fail')
    expect(verdict.kind === 'fail' && verdict.feedback).toContain('; ')
  })
  it('does not know about objects that are not on the map', () => {
    expect(kind('Elm Toy is to the Northeast of Oak Cafe.')).toBe('unknown')
    expect(kind('Elm Toy is to the Northeast of Oak Cafe.\nElm Toys is to the Southwest of Oak Cafe.')).toBe('fail')
  })
})

describe('maps that are not understood', () => {
  it.each([
    'Elm is directly north of Oak. Pine is to the Northeast of Elm.',
    'Pine is to the Northeast of Oak and to the South of Elm. Oak is to the East of Elm.',
    'Oak is in the map. Pine lies to the Northeast of Oak. Elm is to the Northeast of Oak.',
    'Nothing at all.',
  ])('%s', (told) => {
    expect(readSpatialMap(`Consider a map with multiple objects: \n${told} \n\n Please answer …`)).toHaveProperty(
      'unread',
    )
  })
  it('counts stated plain directions in every reading', () => {
    const told =
      'Consider a map with multiple objects:\nOak is in the map. Pine is to the North of Oak. Elm is to the North of Pine. Please answer the following multiple-choice question based on the provided information. How many objects are in the North of Oak? Available options:\nA. 0\nB. 2\nC. 1\nD. 3.'
    const kinds = ['A', 'B', 'C', 'D'].map((l) => checkSpatialAnswer(readSpatialMap(told), `\\boxed{${l}}`))
    expect(kinds.map((v) => v.kind)).toEqual(['fail', 'pass', 'fail', 'fail'])
    expect(kinds[1]).toEqual({ kind: 'pass', complete: true })
  })
})
