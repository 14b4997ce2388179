/**
 * Errors that a person may see. The message is one sentence that names what is wrong and how to mend it;
 * the command line prints it without a stack and exits with `exitCode`.
 */
export class UserError extends Error {
  override readonly name: string = 'UserError'
  readonly exitCode: 1 | 2

  constructor(message: string, exitCode: 1 | 2 = 1, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/** The user's input is wrong: an unknown flag, a missing field, a file of another kind. Exit 2. */
export class InputError extends UserError {
  override readonly name = 'InputError'

  constructor(message: string, options?: ErrorOptions) {
    super(message, 2, options)
  }
}

/** One line for a person, whatever was thrown. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.split('\n')[0] || 'unknown error'
}
