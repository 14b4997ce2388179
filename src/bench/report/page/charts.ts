import { BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart } from 'echarts/charts'
import {
  DataZoomComponent,
  GridComponent,
  LegendComponent,
  TitleComponent,
  TooltipComponent,
  VisualMapComponent,
} from 'echarts/components'
import * as echarts from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'
import type { SummaryRow } from '../../summary.ts'
import type { Sweep } from '../../sweeps.ts'
import type { PageData } from '../page-data.ts'

echarts.use([BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart, CanvasRenderer])
echarts.use([DataZoomComponent, GridComponent, LegendComponent, TitleComponent, TooltipComponent, VisualMapComponent])

/** What a click means: a cell, the flipped runs of one, or one run. */
export interface Pick {
  readonly task?: string
  readonly method?: string
  readonly flip?: 'gained' | 'lost'
  readonly index?: number
}

type Open = (pick: Pick) => void
// biome-ignore lint/suspicious/noExplicitAny: ECharts' own option type is a union too large to help here
type Option = any

const percent = (share: number): number => Math.round(share * 1000) / 10
const dark = matchMedia('(prefers-color-scheme: dark)').matches

function chart(box: HTMLElement, title: string, option: Option, onClick: (params: Option) => void): void {
  const made = echarts.getInstanceByDom(box) ?? echarts.init(box, dark ? 'dark' : undefined)
  made.setOption(
    {
      backgroundColor: 'transparent',
      animation: false,
      title: { text: title, textStyle: { fontSize: 13 }, left: 8, top: 6 },
      grid: { left: 56, right: 24, top: 64, bottom: 46 },
      tooltip: { confine: true },
      legend: { top: 28, type: 'scroll' },
      ...option,
    },
    true,
  )
  made.off('click')
  made.on('click', onClick)
  new ResizeObserver(() => made.resize()).observe(box)
}

const axis = (name: string, more: object = {}): Option => ({
  name,
  nameLocation: 'middle',
  nameGap: 30,
  scale: true,
  ...more,
})

/** A vertical line from the interval's lower to its upper end at each point. */
function errorBars(points: readonly { x: number; lo: number; hi: number }[], color: string): Option {
  return {
    type: 'custom',
    silent: true,
    z: 1,
    data: points.map(({ x, lo, hi }) => [x, lo, hi]),
    encode: { x: 0, y: [1, 2] },
    tooltip: { show: false },
    renderItem: (_: unknown, api: Option) => {
      const [a, b] = [api.coord([api.value(0), api.value(1)]), api.coord([api.value(0), api.value(2)])]
      return {
        type: 'line',
        shape: { x1: a[0], y1: a[1], x2: b[0], y2: b[1] },
        style: { stroke: color, lineWidth: 1, opacity: 0.55 },
      }
    },
  }
}

/** One task, or all of them with %tokens on the axis (`task` undefined); the front is joined by a line. */
export function drawPareto(box: HTMLElement, rows: readonly SummaryRow[], task: string | undefined, open: Open): void {
  const x = (row: SummaryRow): number => Math.round(10 * (task === undefined ? row.tokensPct! : row.tokens)) / 10
  const groups = grouped(rows, task)
  const front = rows.filter((row) => row.pareto).sort((a, b) => x(a) - x(b))
  const series: Option[] = [...groups].map(([name, cells]) => ({
    name,
    type: 'scatter',
    data: cells.map((row) => ({
      value: [x(row), percent(row.accuracy)],
      row,
      symbolSize: 9 + 9 * (row.paretoProbability ?? 0),
      itemStyle: row.pareto ? {} : { opacity: 0.45 },
    })),
  }))
  series.push(
    errorBars(
      rows.map((row) => ({ x: x(row), lo: percent(row.ci[0]), hi: percent(row.ci[1]) })),
      '#888',
    ),
  )
  if (task !== undefined)
    series.push({
      type: 'line',
      data: front.map((row) => [x(row), percent(row.accuracy)]),
      silent: true,
      symbol: 'none',
      step: 'end',
      lineStyle: { type: 'dashed', color: '#888' },
      tooltip: { show: false },
    })
  const option = {
    xAxis: axis(task === undefined ? '% tokens of cot' : 'tokens a run'),
    yAxis: axis('accuracy %'),
    series,
    tooltip: { confine: true, formatter: ({ data }: Option) => (data?.row ? describe(data.row) : '') },
  }
  chart(
    box,
    task ?? 'all tasks',
    option,
    ({ data }) => data?.row && open({ task: data.row.task, method: data.row.method }),
  )
}

