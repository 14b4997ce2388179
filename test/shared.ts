import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packageRoot } from '../src/base/paths.ts'

/** The folder of real benchmark rows beside a checkout, or undefined: tests that read it skip where it is absent. */
export function sharedDir(): string | undefined {
  const dir = process.env.REIN_SHARED ?? join(dirname(packageRoot), 'shared')
  return existsSync(join(dir, 'data')) ? dir : undefined
}
