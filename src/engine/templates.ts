import type { Message, Prompt } from '../trace/words.ts'
import type { Markers } from './engine.ts'

/**
 * Chat templates, thinking tags and turn markers by model family. Used where a server cannot render its own template
 * (SGLang, Ollama), and for the thinking tags, which no server tells. Pure text: no tokens, no network.
 */
export interface Family {
  readonly name: string
  /** does a model of this name (lower case) belong to it? */
  readonly matches: RegExp
  readonly thinkOpen: string
  readonly thinkClose: string
  /** the beginning-of-sequence text; left out where the server adds its own */
  readonly bos: string
  /** before the first turn, from the system message if there is one */
  system(content: string | undefined): string
  turn(role: 'user' | 'assistant', content: string): string
  /** closes a turn of the assistant's that is being written */
  readonly close: string
  /** opens the assistant's turn */
  readonly open: string
  /** families that put the system message into the first user turn */
  readonly systemInUser?: boolean
}

const chatml = (name: string, matches: RegExp, part: Partial<Family> = {}): Family => ({
  name,
  matches,
  thinkOpen: '<think>',
  thinkClose: '</think>',
  bos: '',
  system: (content) => (content === undefined ? '' : `<|im_start|>system\n${content}<|im_end|>\n`),
  turn: (role, content) => `<|im_start|>${role}\n${content}<|im_end|>\n`,
  close: '<|im_end|>\n',
  open: '<|im_start|>assistant\n',
  ...part,
})

const deepseek: Family = {
  name: 'deepseek',
  matches: /deepseek[-_ .]?r1|deepseek.*(distill|reason)/,
  thinkOpen: '<think>',
  thinkClose: '</think>',
  bos: '<｜begin▁of▁sentence｜>',
  system: (content) => content ?? '',
  turn: (role, content) =>
    role === 'user' ? `<｜User｜>${content}` : `<｜Assistant｜>${content}<｜end▁of▁sentence｜>`,
  close: '<｜end▁of▁sentence｜>',
  // the template of R1 and its distillations opens the thinking itself
  open: '<｜Assistant｜><think>\n',
}

const llama3: Family = {
  name: 'llama3',
  matches: /llama[-_ .]?3|llama[-_ .]?4/,
  thinkOpen: '',
  thinkClose: '',
  bos: '<|begin_of_text|>',
  system: (content) =>
    content === undefined ? '' : `<|start_header_id|>system<|end_header_id|>\n\n${content}<|eot_id|>`,
  turn: (role, content) => `<|start_header_id|>${role}<|end_header_id|>\n\n${content}<|eot_id|>`,
  close: '<|eot_id|>',
  open: '<|start_header_id|>assistant<|end_header_id|>\n\n',
}

const gemma: Family = {
  name: 'gemma',
  matches: /gemma/,
  thinkOpen: '',
  thinkClose: '',
  bos: '<bos>',
  systemInUser: true,
  system: () => '',
  turn: (role, content) => `<start_of_turn>${role === 'user' ? 'user' : 'model'}\n${content.trim()}<end_of_turn>\n`,
  close: '<end_of_turn>\n',
  open: '<start_of_turn>model\n',
}

/** OpenAI's harmony: thinking is a message in the channel "analysis", the answer one in "final". */
const harmony: Family = {
  name: 'gpt-oss',
  matches: /gpt[-_ .]?oss/,
  thinkOpen: '<|channel|>analysis<|message|>',
  thinkClose: '<|end|><|start|>assistant<|channel|>final<|message|>',
  bos: '',
  system: (content) =>
    '<|start|>system<|message|>You are ChatGPT, a large language model trained by OpenAI.\nKnowledge cutoff: 2024-06\n\n' +
    'Reasoning: medium\n\n# Valid channels: analysis, commentary, final. Channel must be included for every message.<|end|>' +
    (content === undefined ? '' : `<|start|>developer<|message|># Instructions\n\n${content}<|end|>`),
  turn: (role, content) =>
    role === 'user'
      ? `<|start|>user<|message|>${content}<|end|>`
      : `<|start|>assistant<|channel|>final<|message|>${content}<|end|>`,
  close: '<|end|>',
  open: '<|start|>assistant',
}

const PHI_SYSTEM =
  'You are Phi, a language model trained by Microsoft to help users. Your role as an assistant involves thoroughly exploring questions through a systematic thinking process before providing the final precise and accurate solutions. This requires engaging in a comprehensive cycle of analysis, summarizing, exploration, reassessment, reflection, backtracing, and iteration to develop well-considered thinking process. Please structure your response into two main sections: Thought and Solution using the specified format: <think> {Thought section} </think> {Solution section}. In the Thought section, detail your reasoning process in steps. Each step should include detailed considerations such as analysing questions, summarizing relevant findings, brainstorming new ideas, verifying the accuracy of the current steps, refining any errors, and revisiting previous steps. In the Solution section, based on various attempts, explorations, and reflections from the Thought section, systematically present the final solution that you deem correct. The Solution section should be logical, accurate, and concise and detail necessary steps needed to reach the conclusion. Now, try to solve the following question through the above guidelines:'

