import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../src/base/paths.ts'
import { methods, parseMethod } from '../src/methods/registry.ts'

const dir = join(packageRoot, 'docs', 'methods')

// halo has its own pages
test.each(
  Object.values(methods)
    .filter((m) => !m.name.startsWith('halo'))
    .map((m) => [m.name, m] as const),
)('%s has a page with its parameters and defaults', (name, method) => {
  const page = join(dir, `${name}.md`)
  expect(existsSync(page), `docs/methods/${name}.md`).toBe(true)
  const text = readFileSync(page, 'utf8')
  const rows = [...text.matchAll(/^\| `(\w+)` \| `([^`]*)` \|/gm)].map((m) => [m[1], m[2]])
  expect(rows).toEqual(Object.entries(method.parameters).map(([key, value]) => [key, String(value)]))
  // the command on the page is one that parses
  const spec = /--method (\S+)/.exec(text)![1]!
  expect(parseMethod(spec).method).toBe(method)
  expect(readFileSync(join(dir, 'README.md'), 'utf8')).toContain(`[${name}](${name}.md) | ${method.summary} |`)
})
