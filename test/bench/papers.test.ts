import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { indexPage } from '../../bench/papers/index-page.ts'
import { type Made, pages } from '../../bench/papers/pages.ts'
import { sections } from '../../bench/papers/sections.ts'
import { parseConfig } from '../../src/bench/config.ts'
import { runBench } from '../../src/bench/run.ts'
import { readResults } from '../../src/bench/store.ts'
import { summarise } from '../../src/bench/summary.ts'
import { parseMethod } from '../../src/methods/registry.ts'
import { getTask } from '../../src/tasks/registry.ts'
import { fakeParts } from './fake.ts'

const root = mkdtempSync(join(tmpdir(), 'rein-papers-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const calibration = { alpha: 1.234567, psi: 5 } as Parameters<typeof sections>[0]

describe('bench:papers', () => {
  it.each([
    ['without Halo', undefined],
    ['with Halo', calibration],
  ])('%s: sections of known tasks and methods whose shares make up the time', (_, halo) => {
    const all = sections(halo)
    expect(all.reduce((sum, section) => sum + section.share, 0)).toBeCloseTo(1, 9)
    for (const { config } of all) {
      const parsed = parseConfig({ ...config, out: 'x' })
      for (const task of parsed.tasks) expect(getTask(task).name).toBe(task)
      for (const spec of [...parsed.methods, ...parsed.sweep]) expect(parseMethod(spec).spec).toBeTruthy()
    }
  })

  it('writes pages whose links lead somewhere', async () => {
    const made = new Map<string, Made>()
    const run = async (name: string, sweep: string[]): Promise<void> => {
      const out = join(root, name)
      const size = { sums: [3, 6, 9] }
      await runBench(
        parseConfig({ tasks: ['sums'], methods: ['cot', 'best'], sweep, size, limit: 12, logs: 'none', out }),
        fakeParts(),
      )
      const { manifest, rows, timings } = readResults(out)
      const summary = summarise({ model: 'fake-1', date: manifest.created, methods: manifest.methods, rows, timings })
      made.set(name, { summary, command: `npm run ${name}` })
    }
    await run('interwhen', [])
    await run('early-stop', ['best:k=2..4'])
    await run('width', ['best:k=2..4'])
    await run('halo', [])
    await run('halo-grid', ['best:k=2,3,bonus=1,2'])
    const written = pages(made, [{ name: 'attention', r: 0.4, leadTokens: 12 }])
    const all = [...written, indexPage(new Set(written.map((page) => page.file)), 'x')]
    const files = new Set(all.map((page) => page.file))
    for (const { file, text } of all) {
      if (file.endsWith('.svg')) expect(text).toMatch(/^<svg [\s\S]*<\/svg>$/)
      for (const [, link] of text.matchAll(/\]\(([\w.-]+)\)/g)) expect(files, `${file} links ${link}`).toContain(link)
      if (file.endsWith('.md') && file !== 'README.md') expect(text).toMatch(/```sh\nnpm run/)
    }
    expect(files).toContain('halo-grid.tex')
  })
})
