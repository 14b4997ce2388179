import { once } from 'node:events'
import { InputError } from '../base/errors.ts'

const MAX_LINE = 64 * 1024 * 1024

/** Lines of a byte stream, decoded as UTF-8, one at a time; no more than one line is held. */
export async function* lines(input: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest: string[] = []
  let held = 0
  for await (const chunk of input) {
    const parts = (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })).split('\n')
    for (const part of parts.slice(0, -1)) {
      yield rest.join('') + part
      rest = []
      held = 0
    }
    const tail = parts.at(-1)!
    rest.push(tail)
    held += tail.length
    if (held > MAX_LINE) throw new InputError(`a line is longer than ${MAX_LINE} characters; is this JSONL?`)
  }
  const last = rest.join('') + decoder.decode()
  if (last !== '') yield last
}

/** Writes with back-pressure. A reader that has gone (`| head`) ends the command quietly. */
export async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}

/** `| head` closes the pipe: that is no error of ours. */
export function endQuietlyWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
}
