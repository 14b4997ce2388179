import { InputError } from '../base/errors.ts'
import type { Engine } from '../engine/engine.ts'
import type { Task } from '../tasks/task.ts'
import { adaCot } from './adacot.ts'
import { bestOfK, bestOfKCritic } from './best-of-k.ts'
import { budgetMethod } from './budget.ts'
import { cot } from './cot.ts'
import { cotPe } from './cot-pe.ts'
import { cotValve } from './cot-valve.ts'
import { deepConfMethod } from './deepconf.ts'
import { generateTestCritic } from './generate-test-critic.ts'
import { got } from './got.ts'
import { halo, haloRandom, haloVerify } from './halo.ts'
import { interwhen } from './interwhen.ts'
import { interwhenAdaptive } from './interwhen-adaptive.ts'
import { interwhenMeta } from './interwhen-meta.ts'
import { kStableMethod, kStableVerify } from './k-stable.ts'
import type { Method, Parameters } from './method.ts'
import { deerMethod, eatMethod } from './probing.ts'
import { selfConsistency } from './self-consistency.ts'
import { tot } from './tot.ts'

/** Every method by name. A method of one's own is added by putting it into this map. */
export const methods: Record<string, Method> = Object.fromEntries(
  [
    cot,
    interwhen,
    interwhenMeta,
    interwhenAdaptive,
    halo,
    haloVerify,
    haloRandom,
    kStableMethod,
    kStableVerify,
    eatMethod,
    deerMethod,
    deepConfMethod,
    budgetMethod,
    cotPe,
    selfConsistency,
    bestOfK,
    bestOfKCritic,
    generateTestCritic,
    tot,
    got,
    adaCot,
    cotValve,
  ].map((method) => [method.name, method]),
)

export interface ParsedMethod {
  readonly method: Method
  readonly parameters: Parameters
  /** the shortest text that means the same: parameters at their defaults are left out, the others sorted */
  readonly spec: string
}

/**
 * Reads `name` or `name:key=value,key=value`. Whatever is wrong is an InputError that lists what is possible.
 * @example parseMethod('interwhen:k=10,retries=5').parameters.k // 10
 */
export function parseMethod(text: string, among: Readonly<Record<string, Method>> = methods): ParsedMethod {
  const colon = text.indexOf(':')
  const name = (colon < 0 ? text : text.slice(0, colon)).trim()
  const method = Object.hasOwn(among, name) ? among[name] : undefined
  if (!method) throw new InputError(`there is no method "${name}"; there are: ${Object.keys(among).join(', ')}`)
  const given: Record<string, number | string | boolean> = {}
  if (colon >= 0) {
    for (const pair of text.slice(colon + 1).split(',')) {
      const equals = pair.indexOf('=')
      const key = (equals < 0 ? pair : pair.slice(0, equals)).trim()
      if (!Object.hasOwn(method.parameters, key))
        throw new InputError(`${name} has no parameter "${key}"; ${possible(method)}`)
      if (Object.hasOwn(given, key)) throw new InputError(`${name}: parameter "${key}" is given twice`)
      if (equals < 0) throw new InputError(`${name}: parameter "${key}" has no value; write ${key}=VALUE`)
      given[key] = readValue(method, key, pair.slice(equals + 1).trim())
    }
  }
  const parameters = { ...method.parameters, ...given }
  const changed = Object.keys(parameters)
    .filter((key) => parameters[key] !== method.parameters[key])
    .sort()
  const spec = changed.length === 0 ? name : `${name}:${changed.map((key) => `${key}=${parameters[key]}`).join(',')}`
  return { method, parameters, spec }
}

/** Throws an InputError when this engine or task cannot serve the method. */
export function assertServes({ method, parameters }: ParsedMethod, engine: Engine, task: Task, among = methods): void {
  const reason = method.refuses?.(engine, task, parameters)
  if (reason === undefined) return
  const others = Object.values(among).filter((m) => m.refuses?.(engine, task, m.parameters) === undefined)
  throw new InputError(`${method.name}: ${reason}; possible here: ${others.map((m) => m.name).join(', ')}`)
}

function readValue(method: Method, key: string, value: string): number | string | boolean {
  const standard = method.parameters[key]!
  const wrong = (wanted: string) =>
    new InputError(`${method.name}: ${key}="${value}" is not ${wanted}; ${possible(method)}`)
  if (typeof standard === 'boolean') {
    if (value !== 'true' && value !== 'false') throw wrong('true or false')
    return value === 'true'
  }
  if (typeof standard === 'string') {
    const choices = method.choices?.[key]
    if (choices && !choices.includes(value)) throw wrong(`one of ${choices.join(', ')}`)
    return value
  }
  const number = value === '' ? Number.NaN : Number(value)
  const least = method.least?.[key] ?? 0
  if (!Number.isFinite(number) || number < least) throw wrong(`a number from ${least} on`)
  if (Number.isInteger(standard) && !Number.isInteger(number) && !method.real?.includes(key))
    throw wrong('a whole number')
  return number
}

function possible(method: Method): string {
  const names = Object.entries(method.parameters).map(([key, value]) => {
    const choices = method.choices?.[key]
    return choices ? `${key}=${choices.join('|')}` : `${key}=${value}`
  })
  return names.length === 0 ? 'it takes none' : `it takes: ${names.join(', ')}`
}
