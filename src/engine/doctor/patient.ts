import type { Token } from '../../trace/token.ts'
import type { Trace } from '../../trace/trace.ts'
import type { Abilities, Engine, StreamOptions } from '../engine.ts'
import type { Http } from '../http.ts'
import type { ServerKind } from '../index.ts'

/** What the doctor says, and what its probes share. */
export interface Finding {
  readonly probe: string
  /** fail: a promise of rein's would be broken on this server */
  readonly state: 'ok' | 'warn' | 'fail' | 'n/a'
  /** one sentence */
  readonly says: string
}

export interface Diagnosis {
  readonly url: string
  readonly engine: ServerKind
  readonly model: string
  readonly can: Abilities
  readonly thinking: { readonly open: string; readonly close: string; readonly opened: boolean }
  readonly findings: readonly Finding[]
  /** no probe failed */
  readonly usable: boolean
}

/** What the probes share. */
export interface Patient {
  readonly engine: Engine
  readonly kind: ServerKind
  readonly http: Http
  /** how long an abort may take */
  readonly abortMs: number
  /** events of the last stream, as they came */
  readonly events: string[]
  stream(prefix: Trace, options: Partial<StreamOptions>): Promise<Token[]>
  /** a long greedy stream with alternatives, which several probes read */
  readonly sample: {
    readonly trace: Trace
    readonly asked: number
    readonly tokens: readonly Token[]
    readonly events: readonly string[]
  }
}

/** long enough to run past every server's default length (16, 128) */
export const SAMPLE_TOKENS = 144
