import type { Prompt } from '../trace/words.ts'

/** A prompt with an instruction of the method's after it, in the user's last message. */
export function withInstruction(prompt: Prompt, instruction: string): Prompt {
  if (typeof prompt === 'string') return `${prompt}\n\n${instruction}`
  if ('raw' in prompt) return { raw: `${prompt.raw}\n${instruction}\n` }
  const at = prompt.messages.findLastIndex((m) => m.role === 'user')
  const messages = prompt.messages.map((m, i) => (i === at ? { ...m, content: `${m.content}\n\n${instruction}` } : m))
  return { messages: at < 0 ? [...messages, { role: 'user', content: instruction }] : messages }
}

/** The prompt as plain text, for a question about it. */
export function promptText(prompt: Prompt): string {
  if (typeof prompt === 'string') return prompt
  return 'raw' in prompt ? prompt.raw : prompt.messages.map((m) => m.content).join('\n\n')
}
