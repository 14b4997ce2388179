// Compiles src/ to dist/ (TypeScript) and the embedded model's kernel (AssemblyScript) when it is there.
// Does nothing when dist/ is newer than every source, so that calling it first costs milliseconds.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
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
  run('typescript/bin/tsc', ['-p', 'tsconfig.build.json'])
  if (existsSync(kernel)) {
    const out = join(root, 'dist', 'engine', 'nano')
    mkdirSync(out, { recursive: true })
    run('assemblyscript/bin/asc.js', [
      kernel,
      '--outFile',
      join(out, 'kernel.wasm'),
      '-O3',
      '--noAssert',
      '--runtime',
      'stub',
      '--enable',
      'simd,relaxed-simd',
      '--importMemory',
      '--disable',
      'bulk-memory',
    ])
  }
  // The bench report inlines its plot library; shipping the one file spares every user the whole package.
  const plots = join(root, 'node_modules', 'echarts', 'dist', 'echarts.min.js')
  mkdirSync(join(root, 'dist', 'bench'), { recursive: true })
  if (existsSync(plots)) copyFileSync(plots, join(root, 'dist', 'bench', 'echarts.min.js'))
  writeFileSync(stamp, '')
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (process.argv.includes('--force')) rmSync(stamp, { force: true })
  build()
}
