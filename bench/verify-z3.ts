import type { Cell, Clue, Grid } from '../src/verify/zebra/index.ts'

/** A zebra puzzle and some assignments as SMT-LIB: an integer house for each value, all different within a feature. */
export function smtScript(grid: Grid, cells: readonly Cell[]): string {
  const name = (x: { feature: number; value: number }): string => `v${x.feature}_${x.value}`
  const lines: string[] = []
  for (let feature = 0; feature < grid.features; feature++) {
    const names = Array.from({ length: grid.houses }, (_, value) => name({ feature, value }))
    for (const v of names) lines.push(`(declare-const ${v} Int)(assert (and (<= 1 ${v}) (<= ${v} ${grid.houses})))`)
    if (names.length > 1) lines.push(`(assert (distinct ${names.join(' ')}))`)
  }
  for (const clue of grid.clues) lines.push(`(assert ${formula(clue, grid.houses, name)})`)
  for (const c of cells) lines.push(`(assert (= ${name(c)} ${c.house + 1}))`)
  return `${lines.join('\n')}\n(check-sat)\n`
}

function formula(clue: Clue, houses: number, name: (x: Clue['a']) => string): string {
  const a = name(clue.a)
  if (clue.kind === 'in') {
    const places = Array.from({ length: houses }, (_, i) => i).filter((i) => (clue.houses >> i) & 1)
    return `(or ${places.map((i) => `(= ${a} ${i + 1})`).join(' ')})`
  }
  const b = name(clue.b)
  switch (clue.kind) {
    case 'same':
      return `(= ${a} ${b})`
    case 'differ':
      return `(not (= ${a} ${b}))`
    case 'left':
      return `(< ${a} ${b})`
    case 'offset':
      return `(= (+ ${a} ${clue.by}) ${b})`
    case 'apart':
      return `(or (= (+ ${a} ${clue.by}) ${b}) (= (+ ${b} ${clue.by}) ${a}))`
    default:
      return clue satisfies never
  }
}
