import { decode, EOS, isSpecial, pieces, type Sampled } from './scripted-model.ts'

/** How each server words its requests and its stream. The same tokens in, five ways of saying them out. */
export type Dialect = 'vllm' | 'sglang' | 'llamacpp' | 'ollama' | 'openai'

export interface Asked {
  readonly prefix: readonly number[]
  readonly seed: number
  readonly temperature: number
  readonly maxTokens: number
  readonly k: number
  readonly stop: readonly string[]
  readonly id: string
}

export type End = { readonly reason: 'eos' | 'length' } | { readonly reason: 'stop'; readonly text: string }

/** What a dialect remembers of one stream. */
export interface Voice {
  /** the payloads for these tokens; `end` with the last ones */
  say(tokens: readonly Sampled[], end?: End): unknown[]
}

export interface Quirks {
  /** SGLang: each event repeats all before it */
  readonly cumulative?: boolean
  /** a draft model: every logprob after the first of a chunk is 0 */
  readonly zeroLogprobs?: boolean
  /** logprobs after temperature rather than before */
  readonly processed?: boolean
  /** the server puts a BOS before a rendered prompt that has one */
  readonly doubleBos?: boolean
  /** thinking in a field of its own, by which name */
  readonly reasoning?: 'reasoning' | 'reasoning_content' | 'both'
}

/** Text as servers send it: half a character is held back until it is whole. */
function speller(special: boolean): (id: number) => string {
  const decoder = new TextDecoder()
  return (id) => (!special && isSpecial(id) ? '' : decoder.decode(pieces[id], { stream: true }))
}

/** Where the server looks for stop texts itself: the text kept, or undefined while none was found. */
export function stopIn(text: string, stops: readonly string[]): { stop: string; end: number } | undefined {
  let best: { stop: string; end: number } | undefined
  for (const stop of stops) {
    const at = text.indexOf(stop)
    if (at >= 0 && (!best || at + stop.length < best.end)) best = { stop, end: at + stop.length }
  }
  return best
}

export function voice(dialect: Dialect, asked: Asked, quirks: Quirks): Voice {
  return { vllm: vllmVoice, sglang: sglangVoice, llamacpp: llamacppVoice, ollama: ollamaVoice, openai: openaiVoice }[
    dialect
  ](asked, quirks)
}

const lp = (t: Sampled, quirks: Quirks, i: number): number => (quirks.zeroLogprobs && i > 0 ? 0 : t.logprob)

function vllmVoice(asked: Asked, quirks: Quirks): Voice {
  const spell = speller(true)
  const name = (id: number): string => `token_id:${id}`
  let said = ''
  let total = 0
  return {
    say(tokens, end) {
      let text = tokens.map(({ id }) => spell(id)).join('')
      if (end?.reason === 'stop') text = text.slice(0, stopIn(said + text, [end.text])!.end - said.length)
      said += text
      total += tokens.length
      const choice = {
        index: 0,
        text,
        token_ids: tokens.map(({ id }) => id),
        logprobs: {
          tokens: tokens.map(({ id }) => name(id)),
          token_logprobs: tokens.map((t, i) => lp(t, quirks, i)),
          top_logprobs: tokens.map((t) => Object.fromEntries(t.top.map(({ id, logprob }) => [name(id), logprob]))),
          text_offset: [],
        },
        finish_reason: end ? (end.reason === 'length' ? 'length' : 'stop') : null,
        stop_reason: end?.reason === 'stop' ? end.text : null,
      }
      const chunk = { id: `cmpl-${asked.id}`, object: 'text_completion', choices: [choice] }
      if (!end) return [chunk]
      const usage = {
        prompt_tokens: asked.prefix.length,
        completion_tokens: total,
        prompt_tokens_details: { cached_tokens: Math.floor(asked.prefix.length / 16) * 16 },
      }
      return [chunk, { id: chunk.id, object: 'text_completion', choices: [], usage }]
    },
  }
}

function sglangVoice(asked: Asked, quirks: Quirks): Voice {
  const spell = speller(true)
  let said = ''
  const all: Sampled[] = []
  return {
    say(tokens, end) {
      let text = tokens.map(({ id }) => spell(id)).join('')
      if (end?.reason === 'stop') text = text.slice(0, stopIn(said + text, [end.text])!.end - said.length)
      said += text
      all.push(...tokens)
      const shown = quirks.cumulative ? all : tokens
      const entry = ({ id, logprob }: { id: number; logprob: number }) => [logprob, id, decode([id])]
      return [
        {
          text: quirks.cumulative ? said : text,
          output_ids: shown.map(({ id }) => id),
          meta_info: {
            id: asked.id,
            finish_reason: end
              ? { type: end.reason === 'length' ? 'length' : 'stop', matched: end.reason === 'stop' ? end.text : EOS }
              : null,
            prompt_tokens: asked.prefix.length,
            completion_tokens: all.length,
            cached_tokens: Math.max(0, asked.prefix.length - 1),
            output_token_logprobs: shown.map((t, i) => entry({ id: t.id, logprob: lp(t, quirks, i) })),
            output_top_logprobs: shown.map(({ top }) => (asked.k > 0 ? top.map(entry) : null)),
          },
        },
      ]
    },
  }
}

