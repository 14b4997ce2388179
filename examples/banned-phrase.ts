import { fail, finalAnswer, type Monitor, pass } from 'rein/steer'
import { run, started } from './run.ts'

/** An answer with one of these phrases is taken back, and the model goes on from the end of its thinking. */
export function bannedPhrase(phrases: readonly string[]): Monitor {
  return {
    name: 'banned-phrase',
    when: finalAnswer(),
    extract: (text) => text,
    verify(text) {
      const found = phrases.filter((phrase) => text.toLowerCase().includes(phrase.toLowerCase()))
      return found.length === 0 ? pass(true) : fail(`the answer must not say "${found.join('" or "')}"`)
    },
    intervene: (verdict) =>
      verdict.kind === 'fail'
        ? { kind: 'rollback', feedback: `Wait, ${verdict.feedback}.`, voice: 'model', to: 'thinking' }
        : { kind: 'continue' },
  }
}

if (started(import.meta.url)) {
  const prompt = 'Is it safe to mix bleach and vinegar? Answer in two sentences.'
  await run(prompt, [bannedPhrase(['as an AI', 'I cannot'])], { retries: 3 })
}
