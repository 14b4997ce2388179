import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { availableWalls, requireWalls, type SandboxOptions, sandbox, type Walls } from './sandbox.ts'

const node = process.execPath

interface Outcome {
  readonly out: string
  readonly code: number | null
  readonly reason: string | undefined
  readonly ms: number
}

function run(script: string, options: SandboxOptions): Promise<Outcome> {
  const started = performance.now()
  // under bubblewrap a node of the user's own (nvm) would be hidden with the rest of the home folder
  const inBox = options.walls === 'bwrap' ? '/tmp/node/node' : node
  const box = sandbox(inBox, ['-e', script], { readable: { '/tmp/node': join(node, '..') }, ...options })
  let out = ''
  box.child.stdout?.on('data', (d) => {
    out += d
  })
  box.child.stderr?.on('data', (d) => {
    out += d
  })
  return new Promise((resolve) => {
    box.child.on('close', (code) => resolve({ out, code, reason: box.reason, ms: performance.now() - started }))
  })
}

const walls = availableWalls()
if (walls === 'none')
  console.warn('SKIPPED: neither bubblewrap nor unshare works here, so the sandbox is not tested for real')

const kinds: Walls[] = walls === 'bwrap' ? ['bwrap', 'unshare'] : walls === 'unshare' ? ['unshare'] : []
describe.each(kinds)('with %s', (kind) => {
  test('the network is refused', async () => {
    const server = createServer((_, res) => res.end('reached')).listen(0, '127.0.0.1')
    await new Promise((r) => server.once('listening', r))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    expect(await (await fetch(url)).text()).toBe('reached')
    const { out } = await run(`fetch('${url}').then(() => console.log('REACHED'), () => console.log('refused'))`, {
      walls: kind,
    })
    server.close()
    expect(out.trim()).toBe('refused')
  })

  test('it writes in its own folder and nowhere else', async () => {
    const targets = [
      join(tmpdir(), 'rein-escape'),
      join(homedir(), 'rein-escape'),
      join(process.cwd(), 'rein-escape'),
      '/rein-escape',
    ]
    const script = `const fs = require('fs'); fs.writeFileSync('mine', 'x'); console.log(fs.readFileSync('mine', 'utf8'));
      for (const t of ${JSON.stringify(targets)}) try { fs.writeFileSync(t, 'x') } catch {}`
    const { out, code } = await run(script, { walls: kind })
    expect([out.trim(), code]).toEqual(['x', 0])
    expect(targets.filter((t) => existsSync(t))).toEqual([])
  })

  test('a memory limit ends it', async () => {
    const script = 'const a = []; setInterval(() => a.push(Buffer.alloc(20e6, 1)), 20)'
    const { reason } = await run(script, { walls: kind, memoryBytes: 300e6, timeoutMs: 30_000 })
    expect(reason).toBe('memory')
  })

  test('a time limit ends the whole tree', async () => {
    const mark = `rein-tree-${process.pid}-${kind}`
    const script = `require('child_process').spawn(process.execPath, ['-e', 'setInterval(()=>{},1e3)', '${mark}'], { detached: true, stdio: 'ignore' }); setInterval(() => {}, 1e3)`
    const { reason, ms } = await run(script, { walls: kind, timeoutMs: 1500 })
    expect(reason).toBe('time')
    expect(ms).toBeLessThan(10_000)
    await new Promise((r) => setTimeout(r, 300))
    expect(commandLines().filter((c) => c.includes(mark))).toEqual([])
  })
})

test.runIf(kinds.includes('bwrap'))("bubblewrap hides the user's files", async () => {
  const secret = join(tmpdir(), `rein-secret-${process.pid}`)
  writeFileSync(secret, 'hidden')
  const script = `try { console.log(require('fs').readFileSync('${secret}', 'utf8')) } catch (e) { console.log(e.code) }`
  const { out } = await run(script, { walls: 'bwrap' })
  rmSync(secret)
  expect(out.trim()).toBe('ENOENT')
})

test('without walls it refuses in one sentence, unless allowed', () => {
  const before = process.env.REIN_ALLOW_UNSANDBOXED
  delete process.env.REIN_ALLOW_UNSANDBOXED
  expect(() => requireWalls('none')).toThrow(/install bubblewrap/)
  process.env.REIN_ALLOW_UNSANDBOXED = '1'
  expect(requireWalls('none')).toBe('none')
  if (before === undefined) delete process.env.REIN_ALLOW_UNSANDBOXED
  else process.env.REIN_ALLOW_UNSANDBOXED = before
})

function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((n) => /^\d+$/.test(n))
    .map((n) => {
      try {
        return readFileSync(`/proc/${n}/cmdline`, 'utf8')
      } catch {
        return ''
      }
    })
}
