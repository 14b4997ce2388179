/**
 * Refuses Lean source that could get a wrong thing accepted or do something while it is compiled: proof holes, axioms,
 * code that replaces or escapes the kernel, IO, commands that run, new syntax, and options that switch checks off.
 * This is the first wall; Lean's own list of axioms is the second and the sandbox the third.
 */
import { tokens } from './tokens.ts'

export interface Refusal {
  readonly token: string
  readonly line: number
  readonly why: string
}

const hole = 'leaves a hole instead of giving a definition or a proof'
const axiom = 'assumes something that it does not prove'
const bypass = 'replaces or escapes what Lean checks'
const effect = 'does something besides defining a pure function'
const syntax = 'changes the language itself'

/** whole names, as they stand */
const words: Readonly<Record<string, string>> = {
  sorry: hole,
  admit: hole,
  stop: hole,
  axiom,
  constant: axiom,
  opaque: axiom,
  unsafe: bypass,
  native_decide: bypass,
  bv_decide: bypass,
  implemented_by: bypass,
  extern: bypass,
  export: bypass,
  run_cmd: effect,
  run_elab: effect,
  run_meta: effect,
  run_tac: effect,
  by_elab: effect,
  initialize: effect,
  builtin_initialize: effect,
  init: effect,
  builtin_init: effect,
  dbg_trace: effect,
  'dbg_trace!': effect,
  include_str: effect,
  'println!': effect,
  import: 'imports something; imports are not part of an answer',
  elab: syntax,
  elab_rules: syntax,
  macro: syntax,
  macro_rules: syntax,
  syntax,
  declare_syntax_cat: syntax,
  notation: syntax,
  notation3: syntax,
  infix: syntax,
  infixl: syntax,
  infixr: syntax,
  prefix: syntax,
  postfix: syntax,
  simproc: syntax,
  declare_config_elab: syntax,
  register_option: syntax,
}

/** parts of a dotted name, wherever they stand: `_root_.sorryAx`, `Lean.Elab.Command` */
const parts: Readonly<Record<string, string>> = {
  sorryAx: hole,
  lcProof: bypass,
  lcUnreachable: bypass,
  lcAny: bypass,
  ofReduceBool: bypass,
  ofReduceNat: bypass,
  reduceBool: bypass,
  reduceNat: bypass,
  trustCompiler: bypass,
  unsafeCast: bypass,
  unsafeIO: bypass,
  unsafeBaseIO: bypass,
  unsafeEIO: bypass,
  ptrAddrUnsafe: bypass,
  ptrEq: bypass,
  dbgTrace: effect,
  dbgTraceVal: effect,
  dbgTraceIfShared: effect,
  dbgSleep: effect,
  dbgStackTrace: effect,
  IO: effect,
  BaseIO: effect,
  EIO: effect,
  EST: effect,
  Lean: syntax,
  Elab: syntax,
  Meta: syntax,
  MacroM: syntax,
  MetaM: syntax,
  CoreM: syntax,
  TermElabM: syntax,
  CommandElabM: syntax,
  TacticM: syntax,
}

const attributes = new Set(['implemented_by', 'extern', 'export', 'init', 'builtin_init'])
const harmlessOptions =
  /^(?:maxHeartbeats|maxRecDepth|autoImplicit|relaxedAutoImplicit|exponentiation\.threshold|(?:pp|linter|synthInstance)\..+)$/

/**
 * The first thing in it that is not allowed, or undefined.
 * @example refusal('theorem t : 1 = 2 := by sorry')?.token // 'sorry'
 */
export function refusal(source: string): Refusal | undefined {
  const all = tokens(source)
  for (const [i, { text, line }] of all.entries()) {
    const why = reason(text, all[i - 1]?.text, all[i + 1]?.text)
    if (why) return { token: text, line, why }
  }
  return undefined
}

function reason(text: string, before: string | undefined, after: string | undefined): string | undefined {
  if (/^#[a-z]/.test(text))
    return text.startsWith('#v') && after === '[' ? undefined : 'runs a command while it is compiled'
  if (before === 'set_option' && !harmlessOptions.test(text)) return 'switches off or alters what Lean checks'
  // `init`, `export` and `constant` are also plain names; as attributes or commands they escape
  if (text === 'init' || text === 'constant') return attributeBefore(before) ? words[text] : undefined
  if (text === 'export' && !attributeBefore(before)) return undefined
  if (text === 'stop') return before === 'by' || before === ';' ? hole : undefined
  const own = Object.hasOwn(words, text) ? words[text] : undefined
  if (own && !(attributes.has(text) && before === '.')) return own
  for (const part of text.split('.')) if (Object.hasOwn(parts, part)) return parts[part]
  return /^rein_/.test(text) ? 'uses a name that is reserved for the check' : undefined
}

const attributeBefore = (before: string | undefined): boolean => before === '[' || before === ','

/** One sentence for the model. */
export function refusalFeedback({ token, line, why }: Refusal): string {
  return `\`${token}\` (line ${line} of your answer) is not allowed, because it ${why}.`
}
