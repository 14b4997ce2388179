/**
 * Writes shards of training tokens: NAME.ids (uint16) and NAME.mask (uint8; see data.py). Document n of process p is made from
 * the seed "SEED/p/n" alone, so any shard can be made again anywhere.
 *
 *   node shards.mjs --out DIR --process 0 --seed 1 --shard-tokens 3000000 --shards 40 --mix all
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readFlags } from '../bench/flags.ts'
import { random } from '../src/base/random.ts'
import { type Bpe, bpe } from './bpe.ts'
import { tokens } from './doc.ts'
import { type Made, type Mix, make } from './mix.ts'

/** nearly the whole context: the longest thoughts are those that go wrong and find back */
export const longest = 4000

/** Documents of one process, in order; those too long for the context are left out. */
export function* documents(seed: string, process: number, mix: Mix, tokenizer: Bpe) {
  for (let n = 0; ; n++) {
    const made: Made = make(random(`${seed}/${process}/${n}`), mix)
    const { ids, mask } = tokens(made.doc, tokenizer)
    if (ids.length <= longest) yield { ...made, ids, mask }
  }
}

function main(): void {
  const flags = readFlags({
    out: 'shards',
    process: 0,
    seed: '1',
    mix: 'all',
    shards: 1,
    'shard-tokens': 3_000_000,
    tokenizer: 'model/weights/tokenizer.json',
  })
  mkdirSync(flags.out, { recursive: true })
  const tokenizer = bpe(JSON.parse(readFileSync(flags.tokenizer, 'utf8')))
  const size = flags['shard-tokens']
  const docs = documents(flags.seed, flags.process, flags.mix as Mix, tokenizer)
  for (let s = 0; s < flags.shards; s++) {
    const ids = new Uint16Array(size + longest)
    const mask = new Uint8Array(size + longest)
    let at = 0
    while (at < size) {
      const doc = docs.next().value!
      ids.set(doc.ids, at)
      mask.set(doc.mask, at)
      at += doc.ids.length
    }
    const name = join(flags.out, `${String(flags.process).padStart(2, '0')}-${String(s).padStart(4, '0')}`)
    writeFileSync(`${name}.mask`, mask.subarray(0, at))
    writeFileSync(`${name}.tmp`, ids.subarray(0, at))
    // the ids appear last and at once: whoever sees them finds the whole shard
    renameSync(`${name}.tmp`, `${name}.ids`)
  }
}

if (process.argv[1] && /shards\.(ts|mjs)$/.test(process.argv[1])) main()