const phi: Family = {
  name: 'phi-4-reasoning',
  matches: /phi[-_ .]?4.*reason/,
  thinkOpen: '<think>',
  thinkClose: '</think>',
  bos: '',
  system: (content = PHI_SYSTEM) => `<|im_start|>system<|im_sep|>${content}<|im_end|>`,
  turn: (role, content) => `<|im_start|>${role}<|im_sep|>${content}<|im_end|>`,
  close: '<|im_end|>',
  open: '<|im_start|>assistant<|im_sep|>',
}

/** The first match wins: a distillation is named after its teacher and its student, and speaks like its teacher. */
export const families: readonly Family[] = [
  deepseek,
  phi,
  harmony,
  // these templates open the thinking; plain Qwen3 leaves that to the model
  chatml('qwq', /qwq|qwen3.*thinking|qwen3\.[5-9]/, { open: '<|im_start|>assistant\n<think>\n' }),
  chatml('qwen2.5', /qwen[-_ .]?2|qwen3.*(instruct|coder)/, {
    thinkOpen: '',
    thinkClose: '',
    system: (content = 'You are a helpful assistant.') => `<|im_start|>system\n${content}<|im_end|>\n`,
  }),
  chatml('qwen3', /qwen/),
  chatml('nano', /nano/, { open: '<|im_start|>assistant\n<think>\n' }),
  llama3,
  gemma,
]

/** What is taken where nothing fits: ChatML, no thinking tags unless the model's own template has them. */
export const defaultFamily: Family = chatml('chatml', /^$/, { thinkOpen: '', thinkClose: '' })

/** @example familyOf('DeepSeek-R1-Distill-Llama-8B').name // 'deepseek' */
export function familyOf(model: string, template = ''): Family {
  const name = model.toLowerCase()
  const found = families.find((family) => family.matches.test(name)) ?? byTemplate(template) ?? defaultFamily
  // a template that speaks of <think> belongs to a model that thinks in tags, whatever its name
  return found.thinkOpen === '' && template.includes('</think>')
    ? { ...found, thinkOpen: '<think>', thinkClose: '</think>' }
    : found
}

function byTemplate(template: string): Family | undefined {
  const signs: readonly [string, Family][] = [
    ['<｜Assistant｜>', deepseek],
    ['<|channel|>', harmony],
    ['<|im_sep|>', phi],
    ['<|start_header_id|>', llama3],
    ['<start_of_turn>', gemma],
  ]
  return signs.find(([sign]) => template.includes(sign))?.[1]
}

/** A prompt as the messages of a chat; undefined for raw text. */
export function messagesOf(prompt: Prompt): readonly Message[] | undefined {
  if (typeof prompt === 'string') return [{ role: 'user', content: prompt }]
  return 'messages' in prompt ? prompt.messages : undefined
}

/** Renders a chat, ready for the assistant's first token. `bos` false where the server will put its own before it. */
export function render(family: Family, messages: readonly Message[], bos = true): string {
  const systems = messages.filter(({ role }) => role === 'system').map(({ content }) => content)
  const system = systems.length ? systems.join('\n\n') : undefined
  let carried = family.systemInUser ? system : undefined
  let text = (bos ? family.bos : '') + family.system(system)
  for (const { role, content } of messages) {
    if (role === 'system') continue
    const before = role === 'user' && carried !== undefined ? `${carried}\n\n` : ''
    if (before !== '') carried = undefined
    text += family.turn(role, before + content)
  }
  return text + family.open
}

const SAID = 'rein-said'
const ASKED = 'rein-asked'
/** A chat whose rendering shows how a turn closes, how one of the user's looks and how the assistant's opens again. */
export const turnProbe: readonly Message[] = [
  { role: 'user', content: 'rein-first' },
  { role: 'assistant', content: SAID },
  { role: 'user', content: ASKED },
]

/**
 * The markers of a model: thinking tags from its family, turns from the server's own rendering of `turnProbe` where there is one.
 * Whether the template opens the thinking is read from the rendered text, not believed from the name.
 */
export function markersOf(family: Family, rendered?: string): Markers {
  const own = rendered ?? render(family, turnProbe)
  const opens = own.trimEnd()
  // a template that opens a tag of which the family does not know
  const unknown = family.thinkOpen === '' && opens.endsWith('<think>')
  const thinkOpen = unknown ? '<think>' : family.thinkOpen
  const thinkClose = unknown ? '</think>' : family.thinkClose
  const thinkOpened = thinkOpen !== '' && opens.endsWith(thinkOpen)
  const said = own.lastIndexOf(SAID)
  const asked = own.lastIndexOf(ASKED)
  const found = said >= 0 && asked > said
  const before = found
    ? own.slice(said + SAID.length, asked)
    : family.close + family.turn('user', ASKED).split(ASKED)[0]!
  const after = found ? own.slice(asked + ASKED.length) : family.turn('user', ASKED).split(ASKED)[1]! + family.open
  return { thinkOpen, thinkClose, thinkOpened, userTurn: (text) => before + text + after }
}
