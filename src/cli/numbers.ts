import { InputError } from '../base/errors.ts'

/** Option parsers that say what they want. @example .option('--seed <n>', '…', integer('--seed', 0)) */
export const number =
  (flag: string, least: number) =>
  (text: string): number => {
    const value = Number(text)
    if (text.trim() === '' || !Number.isFinite(value) || value < least)
      throw new InputError(`${flag} wants a number of at least ${least}, not "${text}"`)
    return value
  }

export const integer =
  (flag: string, least: number) =>
  (text: string): number => {
    const value = number(flag, least)(text)
    if (!Number.isSafeInteger(value)) throw new InputError(`${flag} wants a whole number, not "${text}"`)
    return value
  }
