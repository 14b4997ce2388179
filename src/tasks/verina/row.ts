import { InputError } from '../../base/errors.ts'

/** A row of the VERINA dataset, as far as rein needs it. */
export interface VerinaRow {
  readonly id: string
  readonly name: string
  readonly parameters: readonly { readonly name: string; readonly type: string }[]
  readonly returns: string
  readonly description: string
  readonly sections: Readonly<Record<string, string>>
  /** the row's whole Lean file, whose text between the sections (attributes, binder names) is kept as it is */
  readonly lean: string
  readonly tests: readonly VerinaTest[]
  /** inputs that a right precondition refuses */
  readonly rejects: readonly Values[]
}

export type Values = Readonly<Record<string, unknown>>

export interface VerinaTest {
  readonly input: Values
  readonly expected: unknown
  readonly unexpected: readonly unknown[]
}

const object = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads a dataset row (JSON, or a string that holds it). Throws an InputError that names the field. */
export function readRow(raw: unknown): VerinaRow {
  const row = typeof raw === 'string' ? parsed(raw) : raw
  if (!object(row)) throw new InputError('a verina instance must be a dataset row (a JSON object)')
  const signature = row.signature
  if (!object(signature))
    throw new InputError('field "signature" must be an object with name, parameters and return_type')
  const lean = text(row.lean, 'lean')
  const sections = Object.fromEntries(
    Object.entries(object(row.sections) ? row.sections : sectionsOf(lean)).map(([k, v]) => [
      k,
      text(v, `sections.${k}`),
    ]),
  )
  for (const needed of ['precond', 'code', 'postcond'])
    if (!(needed in sections)) throw new InputError(`field "sections" has no "${needed}"`)
  return {
    id: text(row.id, 'id'),
    name: text(signature.name, 'signature.name'),
    parameters: array(signature.parameters, 'signature.parameters').map((p, i) => {
      if (!object(p)) throw new InputError(`field "signature.parameters[${i}]" must be an object`)
      const at = `signature.parameters[${i}]`
      return { name: text(p.param_name, `${at}.param_name`), type: text(p.param_type, `${at}.param_type`) }
    }),
    returns: text(signature.return_type, 'signature.return_type'),
    description: text(row.description, 'description').replaceAll('\r\n', '\n'),
    sections,
    lean: lean.replaceAll('\r\n', '\n'),
    tests: array(row.tests ?? [], 'tests').map(readTest),
    rejects: array(row.reject_inputs ?? [], 'reject_inputs').map((r, i) => {
      if (!object(r) || !object(r.input)) throw new InputError(`field "reject_inputs[${i}].input" must be an object`)
      return r.input
    }),
  }
}

function readTest(test: unknown, i: number): VerinaTest {
  if (!object(test) || !object(test.input)) throw new InputError(`field "tests[${i}].input" must be an object`)
  return {
    input: test.input,
    expected: test.expected,
    unexpected: array(test.unexpected ?? [], `tests[${i}].unexpected`),
  }
}

/** The text between `-- !benchmark @start X` and `-- !benchmark @end X` of a whole file. */
export function sectionsOf(lean: string): Record<string, string> {
  const marker = /^[ \t]*-- !benchmark @start (\w+)(?: ([^\n]*?))?[ \t]*\r?\n([\s\S]*?)^[ \t]*-- !benchmark @end \1/gm
  return Object.fromEntries(
    [...lean.matchAll(marker)].map((m) => [m[2] ? `${m[1]}:${m[2]}` : m[1], (m[3] ?? '').replace(/\s+$/, '')]),
  )
}

function parsed(raw: string): unknown {
  try {
    return JSON.parse(raw)
  } catch {
    throw new InputError('a verina instance must be a dataset row in JSON')
  }
}

function text(value: unknown, field: string): string {
  if (typeof value !== 'string') throw new InputError(`field "${field}" must be a string`)
  return value
}

function array(value: unknown, field: string): unknown[] {
  if (!Array.isArray(value)) throw new InputError(`field "${field}" must be a list`)
  return value
}
