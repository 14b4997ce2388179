import { lastBoxed } from '../verify/choice.ts'
import { format, parseDecimal } from '../verify/rational.ts'
import { byLine, type Extractor, type Said } from './statement.ts'

/**
 * Mathematics: the number or formula that a line announces as the answer: in a box, after "the answer is", "answer:" or "####".
 * @example mathAnswer('So the answer is 6.17%.')[0]?.answer // '6.17'
 */
export const mathAnswer: Extractor = byLine(stated)

const announce =
  /(?:\b(?:final\s+|correct\s+)?(?:answer|result|solution)(?:\s+(?:here|now|then|therefore|thus))?\s*(?:\*\*|__)?\s*(?:(?:is|would be|should be|must be|will be|has to be)(?:\s+(?:indeed|therefore|thus|then|still|just|simply|actually|probably|likely|exactly))*\s*:?|[:=])|####|<answer>)\s*/gi
const doubted =
  /\b(?:if|whether|unless|suppose|assume|assuming|could|can|might|maybe|perhaps|not|isn't|wouldn't)\b[^.;,]*$/i
const numeral = String.raw`[-−+]?\s?(?:\$|\\\$|£|€)?\s?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?`

function stated(line: string): Said | undefined {
  const boxed = lastBoxed(line)
  if (boxed !== undefined) return boxed.trim() === '' ? undefined : said(boxed)
  if (/\?\s*$/.test(line)) return undefined
  let last: Said | undefined
  for (const m of line.matchAll(announce)) {
    const clause = /[^.;!?]*$/.exec(line.slice(Math.max(0, m.index - 160), m.index))?.[0] ?? ''
    if (!doubted.test(clause)) last = valueAt(line.slice(m.index + m[0].length)) ?? last
  }
  return last
}

function valueAt(after: string): Said | undefined {
  if (/^(?:not|none|n't|either|between|neither)\b/i.test(after)) return undefined
  const text = after.replace(/^(?:\*\*|__|`|"|indeed\s|equal to\s|simply\s|the number\s|approximately\s)+/i, '')
  const math = /^\$+([^$]{1,300})\$+|^\\\((.{1,300}?)\\\)|^\\\[(.{1,300}?)\\\]/.exec(text)
  if (math) return said((math[1] ?? math[2] ?? math[3])!)
  // a number and what it may be divided by or measured in; "3 or 4" settles on neither
  const number = new RegExp(String.raw`^(${numeral}(?:\s?/\s?\d+)?)(?![\d.]*\d)\s*(%|°)?(.*)$`, 's').exec(text)
  if (!number || !/\d/.test(number[1]!)) return undefined
  if (/^\s*(?:or\s+[-\d]|[+*/^×=]\s*[\d(]|-\s*\d|,\s*\d)/.test(number[3]!)) return undefined
  return said(number[1]!)
}

const said = (text: string): Said => ({ answer: text.trim(), key: answerKey(text) })

/**
 * One spelling for an answer that is written in several ways: numbers as reduced fractions, else the text without layout.
 * @example answerKey('\\frac{1}{2}') === answerKey('0.5') // true
 */
export function answerKey(text: string): string {
  const plain = text
    .trim()
    .replace(/\\(?:left|right|,|;|!|:|displaystyle|quad)\s?/g, '')
    .replace(/\\(?:text|mathrm|mathbf|textbf)\s*\{([^{}]*)\}/g, '$1')
    .replace(/\\[dt]frac/g, '\\frac')
    .replace(/[−–]/g, '-')
    .replace(/[\s$]|\\\$|\\%|%|\\\(|\\\)|°|\^\\circ|\^\{\\circ\}/g, '')
    .replace(/\.$/, '')
  const fraction = /^([-+]?)\\frac\{?(-?\d+)\}?\{?(\d+)\}?$/.exec(plain) ?? /^([-+]?)(\d+)\/(\d+)$/.exec(plain)
  if (fraction) {
    const top = parseDecimal(fraction[2]!)
    const bottom = parseDecimal(fraction[3]!)
    if (top && bottom && bottom.n !== 0n) return ratio(fraction[1] === '-' ? -top.n : top.n, bottom.n)
  }
  const value = parseDecimal(plain.replace(/(?<=\d),(?=\d{3}(?:\D|$))/g, ''))
  return value ? format(value) : plain.toLowerCase()
}

function ratio(n: bigint, d: bigint): string {
  let [a, b] = [n < 0n ? -n : n, d]
  while (b !== 0n) [a, b] = [b, a % b]
  return format({ n: n / a, d: d / a })
}
