import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lines, ndjson, sse } from './sse.ts'

async function* cut(text: string, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? bytes.length
    yield bytes.subarray(at, at + size)
    at += size
  }
}
const all = async (gen: AsyncIterable<string>): Promise<string[]> => {
  const out: string[] = []
  for await (const item of gen) out.push(item)
  return out
}
const events = (text: string): Promise<string[]> => all(sse(cut(text, [1e9])))

describe('sse', () => {
  it('takes data with and without a space, joins several lines, skips comments and other fields', async () => {
    const text = ': ping\n\ndata: a\n\ndata:b\n\nevent: x\nid: 1\ndata: c\ndata: d\nretry: 5\n\n: ping\n\ndata:  e\n\n'
    expect(await events(text)).toEqual(['a', 'b', 'c\nd', ' e'])
  })

  it('hands on a last event that lacks its blank line', async () => {
    expect(await events('data: a\n\ndata: [DONE]')).toEqual(['a', '[DONE]'])
  })

  it('hands on an error that is written bare into the stream', async () => {
    expect(await events('data: a\n\n{"error":"out of memory"}\n')).toEqual(['a', '{"error":"out of memory"}'])
  })

  it('gives the same events however the bytes are cut and the lines are ended', async () => {
    const data = fc.array(fc.string({ unit: 'binary', maxLength: 12 }).map((s) => s.replace(/[\r\n]/g, '')))
    const eol = fc.constantFrom('\n', '\r\n', '\r')
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 })
    await fc.assert(
      fc.asyncProperty(data, eol, sizes, async (payloads, end, pieces) => {
        const want = payloads.map((p) => new TextDecoder().decode(new TextEncoder().encode(p)))
        const text = payloads.map((p) => `data: ${p}${end}${end}`).join('')
        expect(await all(sse(cut(text, pieces)))).toEqual(want)
      }),
    )
  })

  it('refuses a line without end rather than filling the memory', async () => {
    async function* flood(): AsyncGenerator<Uint8Array> {
      for (;;) yield new Uint8Array(1000).fill(97)
    }
    await expect(all(sse(flood(), 10_000))).rejects.toThrow(/more than 10000 characters/)
    async function* many(): AsyncGenerator<Uint8Array> {
      for (;;) yield new TextEncoder().encode('data: aaaaaaaaaa\n')
    }
    await expect(all(sse(many(), 10_000))).rejects.toThrow(/more than 10000 characters/)
  })
})

describe('ndjson', () => {
  it('gives one text a line, also the last without its end', async () => {
    expect(await all(ndjson(cut('{"a":1}\n\n{"b":"é"}\r\n{"c":2}', [3])))).toEqual(['{"a":1}', '{"b":"é"}', '{"c":2}'])
    expect(await all(lines(cut('a\r', [1])))).toEqual(['a'])
  })
})
