/** Trains nano's tokenizer on a sample of the training documents and writes config.json and tokenizer.json. Run: npx tsx model/tokenizer.ts */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../src/base/paths.ts'
import { random } from '../src/base/random.ts'
import { SPECIAL, tokenizerJson, trainMerges } from './bpe.ts'
import { format, textOf } from './doc.ts'
import { make } from './mix.ts'

const vocabulary = 1280
const documents = 6000

const config = {
  architectures: ['LlamaForCausalLM'],
  model_type: 'llama',
  vocab_size: vocabulary,
  hidden_size: 320,
  num_hidden_layers: 8,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 64,
  intermediate_size: 896,
  hidden_act: 'silu',
  rms_norm_eps: 1e-5,
  rope_theta: 10000,
  max_position_embeddings: 4096,
  tie_word_embeddings: true,
  attention_bias: false,
  mlp_bias: false,
  bos_token_id: null,
  eos_token_id: SPECIAL.indexOf('<|end|>'),
  torch_dtype: 'bfloat16',
  rein: format,
}

const texts = Array.from({ length: documents }, (_, n) => textOf(make(random(`tokenizer/${n}`), 'all').doc.parts))
const merges = trainMerges(texts, vocabulary - 256 - SPECIAL.length)
const folder = join(packageRoot, 'model', 'weights')
mkdirSync(folder, { recursive: true })
const json = tokenizerJson(merges) as { model: { vocab: Record<string, number> } }
// the table of embeddings has a fixed size; what the text does not fill stays unused
config.vocab_size = Math.ceil(Object.keys(json.model.vocab).length / 64) * 64
writeFileSync(join(folder, 'tokenizer.json'), `${JSON.stringify(json, null, 1)}\n`)
writeFileSync(join(folder, 'config.json'), `${JSON.stringify(config, null, 2)}\n`)
console.log(
  `${merges.length} merges, ${config.vocab_size} rows, last merges: ${merges
    .slice(-8)
    .map((m) => m.join(''))
    .join(' | ')}`,
)
