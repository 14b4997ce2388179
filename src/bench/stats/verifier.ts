import type { Confusion } from '../row.ts'
import { type Interval, wilson } from './wilson.ts'

export interface VerifierFigures {
  readonly checks: number
  readonly unknown: number
  /** of the answers it passed, how many were right */
  readonly precision: number | null
  readonly precisionCi: Interval
  /** of the right answers that got a verdict, how many it passed */
  readonly recall: number | null
  readonly recallCi: Interval
  /** right answers that it refuted: the worst thing that a verifier can do */
  readonly falseFails: number
}

export const noChecks: Confusion = { passRight: 0, passWrong: 0, failRight: 0, failWrong: 0, unknown: 0 }

export function addConfusions(a: Confusion, b: Confusion): Confusion {
  return {
    passRight: a.passRight + b.passRight,
    passWrong: a.passWrong + b.passWrong,
    failRight: a.failRight + b.failRight,
    failWrong: a.failWrong + b.failWrong,
    unknown: a.unknown + b.unknown,
  }
}

/** Positive means "passed": precision = passRight / passed, recall = passRight / right answers that got a verdict. */
export function verifierFigures(c: Confusion): VerifierFigures {
  const passed = c.passRight + c.passWrong
  const right = c.passRight + c.failRight
  return {
    checks: passed + c.failRight + c.failWrong + c.unknown,
    unknown: c.unknown,
    precision: passed === 0 ? null : c.passRight / passed,
    precisionCi: wilson(c.passRight, passed),
    recall: right === 0 ? null : c.passRight / right,
    recallCi: wilson(c.passRight, right),
    falseFails: c.failRight,
  }
}
