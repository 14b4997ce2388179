import type { PageData } from '../page-data.ts'
import type { Pick } from './charts.ts'

/** The drawer at the side: a list of runs, and one run's facts, text and log. */
const shown = 500

function add<K extends keyof HTMLElementTagNameMap>(
  parent: Element,
  tag: K,
  text = '',
  className = '',
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag)
  made.textContent = text
  made.className = className
  parent.append(made)
  return made
}

function clear(): HTMLElement {
  const panel = document.getElementById('panel')!
  panel.replaceChildren()
  panel.hidden = false
  panel.scrollTop = 0
  add(panel, 'button', 'Close').onclick = () => {
    panel.hidden = true
  }
  return panel
}

const word = (correct: number | undefined): string => (correct === 1 ? 'right' : correct === 0 ? 'wrong' : 'undecided')

export function openPanel(data: PageData, indices: readonly number[], pick: Pick): void {
  if (indices.length === 1 && pick.index !== undefined) {
    openRun(data, indices[0]!)
    return
  }
  const panel = clear()
  const flip = pick.flip ? `, ${pick.flip} against cot` : ''
  add(panel, 'h2', `${pick.task} · ${pick.method}${flip}`)
  add(panel, 'p', `${indices.length} runs${indices.length > shown ? `, the first ${shown} shown` : ''}`)
  const table = add(panel, 'table')
  const head = add(add(table, 'thead'), 'tr')
  for (const name of ['instance', 'seed', '', 'tokens']) add(head, 'th', name)
  const body = add(table, 'tbody')
  for (const i of indices.slice(0, shown)) {
    const row = add(body, 'tr')
    add(row, 'td', data.instances[data.runs.instance[i]!]!.slice(0, 40))
    add(row, 'td', String(data.runs.seed[i]))
    add(row, 'td', word(data.runs.correct[i]), word(data.runs.correct[i]))
    add(row, 'td', String(data.runs.tokens[i]))
    row.onclick = () => openRun(data, i)
  }
}

function openRun(data: PageData, i: number): void {
  const panel = clear()
  const { runs, logs } = data
  panel.dataset.run = String(i)
  add(panel, 'h2', `${data.tasks[runs.task[i]!]} · ${data.methods[runs.method[i]!]}`)
  add(panel, 'p', `${data.instances[runs.instance[i]!]}, seed ${runs.seed[i]}`)
  const facts = add(panel, 'p')
  add(facts, 'b', word(runs.correct[i]), word(runs.correct[i]))
  facts.append(`, ${data.statuses[runs.status[i]!]}, ${runs.tokens[i]} tokens, answer `)
  add(facts, 'code', runs.answer[i] ?? 'none')
  if (logs) {
    const path = `${logs.dirs[logs.dir[i]!]}${logs.file[i]}`
    const line = add(panel, 'p')
    add(line, 'a', 'log').href = path.split('/').map(encodeURIComponent).join('/')
    line.append(' · in a terminal: ')
    add(line, 'code', `rein replay ${path}`)
  }
  const text = data.transcripts[i]
  if (!text) return
  const pre = add(panel, 'pre')
  for (const piece of text) add(pre, 'span', piece.text, `${piece.by}${piece.struck ? ' struck' : ''}`)
}
