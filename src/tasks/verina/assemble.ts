/**
 * Builds the Lean file that is checked: the row's own text around its sections, the model's blocks in their places, our
 * test values before anything the model wrote (so that no instance or definition of its can alter them) and our
 * questions after it. Remembers which lines are whose.
 */
import { tokens } from '../../verify/lean/tokens.ts'
import type { Blocks, Tag } from './blocks.ts'
import { splitBody } from './body.ts'
import type { VerinaRow } from './row.ts'

export interface LeanFile {
  readonly text: string
  /** the lines (from 1) that the model wrote */
  readonly ours: readonly Span[]
  /** our questions by the line on which Lean will answer */
  readonly probes: ReadonlyMap<number, Probe>
}

export interface Span {
  readonly tag: Tag
  readonly from: number
  readonly to: number
  /** the file's line minus this is the line of the model's own block */
  readonly shift: number
}

/**
 * `axioms`: what a definition rests on. `is`: an expression that must come out true or false. `proved`: the same,
 * to be proved or refuted. `refuted`: a proof that must not succeed.
 */
export type Probe =
  | { readonly kind: 'axioms'; readonly of: string }
  | { readonly kind: 'is'; readonly wanted: boolean; readonly name: string }
  | { readonly kind: 'proved'; readonly wanted: boolean; readonly name: string }
  | { readonly kind: 'refuted' }

export interface Question {
  /** none for a line that only prepares what follows */
  readonly probe?: Probe
  /** one line */
  readonly lean: string
}

export interface Tests {
  /** definitions that stand before the model's text */
  readonly values: readonly string[]
  /** the kind of section that encloses the model's text: its variables, openings and local instances end with it */
  readonly section?: string
  /** helpers that stand after it */
  readonly tools: readonly string[]
  readonly questions: readonly Question[]
}

const none: Tests = { values: [], tools: [], questions: [] }

interface Piece {
  readonly section?: string
  readonly text: string
}

/** The file in order: sections by name, and what stands between them. */
export function pieces(lean: string): Piece[] {
  const out: Piece[] = []
  const marker = /^[ \t]*-- !benchmark @start (\w+)[^\n]*\n([\s\S]*?)^[ \t]*-- !benchmark @end \1[^\n]*\n?/gm
  let at = 0
  for (const m of lean.matchAll(marker)) {
    out.push({ text: lean.slice(at, m.index) }, { section: m[1]!, text: m[2]! })
    at = m.index + m[0].length
  }
  out.push({ text: lean.slice(at) })
  return out
}

/** The names that a stretch of Lean defines at its top level. */
export function definedNames(lean: string): string[] {
  const all = tokens(lean)
  const keywords = new Set(['def', 'abbrev', 'theorem', 'lemma', 'structure', 'inductive', 'class', 'instance'])
  return all.flatMap((t, i) =>
    keywords.has(t.text) && /^[\p{L}_]/u.test(all[i + 1]?.text ?? '') ? [all[i + 1]!.text] : [],
  )
}

/** The row's helpers, if the text uses one of their names and does not define it itself. */
export function helpersFor(aux: string, text: string): string {
  if (aux.trim() === '') return ''
  const own = new Set(definedNames(text))
  const used = new Set(tokens(text).flatMap((t) => [t.text, t.text.split('.')[0]!]))
  const names = definedNames(aux)
  return names.some((n) => used.has(n) && !own.has(n)) && !names.some((n) => own.has(n)) ? aux : ''
}

/** The file for an answer to the code task: everything up to the function, with the model's body in it. */
export function codeFile(row: VerinaRow, answer: Blocks, tests: Tests = none): LeanFile {
  const { aux, body } = splitBody(answer.CODE ?? '', row.name, argumentsOf(row))
  const written = [answer.CODE_AUX ?? '', aux].filter((t) => t !== '').join('\n\n')
  const given = `${row.sections.precond_aux ?? ''}\n${row.sections.precond ?? ''}\n${written}\n${body}`
  const file = builder()
  for (const piece of pieces(row.lean)) {
    if (piece.section === 'import') file.add(piece.text)
    else if (piece.section === 'solution_aux') {
      file.add(helpersFor(piece.text, given))
      file.begin(tests)
    } else if (piece.section === 'code_aux') file.add(written, 'CODE_AUX')
    else if (piece.section === 'code') {
      file.continueWith(body, 'CODE')
      break
    } else file.add(piece.text)
  }
  return file.close([{ probe: { kind: 'axioms', of: row.name }, lean: `#print axioms ${row.name}` }], tests)
}

