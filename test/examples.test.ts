import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { bannedPhrase } from '../examples/banned-phrase.ts'
import { jsonSchema } from '../examples/json-schema.ts'
import { unit } from '../examples/unit.ts'
import { packageRoot } from '../src/base/paths.ts'
import { steer } from '../src/steer/index.ts'
import { fakeEngine } from './fake-engine.ts'

describe('the examples of docs/monitors.md', () => {
  test('JSON is sent back until it fits', async () => {
    const engine = fakeEngine({
      script: [
        { after: '[user]Who?\n[assistant]<think>\n', text: 'Hm.\n</think>\n\n{"name": 5}' },
        { after: 'Write the JSON again.\n[assistant]<think>\n', text: '</think>\n\nSure: {"name": "Eric"}' },
      ],
    })
    const run = steer(engine, 'Who?', [jsonSchema(z.object({ name: z.string() }))])
    expect(await run.result()).toMatchObject({ status: 'verified', retries: 1, answer: '{"name": "Eric"}' })
  })

  test('JSON that never fits is abstained from', async () => {
    const engine = fakeEngine({ say: () => '</think>\n\nno' })
    const run = steer(engine, 'Who?', [jsonSchema(z.object({ name: z.string() }))], { retries: 2 })
    expect((await run.result()).status).toBe('abstained')
  })

  test('an answer with a banned phrase is taken back to the end of the thinking', async () => {
    const engine = fakeEngine({
      script: [
        { after: '[user]Hi\n[assistant]<think>\n', text: 'I greet.\n</think>\n\nAs an AI I greet you.' },
        { after: 'must not say "as an AI".\n', text: '</think>\n\nHello.' },
      ],
    })
    const result = await steer(engine, 'Hi', [bannedPhrase(['as an AI'])]).result()
    expect(result).toMatchObject({ status: 'verified', text: 'Hello.', retries: 1 })
    expect(engine.requests.at(-1)!.text).not.toContain('As an AI')
  })

  test('a slip into another unit is answered at that line', async () => {
    const engine = fakeEngine({
      script: [
        {
          after: '[user]How far?\n[assistant]<think>\n',
          text: 'That is 25 miles.\nSo 25 miles.\n</think>\n\n25 miles',
        },
        { after: 'I say that again in km.\n', text: 'That is 40 km.\n</think>\n\n40 km' },
      ],
    })
    const result = await steer(engine, 'How far?', [unit('km', ['miles?'])], { sync: true }).result()
    expect(result).toMatchObject({ text: '40 km', retries: 1 })
  })

  test('every snippet that names a file is in that file', () => {
    const doc = readFileSync(join(packageRoot, 'docs', 'monitors.md'), 'utf8')
    const snippets = [...doc.matchAll(/<!-- (\S+) -->\n```ts\n([\s\S]*?)```/g)]
    expect(snippets).toHaveLength(3)
    for (const [, file, text] of snippets) {
      const source = readFileSync(join(packageRoot, file!), 'utf8')
      for (const part of text!.trim().split('\n\n')) expect(source).toContain(part)
      // twenty lines, as promised
      expect(text!.slice(text!.indexOf('export function')).trim().split('\n').length).toBeLessThanOrEqual(22)
    }
  })

  test('an engine that is not there is one line', () => {
    const tsx = join(packageRoot, 'node_modules', 'tsx', 'dist', 'cli.mjs')
    const args = [tsx, join(packageRoot, 'examples', 'unit.ts'), '--engine', 'http://127.0.0.1:9']
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect(status).toBe(1)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })
})
