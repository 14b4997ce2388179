import { afterThinking, boxes, isCut, lastAnswerTag, untilBrace } from '../text.ts'

/**
 * The final answer in a model's text, by the strongest sign that is there: the last box, "#### 18", answer tags, a JSON field,
 * "the answer is …", a formula that ends the last sentence. Undefined where there is none: a guess would be a wrong verdict.
 */
export function finalAnswer(output: string): string | undefined {
  const text = afterThinking(output).slice(-200_000)
  const answer =
    boxes(text).at(-1) ??
    last(text, /####\s*([^\n]+)/g) ??
    lastAnswerTag(text) ??
    jsonField(text) ??
    said(text) ??
    lastFormula(text) ??
    lastBold(text)
  const bare = answer?.trim()
  return bare === undefined || bare === '' || /^(?:none|nothing|no answer|n\/a|unknown|\?+)(?: yet)?\.?$/i.test(bare)
    ? undefined
    : bare
}

/** A fork's text after an open "\boxed{", or a bare answer. */
export function partialAnswer(output: string, maxTokens: number): string | undefined {
  const box = boxes(output).at(-1)
  const said = box ?? untilBrace(output.trimStart())
  if (isCut(said, maxTokens, box !== undefined || said.length < output.trimStart().length)) return undefined
  const line = said.trim()
  return line === '' || /^(?:none|nothing|unknown|not (?:yet|known|sure))\b/i.test(line) ? undefined : line
}

const last = (text: string, pattern: RegExp): string | undefined => [...text.matchAll(pattern)].at(-1)?.[1]

/** {"reasoning": "…", "answer": "30"}, also when the rest of it is not JSON */
function jsonField(text: string): string | undefined {
  const m = [...text.matchAll(/"(?:final_)?answer"\s*:\s*("(?:[^"\\]|\\.)*"|-?[\d.,]+)/gi)].at(-1)?.[1]
  if (m === undefined) return undefined
  if (!m.startsWith('"')) return m.replace(/,$/, '')
  try {
    // a model writes \frac in JSON without doubling the backslash; a lone \f would become a form feed
    return String(JSON.parse(m.replace(/\\(?!["\\/])/g, '\\\\')))
  } catch {
    return m.slice(1, -1)
  }
}

const lead = /\b(?:final answer|answer)\b\**\s*(?:(?:is|to the (?:question|problem) is|=|:)\**)\s*:?\s*/gi

/** "The answer is X." up to the end of the sentence */
function said(text: string): string | undefined {
  const m = [...text.matchAll(lead)].at(-1)
  if (!m) return undefined
  const rest = text.slice(m.index + m[0].length).replace(/^\s*\n+/, '')
  const math = /^(?:\*\*)?(?:\$([^$\n]+)\$|\\\(([\s\S]+?)\\\)|\\\[([\s\S]+?)\\\])/.exec(rest)
  if (math) return math[1] ?? math[2] ?? math[3]
  const sentence = /^[^\n]*?(?=\.(?:\s|$)|\n|$)/.exec(rest)?.[0].replace(/\*\*/g, '').trim()
  return sentence === undefined || sentence.length > 120 ? undefined : sentence
}

/** "… is \((3, \frac{\pi}{2})\)." as the very end of the text */
function lastFormula(text: string): string | undefined {
  const m =
    /(?:\bis|\bare|=|:)\s*(?:\*\*)?(?:\$([^$\n]+)\$|\\\(([^\n]+?)\\\)|\\\[\s*([^\n]+?)\s*\\\])(?:\*\*)?\s*\.?\s*$/.exec(
      text.trimEnd().slice(-1000),
    )
  return m?.[1] ?? m?.[2] ?? m?.[3]
}

/** "Thus, 196 has **9** divisors.": the only bold number of the last line */
function lastBold(text: string): string | undefined {
  const line = text.trimEnd().split('\n').at(-1)!
  const bold = [...line.matchAll(/\*\*([^*]+)\*\*/g)].map((m) => m[1]!)
  return bold.length === 1 && /\d/.test(bold[0]!) ? bold[0] : undefined
}
