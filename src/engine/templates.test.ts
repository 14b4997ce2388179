import { describe, expect, it } from 'vitest'
import { families, familyOf, markersOf, render, turnProbe } from './templates.ts'

const ask = [{ role: 'user', content: 'Q' }] as const
const chat = [
  { role: 'system', content: 'S' },
  { role: 'user', content: 'A' },
  { role: 'assistant', content: 'B' },
  { role: 'user', content: 'C' },
] as const

describe('familyOf', () => {
  it.each([
    ['Qwen/Qwen3-8B', 'qwen3'],
    ['qwen3:8b', 'qwen3'],
    ['Qwen/QwQ-32B', 'qwq'],
    ['Qwen/Qwen3-30B-A3B-Thinking-2507', 'qwq'],
    ['Qwen/Qwen2.5-7B-Instruct', 'qwen2.5'],
    ['deepseek-ai/DeepSeek-R1-Distill-Qwen-7B', 'deepseek'],
    ['deepseek-r1:8b', 'deepseek'],
    ['DeepSeek-R1-Distill-Llama-8B', 'deepseek'],
    ['meta-llama/Llama-3.1-8B-Instruct', 'llama3'],
    ['llama3.2:3b', 'llama3'],
    ['google/gemma-3-12b-it', 'gemma'],
    ['openai/gpt-oss-20b', 'gpt-oss'],
    ['microsoft/Phi-4-reasoning-plus', 'phi-4-reasoning'],
    ['rein-nano', 'nano'],
    ['something-else', 'chatml'],
  ])('%s is %s', (model, family) => expect(familyOf(model).name).toBe(family))

  it('reads the family of an unknown name from its template, thinking tags too', () => {
    expect(familyOf('x', '…<|start_header_id|>…').name).toBe('llama3')
    expect(familyOf('x', "{% if '</think>' in content %}").thinkClose).toBe('</think>')
  })
})

describe('render', () => {
  it('writes each family as its own template does', () => {
    expect(render(familyOf('qwen3'), chat)).toBe(
      '<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nA<|im_end|>\n<|im_start|>assistant\nB<|im_end|>\n<|im_start|>user\nC<|im_end|>\n<|im_start|>assistant\n',
    )
    expect(render(familyOf('deepseek-r1'), chat)).toBe(
      '<｜begin▁of▁sentence｜>S<｜User｜>A<｜Assistant｜>B<｜end▁of▁sentence｜><｜User｜>C<｜Assistant｜><think>\n',
    )
    expect(render(familyOf('llama-3'), chat)).toBe(
      '<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nS<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nA<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nB<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nC<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n',
    )
    expect(render(familyOf('gemma-3'), chat)).toBe(
      '<bos><start_of_turn>user\nS\n\nA<end_of_turn>\n<start_of_turn>model\nB<end_of_turn>\n<start_of_turn>user\nC<end_of_turn>\n<start_of_turn>model\n',
    )
    expect(render(familyOf('gpt-oss'), chat)).toMatch(
      /^<\|start\|>system<\|message\|>You are ChatGPT.*<\|end\|><\|start\|>developer<\|message\|># Instructions\n\nS<\|end\|><\|start\|>user<\|message\|>A<\|end\|><\|start\|>assistant<\|channel\|>final<\|message\|>B<\|end\|><\|start\|>user<\|message\|>C<\|end\|><\|start\|>assistant$/s,
    )
    expect(render(familyOf('phi-4-reasoning'), ask)).toMatch(
      /^<\|im_start\|>system<\|im_sep\|>You are Phi.*<\|im_end\|><\|im_start\|>user<\|im_sep\|>Q<\|im_end\|><\|im_start\|>assistant<\|im_sep\|>$/s,
    )
  })

  it('leaves the BOS out where the server adds its own', () => {
    for (const family of families) expect(family.bos + render(family, ask, false)).toBe(render(family, ask))
  })
})

describe('markersOf', () => {
  it('finds from the rendered text whether the template opens the thinking', () => {
    expect(markersOf(familyOf('qwq')).thinkOpened).toBe(true)
    expect(markersOf(familyOf('qwen3')).thinkOpened).toBe(false)
    // the same name, but this server's template opens it
    const rendered = `${render(familyOf('qwen3'), turnProbe)}<think>\n`
    expect(markersOf(familyOf('qwen3'), rendered).thinkOpened).toBe(true)
    expect(markersOf(familyOf('who knows'), rendered)).toMatchObject({ thinkOpen: '<think>', thinkOpened: true })
  })

  it('a turn of the user continues the chat exactly as the template would have', () => {
    const [first, said, asked] = turnProbe
    for (const family of families) {
      const before = render(family, [first!]).replace(/<think>\n$/, '')
      const lead = family
        .turn('assistant', 'X')
        .split('X')[0]!
        .slice(family.open.replace(/<think>\n$/, '').length)
      const whole = before + lead + said!.content + markersOf(family).userTurn(asked!.content)
      expect(whole).toBe(render(family, turnProbe))
    }
  })

  it('takes the turn from the server when it renders templates that no table has', () => {
    const rendered = '[Q]rein-first[/Q][A]rein-said[/A][Q]rein-asked[/Q][A]'
    expect(markersOf(familyOf('unheard-of'), rendered).userTurn('why?')).toBe('[/A][Q]why?[/Q][A]')
  })
})
