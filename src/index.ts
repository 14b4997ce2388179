/**
 * rein keeps a reasoning model on course while it thinks.
 *
 * @example
 * import { getTask, openEngine, steer, verifyFinal, verifyThinking } from 'rein'
 * const task = getTask('game24')
 * const puzzle = task.read('4 7 8 8')
 * const run = steer(await openEngine('nano'), task.prompt(puzzle), [verifyThinking(task, puzzle), verifyFinal(task, puzzle)])
 * console.log((await run.result()).status)
 */
export { InputError, UserError } from './base/errors.ts'
export type { Abilities, Engine, Markers, Sampling, StreamOptions } from './engine/engine.ts'
export { EngineError } from './engine/errors.ts'
export { openEngine } from './engine/index.ts'
export type { Method, MethodContext, MethodResult } from './methods/method.ts'
export { verifyFinal, verifyThinking } from './methods/monitors.ts'
export { parseMethod } from './methods/registry.ts'
export * from './steer/index.ts'
export { getTask } from './tasks/registry.ts'
export type { Task } from './tasks/task.ts'
export * from './trace/index.ts'
