import type { Engine } from '../engine/engine.ts'
import type { Method, Parameters } from '../methods/method.ts'
import type { Task } from '../tasks/task.ts'

/** What the harness is built from. It knows no task, method or engine by name: they are handed in. */
export interface Parts {
  task(name: string): Task
  /** `interwhen:k=10` with its parameters and its shortest form; an InputError names what is wrong */
  method(spec: string): { readonly method: Method; readonly parameters: Parameters; readonly spec: string }
  engine(spec: string): Promise<Engine>
}
