import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { packageRoot } from '../../src/base/paths.ts'

/** A script of the tests' own as one file that plain `node` starts at once; inside the package, so that it finds node_modules. */
export async function bundleChild(source: string): Promise<string> {
  const dir = join(packageRoot, '.cache', `test-${process.pid}`)
  mkdirSync(dir, { recursive: true })
  const outfile = join(dir, `${source.replaceAll('/', '-')}.mjs`)
  const entryPoints = [join(packageRoot, source)]
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external' })
  return outfile
}
