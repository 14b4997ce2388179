import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The package's root folder, whether this file runs from src/ (tests) or from dist/ (users). */
export const packageRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** A built file: worker threads and wasm are always loaded from dist/, also when the caller runs from src/. */
export function built(path: string): string {
  const file = join(packageRoot, 'dist', path)
  if (!existsSync(file)) throw new Error(`${path} is not built: run "npm run build" in ${packageRoot}`)
  return file
}

/** Where rein keeps what can be made again (quantised weights, GGUF files, an unpacked Lean). */
export function cacheDir(): string {
  return process.env.REIN_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'rein')
}
