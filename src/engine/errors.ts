import { UserError } from '../base/errors.ts'

/** The engine did not do what was asked: unreachable, refused, or the stream broke off. Never turned into an answer. */
export class EngineError extends UserError {
  override readonly name = 'EngineError'
  readonly kind: 'unreachable' | 'refused' | 'broken' | 'timeout' | 'context' | 'unsupported'
  readonly status: number | undefined

  constructor(kind: EngineError['kind'], message: string, options: ErrorOptions & { status?: number } = {}) {
    super(message, 1, options)
    this.kind = kind
    this.status = options.status
  }
}