/** The file for an answer to the spec task: the two conditions with the model's text in them, without the function. */
export function specFile(row: VerinaRow, answer: Blocks, tests: Tests = none): LeanFile {
  const text = Object.values(answer).join('\n')
  const file = builder()
  const skipped = new Set(['solution_aux', 'code_aux', 'code'])
  let inCode = false
  for (const piece of pieces(row.lean)) {
    if (piece.section === 'solution_aux') {
      file.add(helpersFor(`${piece.text}\n${row.sections.code_aux ?? ''}`, text))
      file.begin(tests)
    }
    if (piece.section === 'code_aux') inCode = true
    else if (piece.section === 'code') inCode = false
    else if (piece.section === 'precond_aux') file.add(answer.PRECOND_AUX ?? '', 'PRECOND_AUX')
    else if (piece.section === 'postcond_aux') file.add(answer.POSTCOND_AUX ?? '', 'POSTCOND_AUX')
    else if (piece.section === 'precond') file.continueWith(`\n${answer.PRECOND ?? ''}`, 'PRECOND')
    else if (piece.section === 'postcond') {
      file.continueWith(`\n${answer.POSTCOND ?? ''}`, 'POSTCOND')
      break
    } else if (!inCode && !skipped.has(piece.section ?? '')) file.add(piece.text)
  }
  const names = [`${row.name}_precond`, `${row.name}_postcond`]
  return file.close(
    names.map((of) => ({ probe: { kind: 'axioms', of }, lean: `#print axioms ${of}` })),
    tests,
  )
}

/** What the function takes: the row's parameters and the proof of the precondition, by the name that the row gives it. */
function argumentsOf(row: VerinaRow): string[] {
  const proof = new RegExp(`\\((\\w+)\\s*:\\s*${row.name}_precond\\b`).exec(row.lean)?.[1]
  return [...row.parameters.map((p) => p.name), ...(proof === undefined ? [] : [proof])]
}

/** A name that the scan refuses in an answer, so that no answer can close the section itself. */
const sectionName = 'rein_answer'

function builder() {
  const lines: string[] = []
  const ours: Span[] = []
  const own = (tag: Tag | undefined, from: number, shift: number): void => {
    if (tag) ours.push({ tag, from, to: lines.length, shift })
  }
  return {
    /** what is fixed before the model's text, and the section in which that text is read */
    begin(tests: Tests): void {
      this.add(tests.values.join('\n'))
      if (tests.section) this.add(`${tests.section} ${sectionName}`)
    },
    add(text: string, tag?: Tag): void {
      const trimmed = text.replace(/^\s*\n/, '').trimEnd()
      if (trimmed === '') return
      lines.push('')
      lines.push(...trimmed.split('\n'))
      own(tag, lines.length - trimmed.split('\n').length + 1, lines.length - trimmed.split('\n').length)
    },
    /** text that goes on in the last line, after its `:=` */
    continueWith(text: string, tag: Tag): void {
      while (lines.length > 0 && lines.at(-1)!.trim() === '') lines.pop()
      const [first = '', ...rest] = indentedBlock(text).split('\n')
      const from = lines.length + (first.trim() === '' ? 1 : 0)
      lines[Math.max(0, lines.length - 1)] += first
      lines.push(...rest)
      own(tag, from, from - 1)
    },
    close(questions: readonly Question[], tests: Tests): LeanFile {
      const probes = new Map<number, Probe>()
      const ask = (q: Question) => {
        lines.push(q.lean)
        if (q.probe) probes.set(lines.length, q.probe)
      }
      lines.push('')
      if (tests.section) lines.push(`end ${sectionName}`)
      for (const q of questions) ask(q)
      lines.push(...tests.tools)
      for (const q of tests.questions) ask(q)
      return { text: `${lines.join('\n')}\n`, ours, probes }
    },
  }
}

/** Lean reads a definition's body at the left margin as a new command in some places: move it in as a whole. */
function indentedBlock(text: string): string {
  const first = text.split('\n').find((l) => l.trim() !== '')
  if (!text.startsWith('\n') || first === undefined || /^\s/.test(first)) return text
  return text.replace(/\n(?=[^\n])/g, '\n  ')
}
