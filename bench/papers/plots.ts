import * as echarts from 'echarts'
import type { Summary, SummaryRow } from '../../src/bench/index.ts'
import { shortName } from '../../src/bench/index.ts'

/** The figures as SVG, drawn without a browser. */
type Option = echarts.EChartsOption

const percent = (x: number): number => Math.round(1000 * x) / 10
const axis = (name: string, more: object = {}): object => ({
  name,
  nameLocation: 'middle',
  nameGap: 32,
  scale: true,
  ...more,
})

function svg(option: Option, width = 720, height = 440): string {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width, height })
  const base = {
    backgroundColor: '#fff',
    animation: false,
    grid: { left: 60, right: 30, top: 70, bottom: 50 },
    legend: { top: 34 },
  }
  chart.setOption({ ...base, ...option } as Option)
  const text = chart.renderToSVGString()
  chart.dispose()
  return text
}

/** interwhen, Figures 1b and 5: every task and method, %tokens against accuracy; what lies on its task's front is joined. */
export function paretoSvg(summary: Summary, methods: readonly string[]): string {
  const rows = summary.rows.filter((row) => row.tokensPct !== null && methods.includes(row.method))
  const tasks = [...new Set(rows.map((row) => row.task))]
  const series = tasks.map((task) => ({
    name: task,
    type: 'scatter' as const,
    symbolSize: 11,
    data: rows.filter((row) => row.task === task).map((row) => point(row)),
  }))
  const fronts = tasks.map((task) => ({
    name: task,
    type: 'line' as const,
    symbol: 'none',
    data: rows
      .filter((row) => row.task === task && row.pareto)
      .sort((a, b) => a.tokensPct! - b.tokensPct!)
      .map((row) => [row.tokensPct!, percent(row.accuracy)]),
  }))
  const title = {
    text: `Accuracy against tokens, ${summary.model}`,
    left: 'center',
    top: 6,
    textStyle: { fontSize: 14 },
  }
  return svg(
    {
      title,
      xAxis: axis('tokens, % of CoT', tokenRange(rows.map((row) => row.tokensPct!))),
      yAxis: axis('accuracy, %'),
      series: [...series, ...fronts],
    } as Option,
    900,
    560,
  )
}

/** Room for what is there: a logarithmic axis only where the costs are far apart. */
function tokenRange(costs: readonly number[]): object {
  const [least, most] = [Math.min(...costs), Math.max(...costs)]
  if (most > 4 * least) return { type: 'log' }
  return { min: Math.floor(least / 5) * 5 - 5, max: Math.ceil(most / 5) * 5 + 10 }
}

function point(row: SummaryRow): object {
  const label = { show: true, formatter: shortName(row.method), position: 'right', fontSize: 9 }
  return {
    value: [Math.round(10 * row.tokensPct!) / 10, percent(row.accuracy)],
    label,
    itemStyle: { opacity: row.pareto ? 1 : 0.4 },
  }
}

/** interwhen, Figures 3 and 4: accuracy against the tokens left, a line a method; the dashed line is CoT. */
export function stoppingSvg(summary: Summary, task: string): string {
  const base = summary.rows.find((row) => row.task === task && row.method === 'cot')
  const series = summary.sweeps
    .filter((sweep) => sweep.task === task && sweep.axes.length === 1)
    .map((sweep) => ({
      name: shortName(sweep.method),
      type: 'line' as const,
      symbolSize: 8,
      data: [...sweep.points]
        .sort((a, b) => a.tokens - b.tokens)
        .map((p) => ({
          value: [Math.round(p.tokensPct ?? 0), percent(p.accuracy)],
          label: { show: true, formatter: String(p.values[0]), fontSize: 9, position: 'top' as const },
        })),
      ...(base && {
        markLine: {
          silent: true,
          symbol: 'none',
          lineStyle: { type: 'dashed' as const },
          data: [{ yAxis: percent(base.accuracy) }],
        },
      }),
    }))
  const title = {
    text: `Early stopping, ${task}, ${summary.model}`,
    left: 'center',
    top: 6,
    textStyle: { fontSize: 14 },
  }
  return svg({ title, xAxis: axis('tokens, % of CoT'), yAxis: axis('accuracy, %'), series } as Option)
}

/** Halo, Figures 1, 6 and 7: success against the number of steps, a line a method. */
export function lengthSvg(summary: Summary, task: string, marks: readonly { name: string; x: number }[]): string {
  const rows = summary.rows.filter((row) => row.task === task && row.curve.length > 1)
  const series = rows.map((row, i) => ({
    name: shortName(row.method),
    type: 'line' as const,
    symbolSize: 7,
    data: row.curve.map((p) => [Math.round(10 * p.x) / 10, percent(p.accuracy)]),
    ...(i === 0 && {
      markLine: {
        silent: true,
        symbol: 'none',
        data: marks.map(({ name, x }) => ({ xAxis: x, label: { formatter: name } })),
      },
    }),
  }))
  const title = {
    text: `Success by length, ${task}, ${summary.model}`,
    left: 'center',
    top: 6,
    textStyle: { fontSize: 14 },
  }
  return svg({ title, xAxis: axis('steps'), yAxis: axis('success, %', { min: 0, max: 100 }), series } as Option)
}

/** Halo, Figure 1 (left): success against the number of votes. */
export function widthSvg(summary: Summary): string {
  const series = summary.sweeps.map((sweep) => {
    const k = sweep.axes.indexOf('k')
    return {
      name: sweep.task,
      type: 'line' as const,
      symbolSize: 8,
      data: sweep.points.map((p) => [Number(p.values[k]), percent(p.accuracy)]),
    }
  })
  const title = {
    text: `Success by width (votes), ${summary.model}`,
    left: 'center',
    top: 6,
    textStyle: { fontSize: 14 },
  }
  return svg({ title, xAxis: axis('samples k'), yAxis: axis('success, %'), series } as Option)
}
