import { describe, expect, test } from 'vitest'
import { fakeEngine } from '../../test/fake-engine.ts'
import { steer } from '../steer/steer.ts'
import { everyLines, finalAnswer } from '../steer/trigger.ts'
import { fail, pass } from '../steer/verdict.ts'
import { terminal } from './terminal.ts'

/** Just enough of a terminal: cursor up and right, clear below, colours; remembers which cells are struck out. */
function emulator(columns: number) {
  const rows: { char: string; struck: boolean }[][] = [[]]
  let row = 0
  let column = 0
  let struck = false
  const put = (char: string): void => {
    if (column === columns) {
      row++
      column = 0
    }
    rows[row] ??= []
    rows[row]![column++] = { char, struck }
  }
  const write = (text: string): void => {
    for (let i = 0; i < text.length; i++) {
      const csi = /^\x1b\[(\d*)([ACJm])/.exec(text.slice(i))
      if (csi) {
        const n = Number(csi[1] || 0)
        if (csi[2] === 'A') row -= n
        if (csi[2] === 'C') column += n
        if (csi[2] === 'J') {
          rows.length = row + 1
          rows[row]!.length = Math.min(rows[row]!.length, column)
        }
        if (csi[2] === 'm') struck = n === 9 ? true : n === 29 || n === 0 ? false : struck
        i += csi[0].length - 1
      } else if (text[i] === '\r') column = 0
      else if (text[i] === '\n') {
        row++
        column = 0
        rows[row] ??= []
      } else put(text[i]!)
    }
  }
  return {
    write,
    text: () =>
      rows.map((cells) =>
        Array.from(cells, (cell) => cell?.char ?? ' ')
          .join('')
          .trimEnd(),
      ),
    struck: () => rows.flatMap((cells) => cells.filter((cell) => cell?.struck).map((cell) => cell.char)).join(''),
  }
}

async function shown(columns: number, tty: boolean): Promise<ReturnType<typeof emulator>> {
  const screen = emulator(columns)
  const draw = terminal({ write: screen.write, color: tty, ...(tty && { size: { columns, rows: 40 } }) })
  const engine = fakeEngine({
    script: [
      { after: '<think>\n', text: 'four and four is nine\nso nine it is\n' },
      { after: 'Not nine.\n', text: 'eight\n</think>\n\n8' },
    ],
    delay: () => 1,
  })
  const judge = {
    name: 'thinking',
    when: everyLines(2),
    extract: (text: string) => text,
    show: () => 'read',
    verify: (text: string) => (text.includes('Not') ? pass() : fail('Not nine.')),
    intervene: (v: { kind: string }) =>
      v.kind === 'fail'
        ? ({ kind: 'rollback', feedback: 'Not nine.', voice: 'model' } as const)
        : ({ kind: 'continue' } as const),
  }
  const slow = {
    ...judge,
    verify: async (text: string) => {
      await new Promise((r) => setTimeout(r, 12))
      return judge.verify(text)
    },
    when: everyLines(1),
  }
  const final = { ...judge, name: 'final', when: finalAnswer(), verify: () => pass(true) }
  for await (const event of steer(engine, 'Q', [slow, final])) draw(event)
  return screen
}

describe('the terminal', () => {
  test.each([200, 30, 12])('strikes withdrawn text out where it stands, %d columns wide', async (columns) => {
    const screen = await shown(columns, true)
    const text = screen.text().join('')
    expect(screen.struck().replace(/\s/g, '')).toMatch(/^so/)
    expect(text.match(/four and/g)).toHaveLength(1)
    expect(text.replace(/\s+/g, '')).toMatch(/Notnine\..*eight.*VERIFIED/)
  })

  test('a pipe gets plain text with a note of what was withdrawn', async () => {
    const lines = (await shown(200, false)).text()
    expect(lines.some((line) => line.includes('withdrawn: "so'))).toBe(true)
    expect(lines.join('\n')).not.toContain('\x1b')
    expect(lines.at(-2)).toMatch(/VERIFIED: passed final · tokens: main \d+, discarded \d+/)
  })
})
