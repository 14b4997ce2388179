import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { InputError } from '../base/errors.ts'
import { diskError } from './journal.ts'

interface Holder {
  readonly pid: number
  readonly host: string
  /** when the process began, in the kernel's ticks: a reused process number is not the holder */
  readonly began: string
}

/** Two benches must not write one folder. A holder that was killed leaves its file behind; it is taken over. */
export function acquireLock(path: string): () => void {
  const mine: Holder = { pid: process.pid, host: hostname(), began: startOf(process.pid) ?? '' }
  for (let tries = 0; ; tries++) {
    try {
      writeFileSync(path, JSON.stringify(mine), { flag: 'wx' })
      return () => rmSync(path, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw diskError(path, error)
    }
    const holder = readHolder(path)
    if (tries > 2 || (holder && alive(holder)))
      throw new InputError(
        `${path.replace(/\/bench\.lock$/, '')} is in use by another bench (process ${holder?.pid ?? '?'} on ${holder?.host ?? '?'}): wait for it, or choose another --out`,
      )
    rmSync(path, { force: true })
  }
}

function readHolder(path: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Holder
  } catch {
    return undefined
  }
}

function alive(holder: Holder): boolean {
  if (holder.host !== hostname()) return true
  try {
    process.kill(holder.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const began = startOf(holder.pid)
  return began === undefined || holder.began === '' || began === holder.began
}

function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // the name (field 2) may hold spaces; the start time is field 22
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
