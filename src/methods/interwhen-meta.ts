import type { Monitor } from '../steer/monitor.ts'
import { when } from '../steer/trigger.ts'
import type { Task } from '../tasks/task.ts'
import { finalMonitors, policyOf, steeredFigures } from './interwhen.ts'
import type { Method } from './method.ts'
import { retryWays, steerBy, verdictOf } from './monitors.ts'
import { withInstruction } from './prompt.ts'
import { outcome, startRuns } from './run.ts'

/**
 * interwhen's meta-prompt ablation (Table 3): the prompt asks the model to note its state in the fork's own format as it goes,
 * and the notes are verified where they stand. No fork, so no side tokens; what the model does not note is not checked.
 */
export const interwhenMeta: Method = {
  name: 'interwhen-meta',
  summary: 'the prompt asks for checkable notes, which are verified without a fork (interwhen, Table 3)',
  parameters: { retries: 5, retry: 'thinking', sync: false },
  choices: { retry: retryWays },
  async run(context) {
    const { task, instance } = context
    const runs = startRuns(context)
    const marker = noteMarker(task, instance)
    const prompt = withInstruction(
      task.prompt(instance),
      `While you work, note your state whenever it changes: write a line that begins exactly with\n${marker}\nand go on in that format.`,
    )
    const monitors = [notes(task, instance, marker), ...finalMonitors(context)]
    const result = await runs.run(prompt, monitors, { policy: policyOf(context) })
    return outcome(context, result, runs, steeredFigures(context, result))
  },
}

/** The fork's suffix as a line that the model can write by itself. */
function noteMarker(task: Task, instance: unknown): string {
  const { suffix } = task.elicit(instance)
  return (typeof suffix === 'string' ? suffix : '').trim() || 'State:'
}

/** Reads each note when it is finished: at the fork's own stop text, or at a line end where it has none. */
export function notes<I>(task: Task<I>, instance: I, marker: string): Monitor {
  const stops = task.elicit(instance).stop ?? ['\n']
  return {
    name: 'notes',
    when: when('each line', undefined, (state, token) => [state, token.text.includes('\n')]),
    extract(text) {
      const note = lastNote(text, marker, stops)
      return note === undefined ? undefined : task.extract(instance, note, 'partial')
    },
    verify: (answer, view) => verdictOf(task, instance, answer, 'partial', view),
    intervene: (verdict, answer, view) => steerBy(task, instance, verdict, answer, view),
  }
}

/** The text of the last note, if it was finished by the newest line; a note is judged once. */
export function lastNote(text: string, marker: string, stops: readonly string[]): string | undefined {
  const at = text.lastIndexOf(marker)
  if (at < 0) return undefined
  const body = text.slice(at + marker.length)
  const ends = stops.flatMap((stop) => {
    // a stop that begins with line ends must not be found in the blank after the marker
    const found = body.indexOf(stop, body.length - body.trimStart().length)
    return found < 0 ? [] : [found + stop.length]
  })
  if (ends.length === 0) return undefined
  const end = Math.min(...ends)
  const newest = text.lastIndexOf('\n', text.length - 2) + 1
  return at + marker.length + end > newest ? body.slice(0, end) : undefined
}
