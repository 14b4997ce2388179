import { mathTask } from '../math/index.ts'

/** Omni-MATH: olympiad problems with a closed answer. */
export const omni = mathTask({
  name: 'omni',
  questions: ['problem', 'question'],
  answers: ['answer', 'gold', 'solution'],
})
