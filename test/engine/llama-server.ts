import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cacheDir } from '../../src/base/paths.ts'

/**
 * A real llama.cpp server for tests and benches: the one on the PATH, or Debian sid's in a small system of its own below the
 * cache folder, made once (about two minutes and 400 MB). Needs root and debootstrap for that; where it cannot be had, callers
 * are told why and skip.
 */
export interface LlamaServer {
  readonly url: string
  /** what it printed so far */
  log(): string
  close(): Promise<void>
}

export interface LlamaServerOptions {
  /** path of a GGUF file */
  readonly model: string
  readonly slots?: number
  /** in tokens, for each slot */
  readonly context?: number
  readonly threads?: number
  readonly extra?: readonly string[]
}

type Home = { readonly root: string | undefined; readonly binary: string }

/** Where the server is, made first where need be; or one sentence why there is none. */
export async function obtainLlamaServer(): Promise<Home | { readonly missing: string }> {
  const own = process.env.REIN_LLAMA_SERVER
  if (own) return { root: undefined, binary: own }
  if (spawnSync('llama-server', ['--version'], { stdio: 'ignore' }).status === 0)
    return { root: undefined, binary: 'llama-server' }
  const base = join(cacheDir(), 'llama-server')
  const root = join(base, 'system')
  if (usable(root)) return { root, binary: '/usr/bin/llama-server' }
  const missing = whyNot()
  if (missing) return { missing }
  mkdirSync(base, { recursive: true })
  return locked(join(base, 'lock'), async () => {
    if (usable(root)) return { root, binary: '/usr/bin/llama-server' }
    for (const name of readdirSync(base)) if (name !== 'lock') remove(join(base, name))
    const part = join(base, `part-${process.pid}`)
    console.warn(
      'llama-server: making a small Debian sid with llama.cpp in the cache folder (once, about two minutes) …',
    )
    const failed = (await debootstrap(part)) ?? (await install(part))
    if (failed) {
      remove(part)
      return { missing: failed }
    }
    writeFileSync(join(part, '.rein-ready'), '')
    renameSync(part, root)
    return { root, binary: '/usr/bin/llama-server' }
  })
}

/** Whole, and able to run here: a cache that another machine or a killed run left behind is neither. */
function usable(root: string): boolean {
  if (!existsSync(join(root, '.rein-ready'))) return false
  return spawnSync('chroot', [root, '/usr/bin/llama-server', '--version'], { stdio: 'ignore' }).status === 0
}

function whyNot(): string | undefined {
  if (process.platform !== 'linux') return 'this is not Linux'
  if (process.getuid?.() !== 0) return 'making it needs root (or put llama-server on the PATH)'
  if (spawnSync('debootstrap', ['--version'], { stdio: 'ignore' }).status !== 0) return 'debootstrap is not installed'
  if (!mirror()) return "the system's apt sources name no Debian mirror"
  return undefined
}

/** The mirror that this system itself installs from. */
function mirror(): string | undefined {
  const folder = '/etc/apt/sources.list.d'
  const files = [
    '/etc/apt/sources.list',
    ...(existsSync(folder) ? readdirSync(folder).map((f) => join(folder, f)) : []),
  ]
  const text = files
    .filter((file) => existsSync(file) && /\.(list|sources)$/.test(file))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
  const uris = text
    .split('\n')
    .filter((line) => /^\s*(deb\s|URIs:)/.test(line))
    .flatMap((line) => line.match(/https?:\/\/\S+/g) ?? [])
  return uris.find((uri) => /\/debian\/?$/.test(uri))
}

const debootstrap = (root: string): Promise<string | undefined> =>
  step('debootstrap', ['--variant=minbase', 'sid', root, mirror()!])

const install = (root: string): Promise<string | undefined> =>
  step('chroot', [root, 'apt-get', 'install', '-y', '--no-install-recommends', 'llama.cpp'])

/** Runs one step; its last line of output when it fails. */
function step(command: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' }
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env, timeout: 400_000 })
    let last = ''
    const keep = (chunk: Buffer): void => {
      last = chunk.toString().trim().split('\n').at(-1) || last
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.on('error', (error) => resolve(`${command}: ${error.message}`))
    child.on('close', (code) => resolve(code === 0 ? undefined : `${command} failed: ${last}`))
  })
}

/** A killed debootstrap leaves /proc and /sys mounted in its folder; those go first, or nothing is removed. */
function remove(path: string): void {
  const mounted = (): string[] =>
    readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[1] ?? '')
      .filter((point) => point.startsWith(`${path}/`))
  for (const point of mounted().reverse()) spawnSync('umount', ['-l', point], { stdio: 'ignore' })
  if (mounted().length > 0) throw new Error(`${path} still has mounts: umount them and try again`)
  rmSync(path, { recursive: true, force: true })
}

/** One maker at a time; a lock whose owner is dead is taken over. */
async function locked<T>(lock: string, make: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
      break
    } catch {
      const owner = existsSync(lock) ? Number(readFileSync(lock, 'utf8')) : 0
      if (owner > 0 && !existsSync(`/proc/${owner}`)) rmSync(lock, { force: true })
      else await sleep(500)
    }
  }
  try {
    return await make()
  } finally {
    rmSync(lock, { force: true })
  }
}

/** Starts it with a model and waits until it answers. */
export async function startLlamaServer(home: Home, options: LlamaServerOptions): Promise<LlamaServer> {
  const { slots = 4, context = 2048, threads = 1 } = options
  const inside = home.root === undefined ? undefined : mkdtempSync(join(home.root, 'tmp', 'rein-'))
  if (inside) copyFileSync(options.model, join(inside, basename(options.model)))
  const model = inside ? join('/tmp', basename(inside), basename(options.model)) : options.model
  const port = await freePort()
  const args = ['-m', model, '--host', '127.0.0.1', '--port', String(port), '-np', String(slots)]
  args.push(
    '-c',
    String(slots * context),
    '-t',
    String(threads),
    '--poll',
    '0',
    '--metrics',
    '--slots',
    ...(options.extra ?? []),
  )
  const child = home.root === undefined ? spawn(home.binary, args) : spawn('chroot', [home.root, home.binary, ...args])
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-20_000)
    })
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  const close = async (): Promise<void> => {
    process.off('exit', kill)
    await ended(child)
    if (inside) rmSync(inside, { recursive: true, force: true })
  }
  const url = `http://127.0.0.1:${port}`
  if (!(await healthy(url, child))) {
    await close()
    throw new Error(`llama-server did not start: ${log.trim().split('\n').slice(-3).join(' | ')}`)
  }
  return { url, log: () => log, close }
}

async function healthy(url: string, child: ChildProcess): Promise<boolean> {
  for (let i = 0; i < 600 && child.exitCode === null; i++) {
    const reply = await fetch(`${url}/health`).catch(() => undefined)
    await reply?.arrayBuffer()
    if (reply?.ok) return true
    await sleep(50)
  }
  return false
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const over = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const killer = setTimeout(() => child.kill('SIGKILL'), 3_000)
  await over
  clearTimeout(killer)
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