/** As seen on build 11669: one token an event, none for a token that ends inside a character, specials without text. */
function llamacppVoice(asked: Asked, quirks: Quirks): Voice {
  let total = 0
  let waiting: number[] = []
  return {
    say(tokens, end) {
      const events: unknown[] = []
      for (const t of tokens) {
        total++
        const own = isSpecial(t.id) ? [] : [...pieces[t.id]!]
        const bytes = [...waiting, ...own]
        if (incomplete(bytes)) {
          waiting = bytes
          continue
        }
        waiting = []
        const entry = ({ id, logprob }: { id: number; logprob: number }) => {
          const b = isSpecial(id) ? [] : [...pieces[id]!]
          return { id, token: Buffer.from(b).toString('utf8'), bytes: b, logprob }
        }
        const content = Buffer.from(bytes).toString('utf8')
        events.push({
          index: 0,
          content,
          tokens: [t.id],
          stop: false,
          tokens_predicted: total,
          tokens_evaluated: asked.prefix.length,
          ...(asked.k > 0 && {
            completion_probabilities: [
              {
                id: t.id,
                token: content,
                bytes,
                logprob: lp(t, quirks, total),
                top_logprobs: t.top.slice(0, asked.k).map(entry),
              },
            ],
          }),
        })
      }
      if (end)
        events.push({
          index: 0,
          content: '',
          tokens: [],
          stop: true,
          tokens_predicted: total,
          tokens_evaluated: asked.prefix.length,
          stop_type: end.reason === 'length' ? 'limit' : end.reason === 'eos' ? 'eos' : 'word',
          stopping_word: end.reason === 'stop' ? end.text : '',
          timings: { cache_n: Math.max(0, asked.prefix.length - 1) },
        })
      return events
    },
  }
}

function incomplete(bytes: readonly number[]): boolean {
  let lead = bytes.length - 1
  while (lead >= 0 && (bytes[lead]! & 0xc0) === 0x80) lead--
  const first = bytes[lead] ?? 0
  const need = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1
  return lead >= 0 && bytes.length - lead < need
}

/** Text only; an event with empty text is dropped together with its logprobs. */
function ollamaVoice(asked: Asked, _quirks: Quirks): Voice {
  const spell = speller(false)
  let total = 0
  return {
    say(tokens, end) {
      total += tokens.length
      const texts = tokens.map(({ id }) => spell(id))
      const response = texts.join('')
      const logprobs = tokens.map((t, i) => ({
        token: texts[i],
        bytes: [...Buffer.from(texts[i]!)],
        logprob: t.logprob,
        top_logprobs: t.top.slice(0, asked.k).map(({ id, logprob }) => ({ token: decode([id]), logprob })),
      }))
      const events: unknown[] = response === '' ? [] : [{ model: 'scripted', response, done: false, logprobs }]
      if (end)
        events.push({
          model: 'scripted',
          response: '',
          done: true,
          done_reason: end.reason === 'length' ? 'length' : 'stop',
          prompt_eval_count: asked.prefix.length,
          eval_count: total,
        })
      return events
    },
  }
}

/** A chat server with a reasoning parser: all before </think> goes to the field for thinking. */
function openaiVoice(asked: Asked, quirks: Quirks): Voice {
  const spell = speller(false)
  let total = 0
  let thinking = quirks.reasoning !== undefined
  return {
    say(tokens, end) {
      const events = tokens.flatMap((t) => {
        total++
        const text = spell(t.id)
        // the first blank line ends the thinking of this model
        const field = thinking ? quirks.reasoning! : 'content'
        if (text.includes('\n\n')) thinking = false
        if (text === '') return []
        const delta =
          field === 'both'
            ? { reasoning: text, reasoning_content: text }
            : { [field]: text, ...(field !== 'content' && { content: null }) }
        return [{ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: null }] }]
      }) as unknown[]
      if (end) {
        const finish_reason = end.reason === 'length' ? 'length' : 'stop'
        events.push({ object: 'chat.completion.chunk', choices: [{ index: 0, delta: {}, finish_reason }] })
        events.push({
          object: 'chat.completion.chunk',
          choices: [],
          usage: { prompt_tokens: asked.prefix.length, completion_tokens: total },
        })
      }
      return events
    },
  }
}
