/** A table as data, and its two printed forms. It knows nothing of what the cells mean. */
export interface Cell {
  readonly text: string
  readonly bold?: boolean
  readonly underline?: boolean
}

export interface Table {
  readonly id: string
  readonly caption: string
  /** header rows; a cell that repeats its left neighbour is one cell over several columns in LaTeX */
  readonly head: readonly (readonly string[])[]
  readonly rows: readonly (readonly (Cell | string)[])[]
}

const cellOf = (cell: Cell | string): Cell => (typeof cell === 'string' ? { text: cell } : cell)

/** GitHub's dialect. It has one header row, so several are joined: `nano CoT`. */
export function toMarkdown(table: Table): string {
  const names = table.head[0]!.map((_, i) => distinct(table.head.map((row) => row[i]!)).join(' '))
  const lines = [names, names.map((_, i) => (i < 2 && !/\d/.test(String(names[i])) ? ':--' : '--:'))]
  const body = table.rows.map((row) =>
    row.map((raw) => {
      const cell = cellOf(raw)
      const text = cell.text.replaceAll('|', '\\|')
      const marked = cell.underline && text !== '' ? `<u>${text}</u>` : text
      return cell.bold && text !== '' ? `**${marked}**` : marked
    }),
  )
  return [...lines, ...body].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

function distinct(texts: readonly string[]): string[] {
  return texts.filter((text, i) => text !== '' && text !== texts[i - 1])
}

export function toLatex(table: Table): string {
  const width = table.head[0]!.length
  const head = table.head.map((row, level) => latexHead(row, level < table.head.length - 1))
  const body = table.rows.map((row) =>
    row
      .map((raw) => {
        const cell = cellOf(raw)
        const text = escapeLatex(cell.text)
        const marked = cell.underline ? `\\underline{${text}}` : text
        return cell.bold ? `\\textbf{${marked}}` : marked
      })
      .join(' & '),
  )
  return [
    '\\begin{table}[t]',
    '\\centering',
    `\\caption{${escapeLatex(table.caption)}}`,
    `\\label{tab:${table.id}}`,
    `\\begin{tabular}{ll${'r'.repeat(Math.max(0, width - 2))}}`.replace('{ll}', `{${'l'.repeat(width)}}`),
    '\\toprule',
    ...head.map((line) => `${line} \\\\`),
    '\\midrule',
    ...body.map((line) => `${line} \\\\`),
    '\\bottomrule',
    '\\end{tabular}',
    '\\end{table}',
  ].join('\n')
}

function latexHead(row: readonly string[], merge: boolean): string {
  const out: string[] = []
  for (let i = 0; i < row.length; ) {
    let span = 1
    while (merge && row[i] !== '' && row[i + span] === row[i]) span++
    const text = escapeLatex(row[i]!)
    out.push(span > 1 ? `\\multicolumn{${span}}{c}{${text}}` : text)
    i += span
  }
  return out.join(' & ')
}

const symbols: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '%': '\\%',
  '&': '\\&',
  _: '\\_',
  '#': '\\#',
  $: '\\$',
  '{': '\\{',
  '}': '\\}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  '↑': '$\\uparrow$',
  '↓': '$\\downarrow$',
  '×': '$\\times$',
  α: '$\\alpha$',
  Ψ: '$\\Psi$',
  '±': '$\\pm$',
  '–': '--',
}

export function escapeLatex(text: string): string {
  return text.replace(/[\\%&_#${}~^↑↓×αΨ±–]/g, (c) => symbols[c]!)
}
