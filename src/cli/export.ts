import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Command, Option } from 'commander'
import { cacheDir } from '../base/paths.ts'
import { readConfig, weightsDir } from '../engine/nano/config.ts'
import { exportModel, type Format, formats } from '../engine/nano/export.ts'

const extension = (format: Format): string => (format.startsWith('gguf') ? 'gguf' : 'safetensors')

/** rein export: the embedded model's weights for other programs. Prints the file's path. */
export function command(): Command {
  const list = Object.entries(formats).map(([name, what]) => `  ${name.padEnd(9)} ${what}`)
  return new Command()
    .description("writes the embedded model's weights in another format")
    .addOption(new Option('--format <format>', 'see below').choices(Object.keys(formats)).default('gguf'))
    .option('--out <file>', 'where to; a file in the cache folder unless given')
    .option('--weights <folder>', "another model's folder (config.json, tokenizer.json, *.safetensors)")
    .addHelpText('after', `\nFormats:\n${list.join('\n')}`)
    .action(async (options: { format: Format; out?: string; weights?: string }) => {
      const dir = weightsDir(options.weights)
      const { model } = readConfig(dir)
      const file = options.out ?? join(cacheDir(), `${model}-${options.format}.${extension(options.format)}`)
      mkdirSync(dirname(file), { recursive: true })
      await exportModel(dir, options.format, file)
      process.stdout.write(`${file}\n`)
    })
}
