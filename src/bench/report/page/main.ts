import type { PageData } from '../page-data.ts'
import { drawFlips, drawPareto, drawPurposes, drawRuns, drawSuccess, drawSweep, type Pick } from './charts.ts'
import { openPanel } from './panel.ts'

/** report.html's script: reads the data beside it, draws the sections, and opens the runs behind every point. */
const data = JSON.parse(document.getElementById('data')!.textContent!) as PageData
const main = document.getElementById('main')!

function element<K extends keyof HTMLElementTagNameMap>(
  parent: Element,
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
): HTMLElementTagNameMap[K] {
  const made = Object.assign(document.createElement(tag), properties)
  parent.append(made)
  return made
}

function section(title: string, note: string): HTMLElement {
  element(main, 'h2', { textContent: title })
  element(main, 'p', { textContent: note })
  return element(main, 'div', { className: 'plots' })
}

const plot = (parent: Element): HTMLElement => element(parent, 'div', { className: 'plot' })

/** The runs of a cell, or those of it that flipped against cot. */
function runsOf({ task, method, flip, index }: Pick): number[] {
  if (index !== undefined) return [index]
  const { runs } = data
  const [t, m] = [data.tasks.indexOf(task!), data.methods.indexOf(method!)]
  const cell = (which: number): number[] =>
    runs.task.flatMap((x, i) => (x === t && runs.method[i] === which ? [i] : []))
  const mine = cell(m)
  if (flip === undefined) return mine
  const key = (i: number): string => `${runs.instance[i]}/${runs.seed[i]}`
  const before = new Map(cell(data.methods.indexOf('cot')).map((i) => [key(i), runs.correct[i]]))
  return mine.filter(
    (i) => runs.correct[i] === (flip === 'gained' ? 1 : 0) && before.get(key(i)) === (flip === 'gained' ? 0 : 1),
  )
}

const open = (pick: Pick): void => openPanel(data, runsOf(pick), pick)

function summaryTable(): void {
  const box = element(main, 'div', { className: 'scroll' })
  const table = element(box, 'table', { id: 'summary' })
  const head = element(element(table, 'thead'), 'tr')
  const names = [
    'task',
    'method',
    'n',
    'accuracy',
    '95% CI',
    'tokens',
    '% of cot',
    'gained',
    'lost',
    'McNemar p',
    'p50 s',
    'p95 s',
    'verifier precision',
    'P(front)',
  ]
  for (const name of names) element(head, 'th', { textContent: name })
  const body = element(table, 'tbody')
  const f = (x: number | null | undefined, digits: number, scale = 1): string =>
    x == null ? '–' : (x * scale).toFixed(digits)
  for (const row of data.summary.rows) {
    const tr = element(body, 'tr', { className: row.pareto ? 'front' : '' })
    const cells = [
      row.task,
      row.method,
      String(row.n),
      row.graded === 0 ? '–' : `${f(row.accuracy, 1, 100)}%`,
      `${f(row.ci[0], 1, 100)}–${f(row.ci[1], 1, 100)}`,
      f(row.tokens, 0),
      f(row.tokensPct, 1),
      String(row.vsCot?.gained ?? '–'),
      String(row.vsCot?.lost ?? '–'),
      row.vsCot ? row.vsCot.mcnemar.toPrecision(2) : '–',
      f(row.latencyMs?.p50, 2, 0.001),
      f(row.latencyMs?.p95, 2, 0.001),
      f(row.verifier?.precision, 3),
      f(row.paretoProbability, 2),
    ]
    for (const text of cells) element(tr, 'td', { textContent: text })
    tr.onclick = () => open({ task: row.task, method: row.method })
  }
}

function runsSection(): void {
  const box = section(
    'Every run',
    'One point a run: tokens against difficulty (or the instance’s number). Click a point to open its run.',
  )
  const bar = element(main, 'p')
  main.insertBefore(bar, box)
  const chosen = (names: readonly string[], id: string): HTMLSelectElement => {
    const select = element(bar, 'select', { id })
    for (const name of names) element(select, 'option', { textContent: name })
    return select
  }
  const [task, method] = [chosen(data.tasks, 'pick-task'), chosen(data.methods, 'pick-method')]
  const area = plot(box)
  area.id = 'runs'
  area.style.gridColumn = '1 / -1'
  const draw = (): void => drawRuns(area, data, runsOf({ task: task.value, method: method.value }), open)
  task.onchange = draw
  method.onchange = draw
  draw()
}

function start(): void {
  const { summary, tasks } = data
  document.getElementById('about')!.textContent =
    `${summary.runs.toLocaleString('en')} runs on ${summary.model}, ${summary.date.slice(0, 10)}. Bars are 95% Wilson intervals; bold rows lie on the Pareto front. Click anything to see its runs.`
  summaryTable()
  const pareto = section(
    'Accuracy against tokens',
    'Filled points lie on the Pareto front; their size is how sure that is (share of resamples).',
  )
  for (const task of tasks)
    drawPareto(
      plot(pareto),
      summary.rows.filter((row) => row.task === task),
      task,
      open,
    )
  if (tasks.length > 1)
    drawPareto(
      plot(pareto),
      summary.rows.filter((row) => row.tokensPct !== null),
      undefined,
      open,
    )
  if (summary.sweeps.length > 0) {
    const sweeps = section('Sweeps', 'One parameter: a curve. Two: a grid.')
    for (const sweep of summary.sweeps) if (sweep.axes.length <= 2) drawSweep(plot(sweeps), sweep, open)
  }
  const measured = tasks.filter((task) => summary.rows.some((row) => row.task === task && row.curve.length > 1))
  if (measured.length > 0) {
    const success = section(
      'Success by length',
      'Accuracy against the instances’ difficulty (steps, houses × features …).',
    )
    for (const task of measured)
      drawSuccess(
        plot(success),
        summary.rows.filter((row) => row.task === task),
        task,
        open,
      )
  }
  if (summary.rows.some((row) => row.vsCot)) {
    const flips = section('Flips', 'Against cot on the same instances: wrong made right, and right made wrong.')
    for (const task of tasks)
      drawFlips(
        plot(flips),
        summary.rows.filter((row) => row.task === task && row.vsCot),
        task,
        open,
      )
  }
  const purposes = section('Tokens by purpose', 'Mean a run.')
  for (const task of tasks)
    drawPurposes(
      plot(purposes),
      summary.rows.filter((row) => row.task === task),
      task,
      open,
    )
  runsSection()
  document.body.dataset.ready = 'true'
}

start()
