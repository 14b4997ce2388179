// Compiles src/ to dist/ (TypeScript) and the embedded model's kernel (AssemblyScript) when it is there.
// Does nothing when dist/ is newer than every source, so that calling it first costs milliseconds.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const stamp = join(root, 'dist', '.built')
const kernel = join(root, 'src', 'engine', 'nano', 'kernel', 'index.ts')

function newest(path) {
  const s = statSync(path)
  if (!s.isDirectory()) return s.mtimeMs
  return readdirSync(path).reduce((t, name) => Math.max(t, newest(join(path, name))), 0)
}

function run(bin, args) {
  const done = spawnSync(process.execPath, [join(root, 'node_modules', bin), ...args], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  })
  if (done.status !== 0) throw new Error(`build step failed: ${bin} ${args.join(' ')}`)
}

export function build() {
  const inputs = ['src', 'tsconfig.json', 'tsconfig.build.json', 'package.json'].map((f) => join(root, f))
  if (!existsSync(inputs[0])) return
  const changed = Math.max(...inputs.map(newest))
  if (existsSync(stamp) && statSync(stamp).mtimeMs > changed) return
  mkdirSync(join(root, 'dist'), { recursive: true })
  reportPage()
  run('typescript/bin/tsc', ['-p', 'tsconfig.build.json'])
  if (existsSync(kernel)) {
    const out = join(root, 'dist', 'engine', 'nano')
    mkdirSync(out, { recursive: true })
    // Twice: relaxed SIMD is faster where a machine has it, and a module that names it does not load where not.
    for (const [name, features] of [
      ['kernel.wasm', 'simd'],
      ['kernel-relaxed.wasm', 'simd,relaxed-simd'],
    ]) {
      const file = join(out, name)
      if (existsSync(file) && statSync(file).mtimeMs > newest(dirname(kernel))) continue
      run('assemblyscript/bin/asc.js', [
        kernel,
        '--outFile',
        file,
        '-O3',
        '--noAssert',
        '--runtime',
        'stub',
        '--enable',
        features,
        '--importMemory',
        '--initialMemory',
        '256',
        '--disable',
        'bulk-memory',
      ])
    }
  }
  writeFileSync(stamp, '')
}

/** The bench report is one file: its script and the plot library are bundled here and inlined when a report is made. */
function reportPage() {
  const entry = join(root, 'src', 'bench', 'report', 'page', 'main.ts')
  const outfile = join(root, 'dist', 'bench', 'page.js')
  if (!existsSync(entry)) return
  if (existsSync(outfile) && statSync(outfile).mtimeMs > newest(dirname(entry))) return
  const options = { bundle: true, minify: true, format: 'iife', target: 'es2022', logLevel: 'error' }
  createRequire(import.meta.url)('esbuild').buildSync({ entryPoints: [entry], outfile, ...options })
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (process.argv.includes('--force')) rmSync(stamp, { force: true })
  build()
}
