import { describe, expect, test } from 'vitest'
import { random } from '../src/base/random.ts'
import { feedbackInThought } from '../src/steer/inject.ts'
import { compose, type Form, forms } from './compose.ts'
import { format, render, textOf } from './doc.ts'
import { authors, type TaskName } from './mix.ts'
import { type Author, calm, clumsy } from './story.ts'

type Any = Author<unknown, unknown>
const all = Object.entries(authors) as unknown as [TaskName, Any][]

/** Whole answers only: a long chain's story stops in mid-thought. */
function whole(author: Any, seed: string) {
  for (let n = 0; ; n++) {
    const r = random(`${seed}/${n}`)
    const instance = author.instance(r)
    const story = author.tell(r, instance, calm)
    if (story.answer) return { instance, story, answer: author.task.answerPrefix + textOf(story.answer) }
  }
}

describe.each(all)('%s', (_name, author) => {
  test('a careful story ends with the right answer', () => {
    let right = 0
    for (let n = 0; n < 40; n++) {
      const { instance, answer } = whole(author, `careful/${n}`)
      if (author.task.grade(instance, `${format.thinkClose}\n\n${answer}`)) right++
    }
    // a map may leave its objects open: then the story guesses, and says so; zebra stories keep one supposition apart, and
    // a second one inside it makes them hasty
    const least: Record<string, number> = { spatialmap: 30, zebralogic: 36 }
    expect(right).toBeGreaterThanOrEqual(least[author.task.name] ?? 40)
  })

  test('what a careful story would state at any line is never refuted, except tries that cannot work', () => {
    for (let n = 0; n < 15; n++) {
      const { instance, story } = whole(author, `honest/${n}`)
      for (const line of story.lines) {
        const stated = author.task.extract(instance, author.partial(instance, line.here), 'partial')
        if (stated === undefined) continue
        const verdict = author.task.verify(instance, stated, 'partial')
        if (author.task.name === 'game24') expect(verdict.kind).not.toBe('unknown')
        else expect(verdict.kind).toBe('pass')
      }
    }
  })

  test('feedback stands where the verifier refutes, word for word as rein injects it', () => {
    let seen = 0
    for (let n = 0; seen < 5 && n < 200; n++) {
      const r = random(`feedback/${n}`)
      const instance = author.instance(r)
      const doc = compose(author, r, instance, 'feedback')
      if (!doc) continue
      seen++
      const at = doc.parts.findIndex((p, i) => i > 0 && p.kind === 'given')
      const before = textOf(doc.parts.slice(0, at))
      const note = doc.parts[at]!.text.trim()
      expect(doc.parts[at]!.text).toBe(feedbackInThought(before, note))
      expect(note).toMatch(/^Wait, /)
      expect(doc.parts.slice(at + 1).some((p) => p.kind === 'own')).toBe(true)
    }
    expect(seen).toBe(5)
  })

  test('every form begins with the rendered question and is learnt only in the model’s own words', () => {
    for (const form of Object.keys(forms) as Form[])
      for (let n = 0; n < 12; n++) {
        const r = random(`forms/${form}/${n}`)
        const instance = author.instance(r)
        const doc = compose(author, r, instance, form)
        if (!doc) continue
        expect(doc.parts[0]!.kind).toBe('given')
        expect(doc.parts[0]!.text).toMatch(/^<\|user\|>[\s\S]*<\|end\|><\|assistant\|><think>\n$/)
        if (form === 'plain') expect(doc.parts[0]!.text).toBe(render(author.task.prompt(instance)))
        expect(doc.parts.slice(1).some((p) => p.kind === 'own')).toBe(true)
      }
  })
})

describe('chain', () => {
  const author = authors.chain
  test('no story goes further than the horizon from where it began', () => {
    for (let n = 0; n < 200; n++) {
      const r = random(`horizon/${n}`)
      const instance = author.instance(r)
      const { lines, answer } = author.tell(r, instance, { ...calm, slip: clumsy.slip })
      if (instance.steps.length <= 16) {
        expect(textOf(answer ?? [])).toMatch(/\d/)
        expect(lines.length).toBeGreaterThanOrEqual(instance.steps.length)
      } else expect(lines).toHaveLength(10)
    }
  })
})
