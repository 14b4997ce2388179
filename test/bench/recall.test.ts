import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { parseConfig } from '../../src/bench/config.ts'
import { reinParts } from '../../src/bench/rein-parts.ts'
import { runBench } from '../../src/bench/run.ts'
import { readResults } from '../../src/bench/store.ts'
import { nano } from '../../src/engine/nano/index.ts'

const root = mkdtempSync(join(tmpdir(), 'rein-bench-recall-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

test('on nano the rows with recall are those without, and far less is generated', async () => {
  const bench = async (recall: boolean) => {
    const out = join(root, String(recall))
    let generated = 0
    const engine = async () => {
      const one = await nano()
      return {
        ...one,
        async *stream(...given: Parameters<typeof one.stream>) {
          for await (const token of one.stream(...given)) {
            generated += token.count ?? 1
            yield token
          }
        },
      }
    }
    const methods = ['cot,k-stable,eat,deer,interwhen,interwhen-adaptive:gap=1,k-stable+verify,best-of-k:k=2']
    methods.push('self-consistency:k=3,deepconf:k=3,warmup=2,best-of-k-critic:k=2,got:branch=2')
    const settings = { tasks: ['game24', 'maze', 'spatialmap'], limit: 1, maxTokens: 1500, out, recall }
    const config = parseConfig({ ...settings, methods, size: { maze: 3 }, sampling: { temperature: 0.7 }, dataSeed: 9 })
    await runBench(config, { ...reinParts, engine })
    return { out, generated, rows: readFileSync(join(out, 'results.jsonl'), 'utf8') }
  }
  const [alone, shared] = [await bench(false), await bench(true)]
  expect(alone.rows.split('\n')).toHaveLength(3 * 12 + 1)
  expect(shared.rows).toBe(alone.rows)
  expect(shared.generated).toBeLessThan(0.6 * alone.generated)
  // a run that reads what another one generated has no time of its own
  expect(readResults(shared.out).timings).toEqual([])
  expect(readResults(alone.out).timings).toHaveLength(36)
  expect(existsSync(join(shared.out, 'logs'))).toBe(true)
}, 240_000)
