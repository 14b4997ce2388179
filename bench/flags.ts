import { parseArgs } from 'node:util'
import { messageOf, UserError } from '../src/base/errors.ts'

type Flag = string | number | boolean
type Flags<T> = { [K in keyof T]: T[K] extends number ? number : T[K] extends boolean ? boolean : string }

/**
 * Flags by their defaults: where that is a number the flag takes a number from 0 on, where it is a boolean it takes nothing.
 * @example parseFlags(['--n', '5'], { n: 60, suites: 'game24' }) // { n: 5, suites: 'game24' }
 */
export function parseFlags<T extends Record<string, Flag>>(args: readonly string[], defaults: T): Flags<T> {
  const usage = `the flags are ${Object.entries(defaults).map(shown).join(', ')}`
  const options = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [
      name,
      { type: typeof value === 'boolean' ? ('boolean' as const) : ('string' as const) },
    ]),
  )
  const { values } = (() => {
    try {
      return parseArgs({ args: [...args], options })
    } catch (error) {
      throw new UserError(`${messageOf(error).split(/\.\s/)[0]}; ${usage}`)
    }
  })()
  const read = ([name, fallback]: [string, Flag]): [string, Flag] => {
    const given = values[name]
    if (given === undefined || typeof fallback !== 'number') return [name, given ?? fallback]
    const number = Number(given)
    if (given === '' || !Number.isFinite(number) || number < 0)
      throw new UserError(`--${name} ${given} is not a number from 0 on; ${usage}`)
    return [name, number]
  }
  return Object.fromEntries(Object.entries(defaults).map(read)) as Flags<T>
}

/** The flags that this program was started with; what is wrong with them is said in one line, with exit code 2. */
export function readFlags<T extends Record<string, Flag>>(defaults: T): Flags<T> {
  try {
    return parseFlags(process.argv.slice(2), defaults)
  } catch (error) {
    return refuse(messageOf(error))
  }
}

export function refuse(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}

const shown = ([name, value]: [string, Flag]): string =>
  value === '' || typeof value === 'boolean' ? `--${name}` : `--${name} ${value}`
