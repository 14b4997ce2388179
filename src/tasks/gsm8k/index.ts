import { mathTask } from '../math/index.ts'

/** Grade-school word problems; the gold stands after "####". */
export const gsm8k = mathTask({ name: 'gsm8k', questions: ['question', 'problem'], answers: ['answer', 'gold'] })
