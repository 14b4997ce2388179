import type { Elicitation } from '../steer/monitor.ts'

/**
 * A short fork that makes the model begin its final answer now. It continues the real trace, so the question and all the
 * thinking are its context.
 * @example probe('The final expression is \\boxed', { maxTokens: 20 }).suffix // 'The final expression is \\boxed{'
 */
export function probe(answerPrefix: string, options: { maxTokens: number; topLogprobs?: number }): Elicitation {
  const prefix = answerPrefix === '' ? 'The final answer is \\boxed' : answerPrefix
  return {
    // the brace after \boxed is certain: what comes after it is the answer
    suffix: prefix.endsWith('\\boxed') ? `${prefix}{` : prefix,
    stop: ['}', '\n'],
    ...options,
  }
}
