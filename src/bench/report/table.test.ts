import { describe, expect, it } from 'vitest'
import type { MethodEntry } from '../plan.ts'
import type { Row } from '../row.ts'
import { type Summary, summarise } from '../summary.ts'
import {
  addedTable,
  earlyStopTable,
  gridTable,
  methodTable,
  shortName,
  successTable,
  sweepTable,
} from './paper-tables.ts'
import { toLatex, toMarkdown } from './table.ts'
import { tablesOf } from './tables.ts'

/** `right` of 10 runs right, each of `tokens` tokens. */
function cell(task: string, method: string, right: number, tokens: number): Row[] {
  return Array.from({ length: 10 }, (_, i) => ({
    task,
    method,
    instance: `i${i}`,
    seed: 1,
    status: 'unverified',
    correct: i < right,
    tokens,
    tokensBy: { main: tokens, discarded: 0, fork: 0, compress: 0, judge: 0 },
    answer: null,
  }))
}

const entry = (name: string, parameters: MethodEntry['parameters'] = {}, swept = false): MethodEntry => ({
  name,
  parameters,
  spec: `${name}${
    Object.keys(parameters).length > 0
      ? `:${Object.entries(parameters)
          .map(([k, v]) => `${k}=${v}`)
          .join(',')}`
      : ''
  }`,
  swept,
})

function summary(): Summary {
  const methods = [
    entry('cot'),
    entry('best-of-k', { k: 2 }),
    entry('interwhen'),
    entry('k-stable', { k: 2 }, true),
    entry('k-stable', { k: 3 }, true),
  ]
  const rows = ['maze', 'game24'].flatMap((task) => [
    ...cell(task, 'cot', 6, 100),
    ...cell(task, 'best-of-k:k=2', 9, 200),
    ...cell(task, 'interwhen', 8, 90),
    ...cell(task, 'k-stable:k=2', 5, 40),
    ...cell(task, 'k-stable:k=3', 6, 70),
  ])
  return summarise({ model: 'nano', date: '2026-01-01', methods, rows, timings: [] })
}

describe("the papers' tables", () => {
  it('interwhen 2: accuracy and %tokens, best underlined, best at most Bo2 bold', () => {
    const table = methodTable([summary()], ['cot', 'best-of-k:k=2', 'interwhen'])
    expect(table.head[1]).toEqual(['Dataset', 'Metric', 'CoT', 'Bo2', 'IW'])
    const [accuracy, tokens] = table.rows
    expect(accuracy!.slice(0, 2)).toEqual(['maze', 'Acc. (%) ↑'])
    expect(accuracy![3]).toMatchObject({ text: expect.stringMatching(/^90\.0 ±/), underline: true, bold: true })
    expect(accuracy![4]).toMatchObject({ underline: false, bold: false })
    expect(tokens!.slice(2)).toEqual(['100.0', '200.0', '90.0'])
  })

  it('interwhen 3: the gain in brackets', () => {
    expect(addedTable(summary(), 'cot', 'interwhen').rows[1]).toEqual(['', '+ IW', '80.0 (+20.0)', '90.0'])
  })

  it('interwhen 5: the most saved without losing accuracy', () => {
    const { rows } = earlyStopTable([summary()])
    expect(rows[0]).toEqual(['nano', 'Base', '60.0', '0.0', '60.0', '0.0'])
    // k = 2 saves more but loses accuracy
    expect(rows[1]!.slice(0, 4)).toEqual(['', 'k-stable', '60.0', { text: '30.0', bold: true }])
  })

  it('interwhen 6 to 8: every value', () => {
    const { rows } = sweepTable(summary())
    expect(rows.map((row) => row.slice(0, 2))).toEqual([
      ['Baseline', '0'],
      ['k-stable', '2'],
      ['', '3'],
    ])
    expect(rows[1]!.slice(2, 5)).toEqual(['50.0', '40.0', { text: '60.0', bold: false }])
  })

  it('Halo 2: success and overhead, best bold, second underlined', () => {
    const { rows } = successTable(summary(), ['cot', 'best-of-k:k=2', 'interwhen'])
    expect(rows[1]).toEqual(['Bo2', { text: '90.0', bold: true, underline: false }, '2.00', expect.anything(), '2.00'])
    expect(rows[2]![1]).toMatchObject({ text: '80.0', underline: true })
  })

  it('Halo 4: a grid', () => {
    const values = [
      [1, 2],
      [1, 4],
      [2, 2],
    ] as const
    const methods = values.map(([alpha, psi]) => entry('halo', { alpha, psi }, true))
    const rows = methods.flatMap((m, i) => cell('omni', m.spec, 5 + i, 10))
    const [sweep] = summarise({ model: 'nano', date: '', methods, rows, timings: [] }).sweeps
    const table = gridTable(sweep!, 'nano')
    expect(table.head).toEqual([['alpha', 'psi = 2', 'psi = 4']])
    expect(table.rows[1]).toEqual(['2', { text: '70.0', bold: true }, { text: '–' }])
  })

  it('names methods as the papers do', () => {
    expect(
      ['cot', 'best-of-k', 'best-of-k-critic:k=2', 'generate-test-critic', 'tot', 'interwhen', 'mine:x=1'].map(
        shortName,
      ),
    ).toEqual(['CoT', 'Bo4', 'Bo2-c', 'GT-c', 'ToT', 'IW', 'mine (x=1)'])
  })
})

describe('printed forms', () => {
  it('Markdown has one line a row and as many cells in each', () => {
    for (const table of tablesOf([summary()])) {
      const lines = toMarkdown(table).split('\n')
      expect(lines).toHaveLength(table.rows.length + 2)
      expect(new Set(lines.map((line) => line.split(' | ').length)).size).toBe(1)
    }
  })

  it('LaTeX escapes what it must and merges equal heads', () => {
    const latex = toLatex(methodTable([summary()], ['cot', 'interwhen']))
    expect(latex).toContain('\\multicolumn{2}{c}{nano}')
    expect(latex).toContain('Acc. (\\%) $\\uparrow$')
    expect(latex.split('\\begin{tabular}')[1]).toMatch(/^\{llrr\}/)
    expect(latex.match(/\\\\$/gm)).toHaveLength(2 + 4)
  })
})
