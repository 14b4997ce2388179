import { fail, finalAnswer, type Monitor, pass } from 'rein/steer'
import { z } from 'zod'
import { run, started } from './run.ts'

/** The answer must be JSON of this shape; what is wrong with it goes back to the model. */
export function jsonSchema(schema: z.ZodType): Monitor {
  return {
    name: 'json-schema',
    when: finalAnswer(),
    extract: (text) => /\{[\s\S]*\}/.exec(text)?.[0] ?? (text.trim() || undefined),
    verify(json) {
      try {
        const { success, error } = schema.safeParse(JSON.parse(json))
        if (success) return pass(true)
        return fail(error.issues.map(({ path, message }) => `${path.join('.') || 'the answer'}: ${message}`).join('; '))
      } catch {
        return fail('it is not valid JSON')
      }
    },
    intervene: (verdict) =>
      verdict.kind === 'fail'
        ? { kind: 'rollback', feedback: `That does not fit: ${verdict.feedback}. Write the JSON again.`, voice: 'user' }
        : { kind: 'continue' },
  }
}

if (started(import.meta.url)) {
  const house = z.record(z.string(), z.string())
  const prompt =
    'There are 2 houses. Eric has a cat and lives left of Peter, who has a dog. Answer with JSON like {"House 1": {"Name": "…", "Pet": "…"}, "House 2": {…}}.'
  await run(prompt, [jsonSchema(z.object({ 'House 1': house, 'House 2': house }))], { retries: 2 })
}
