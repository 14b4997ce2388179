import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../src/base/paths.ts'

/** From the top down: a folder imports only from itself and from those above it. */
const layers = ['base', 'trace', 'engine', 'steer', 'verify', 'halo', 'early-stop', 'tasks', 'methods', 'bench', 'cli']

test('a folder imports only from the layers above it', () => {
  const src = join(packageRoot, 'src')
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (f) => /(?<!\.test)\.ts$/.test(f) && f.includes('/'),
  )
  expect(files.length).toBeGreaterThan(100)
  const layerOf = (file: string): number => layers.indexOf(file.split('/')[0]!)
  const wrong = files.flatMap((file) => {
    const imports = readFileSync(join(src, file), 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g)
    return [...imports]
      .map((m) => relative(src, resolve(src, dirname(file), m[1]!)))
      .filter((target) => !target.startsWith('..') && layerOf(target) > layerOf(file))
      .map((target) => `${file} imports ${target}`)
  })
  expect(wrong).toEqual([])
})
