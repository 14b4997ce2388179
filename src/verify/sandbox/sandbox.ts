/**
 * Runs a program that works on what a model wrote: no network, its own temp folder, nothing else writable, nothing of the
 * user's home readable, and limits on memory and time whose end kills the whole tree of processes.
 * Uses bubblewrap, else unshare; where the system has neither that works it refuses, unless the user says otherwise.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UserError } from '../../base/errors.ts'

export type Walls = 'bwrap' | 'unshare' | 'none'

export interface SandboxOptions {
  /** folders of the host that the program may read, by the path that it sees: { '/lean': '/home/me/.cache/lean' } */
  readonly readable?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  /** resident memory of the whole tree; 4 GiB unless given */
  readonly memoryBytes?: number
  /** from start to end; none unless given */
  readonly timeoutMs?: number
  /** the way to shut it in; found out unless given */
  readonly walls?: Walls
}

export interface Sandboxed {
  readonly child: ChildProcess
  readonly walls: Walls
  /** the program's own folder as the host sees it, and as the program sees it */
  readonly folder: string
  readonly inside: string
  /** ends the whole tree and removes its folder; returns at once */
  kill(): void
  /** why it was ended by us */
  readonly reason: 'memory' | 'time' | 'killed' | undefined
}

let known: Walls | undefined

/** What this system can do, tried for real once. */
export function availableWalls(): Walls {
  const works = (bin: string, args: string[]): boolean =>
    spawnSync(bin, args, { stdio: 'ignore', timeout: 10_000 }).status === 0
  known ??= works('bwrap', ['--ro-bind', '/', '/', '--unshare-all', '--proc', '/proc', '--dev', '/dev', 'true'])
    ? 'bwrap'
    : works('unshare', [
          '-rnmpif',
          '--mount-proc',
          'sh',
          '-c',
          'mount -t tmpfs none /mnt && mount -o remount,bind,ro /',
        ])
      ? 'unshare'
      : 'none'
  return known
}

/** Throws one sentence where nothing can shut the program in and the user has not allowed that. */
export function requireWalls(walls: Walls = availableWalls()): Walls {
  if (walls === 'none' && process.env.REIN_ALLOW_UNSANDBOXED !== '1')
    throw new UserError(
      'rein runs Lean only in a sandbox, and neither bubblewrap nor unshare works here: install bubblewrap, or set REIN_ALLOW_UNSANDBOXED=1 to run it unprotected.',
    )
  return walls
}

/** @example const box = sandbox('lean', ['--worker'], { memoryBytes: 4e9 }); box.kill() */
export function sandbox(command: string, args: readonly string[], options: SandboxOptions = {}): Sandboxed {
  const walls = requireWalls(options.walls)
  const folder = mkdtempSync(join(tmpdir(), 'rein-box-'))
  const inside = walls === 'bwrap' ? '/tmp/box' : folder
  const env = {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: inside,
    TMPDIR: inside,
    LANG: 'C.UTF-8',
    ...options.env,
  }
  const [bin, all] = wrapped(walls, folder, inside, [command, ...args], options.readable ?? {})
  const child = spawn(bin, all, {
    env,
    cwd: walls === 'bwrap' ? '/' : folder,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  let reason: Sandboxed['reason']
  const stop = (why: NonNullable<Sandboxed['reason']>): void => {
    reason ??= why
    killTree(child)
  }
  const limit = options.memoryBytes ?? 4 * 2 ** 30
  const watch = setInterval(() => treeMemory(child.pid) > limit && stop('memory'), 200)
  watch.unref()
  const timer = options.timeoutMs === undefined ? undefined : setTimeout(() => stop('time'), options.timeoutMs)
  const onExit = (): void => killTree(child)
  process.once('exit', onExit)
  const clean = (): void => {
    clearInterval(watch)
    clearTimeout(timer)
    process.removeListener('exit', onExit)
    rmSync(folder, { recursive: true, force: true })
  }
  child.once('exit', clean)
  child.once('error', clean)
  return {
    child,
    walls,
    folder,
    inside,
    kill: () => stop('killed'),
    get reason() {
      return reason
    },
  }
}

function wrapped(
  walls: Walls,
  folder: string,
  inside: string,
  command: string[],
  readable: Readonly<Record<string, string>>,
): [string, string[]] {
  if (walls === 'bwrap') {
    const hidden = ['/tmp', '/home', '/root', '/run', '/var', '/mnt', '/media', '/srv'].flatMap((d) => ['--tmpfs', d])
    const shown = Object.entries(readable).flatMap(([to, from]) => ['--ro-bind', from, to])
    const own = ['--bind', folder, inside, '--chdir', inside]
    const base = [
      '--unshare-all',
      '--die-with-parent',
      '--new-session',
      '--ro-bind',
      '/',
      '/',
      '--dev',
      '/dev',
      '--proc',
      '/proc',
    ]
    return ['bwrap', [...base, ...hidden, ...shown, ...own, '--', ...command]]
  }
  if (walls === 'unshare')
    return ['unshare', ['-rnmpif', '--mount-proc', '--kill-child', 'sh', '-c', readOnlyRoot, folder, ...command]]
  return [command[0]!, command.slice(1)]
}

/** $0 is the one folder that stays writable. */
const readOnlyRoot = `
mount --make-rprivate / 2>/dev/null
mount --bind "$0" "$0" || exit 97
while read -r _ at _; do case "$at" in "$0"|/proc|/proc/*|/dev|/dev/*) ;; *) mount -o remount,bind,ro "$at" 2>/dev/null ;; esac; done < /proc/self/mounts
cd "$0" || exit 97
touch /rein-probe 2>/dev/null && exit 98
exec "$@"`

/** The group and every descendant, because a descendant may have left the group. */
function killTree(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  for (const pid of [...descendants(child.pid), child.pid]) signal(pid)
  signal(-child.pid)
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // gone already
  }
}

interface Stat {
  readonly parent: number
  readonly bytes: number
}

function processes(): Map<number, Stat> {
  const all = new Map<number, Stat>()
  let names: string[] = []
  try {
    names = readdirSync('/proc')
  } catch {
    return all
  }
  for (const name of names.filter((n) => /^\d+$/.test(n))) {
    try {
      const text = readFileSync(`/proc/${name}/stat`, 'utf8')
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
      all.set(Number(name), { parent: Number(fields[1]), bytes: Number(fields[21]) * 4096 })
    } catch {
      // ended meanwhile
    }
  }
  return all
}

function descendants(root: number, all = processes()): number[] {
  const found = [root]
  for (const p of found) for (const [pid, s] of all) if (s.parent === p) found.push(pid)
  return found.slice(1)
}

function treeMemory(root: number | undefined): number {
  if (root === undefined) return 0
  const all = processes()
  return [root, ...descendants(root, all)].reduce((sum, pid) => sum + (all.get(pid)?.bytes ?? 0), 0)
}