function grouped(rows: readonly SummaryRow[], task: string | undefined): Map<string, SummaryRow[]> {
  const out = new Map<string, SummaryRow[]>()
  for (const row of rows) {
    const name = task === undefined ? row.task : row.method
    out.set(name, [...(out.get(name) ?? []), row])
  }
  return out
}

const escapeHtml = (text: string): string => text.replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`)

function describe(row: SummaryRow): string {
  const p = row.paretoProbability
  const front = p === null ? '' : `<br>on the front in ${percent(p)}% of resamples`
  const share = row.tokensPct === null ? '' : ` (${row.tokensPct.toFixed(1)}% of cot)`
  return `<b>${escapeHtml(row.task)} · ${escapeHtml(row.method)}</b><br>${percent(row.accuracy)}% [${percent(row.ci[0])}, ${percent(row.ci[1])}], n ${row.n}<br>${row.tokens.toFixed(0)} tokens${share}${front}`
}

export function drawSweep(box: HTMLElement, sweep: Sweep, open: Open): void {
  const title = `${sweep.method} on ${sweep.task}`
  const onClick = ({ data }: Option): void => data?.spec && open({ task: sweep.task, method: data.spec })
  if (sweep.axes.length === 2) {
    drawGrid(box, sweep, title, onClick)
    return
  }
  const names = sweep.points.map((point) => String(point.values[0]))
  const pct = sweep.points.every((point) => point.tokensPct !== null)
  const option = {
    tooltip: { trigger: 'axis', confine: true },
    xAxis: { type: 'category', data: names, ...axis(sweep.axes[0]!) },
    yAxis: [axis('accuracy %'), axis(pct ? '% tokens of cot' : 'tokens', { splitLine: { show: false } })],
    grid: { left: 56, right: 60, top: 64, bottom: 46 },
    series: [
      {
        name: 'accuracy',
        type: 'line',
        data: sweep.points.map((p) => ({ value: percent(p.accuracy), spec: p.spec })),
        symbolSize: 9,
      },
      {
        name: 'tokens',
        type: 'line',
        yAxisIndex: 1,
        data: sweep.points.map((p) => ({ value: Math.round(10 * (pct ? p.tokensPct! : p.tokens)) / 10, spec: p.spec })),
        symbolSize: 9,
        lineStyle: { type: 'dashed' },
      },
      errorBars(
        sweep.points.map((p, i) => ({ x: i, lo: percent(p.ci[0]), hi: percent(p.ci[1]) })),
        '#888',
      ),
    ],
  }
  chart(box, title, option, onClick)
}

function drawGrid(box: HTMLElement, sweep: Sweep, title: string, onClick: (params: Option) => void): void {
  const values = (at: number): string[] =>
    [...new Set(sweep.points.map((p) => p.values[at]!))].sort((a, b) => Number(a) - Number(b)).map(String)
  const [ys, xs] = [values(0), values(1)]
  const data = sweep.points.map((p) => ({
    value: [xs.indexOf(String(p.values[1])), ys.indexOf(String(p.values[0])), percent(p.accuracy)],
    spec: p.spec,
  }))
  const shares = sweep.points.map((p) => percent(p.accuracy))
  const option = {
    legend: { show: false },
    xAxis: { type: 'category', data: xs, ...axis(sweep.axes[1]!) },
    yAxis: { type: 'category', data: ys, ...axis(sweep.axes[0]!) },
    visualMap: {
      min: Math.min(...shares),
      max: Math.max(...shares),
      calculable: true,
      orient: 'vertical',
      right: 0,
      top: 'middle',
      inRange: { color: ['#fde725', '#21918c', '#440154'].reverse() },
    },
    grid: { left: 56, right: 80, top: 40, bottom: 46 },
    series: [{ type: 'heatmap', data, label: { show: true } }],
  }
  chart(box, title, option, onClick)
}

export function drawSuccess(box: HTMLElement, rows: readonly SummaryRow[], task: string, open: Open): void {
  const series = rows.map((row) => ({
    name: row.method,
    type: 'line',
    symbolSize: 8,
    data: row.curve.map((p) => ({ value: [Math.round(p.x * 100) / 100, percent(p.accuracy)], row })),
  }))
  chart(
    box,
    task,
    { xAxis: axis('difficulty'), yAxis: axis('accuracy %', { min: 0, max: 100 }), series },
    ({ data }) => data?.row && open({ task, method: data.row.method }),
  )
}

export function drawFlips(box: HTMLElement, rows: readonly SummaryRow[], task: string, open: Open): void {
  const bar = (flip: 'gained' | 'lost', sign: 1 | -1, color: string): Option => ({
    name: flip,
    type: 'bar',
    stack: 'flips',
    itemStyle: { color },
    data: rows.map((row) => ({ value: sign * row.vsCot![flip], method: row.method, flip })),
  })
  const option = {
    xAxis: axis('runs', { scale: false }),
    yAxis: { type: 'category', data: rows.map((row) => row.method), axisLabel: { width: 120, overflow: 'truncate' } },
    grid: { left: 130, right: 24, top: 64, bottom: 46 },
    series: [bar('gained', 1, '#1a7f37'), bar('lost', -1, '#cf222e')],
  }
  chart(box, task, option, ({ data }) => data && open({ task, method: data.method, flip: data.flip }))
}

export function drawPurposes(box: HTMLElement, rows: readonly SummaryRow[], task: string, open: Open): void {
  const names = ['main', 'discarded', 'fork', 'compress', 'judge'] as const
  const series = names.map((name) => ({
    name,
    type: 'bar',
    stack: 'tokens',
    data: rows.map((row) => ({ value: Math.round(row.tokensBy[name]), method: row.method })),
  }))
  const option = {
    tooltip: { trigger: 'axis', confine: true },
    xAxis: axis('tokens a run', { scale: false }),
    yAxis: { type: 'category', data: rows.map((row) => row.method), axisLabel: { width: 120, overflow: 'truncate' } },
    grid: { left: 130, right: 24, top: 64, bottom: 46 },
    series,
  }
  chart(box, task, option, ({ data }) => data && open({ task, method: data.method }))
}

/** Every run of a cell as a point. */
export function drawRuns(box: HTMLElement, data: PageData, indices: readonly number[], open: Open): void {
  const { runs } = data
  const byDifficulty = indices.some((i) => runs.difficulty[i] !== null)
  const kinds = [
    ['right', 1, '#1a7f37'],
    ['wrong', 0, '#cf222e'],
    ['undecided', -1, '#888'],
  ] as const
  const series = kinds.map(([name, code, color]) => ({
    name,
    type: 'scatter',
    symbolSize: 7,
    itemStyle: { color, opacity: 0.6 },
    data: indices
      .filter((i) => runs.correct[i] === code)
      .map((i) => ({ value: [byDifficulty ? runs.difficulty[i] : runs.instance[i], runs.tokens[i]], index: i })),
  }))
  const option = {
    xAxis: axis(byDifficulty ? 'difficulty' : 'instance'),
    yAxis: axis('tokens'),
    dataZoom: [{ type: 'inside' }],
    tooltip: {
      confine: true,
      formatter: ({ data: point }: Option) =>
        point ? `${escapeHtml(data.instances[runs.instance[point.index]!]!)}, seed ${runs.seed[point.index]}` : '',
    },
    series,
  }
  chart(box, '', option, ({ data: point }) => point && open({ index: point.index }))
}
