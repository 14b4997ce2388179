/** The five words of a value prompt (interwhen, section 5.3.1), and the synonyms that its rubrics allow. */
const words: Readonly<Record<string, number>> = {
  sure: 0.9,
  certain: 0.9,
  confident: 0.9,
  likely: 0.7,
  probably: 0.7,
  possible: 0.5,
  maybe: 0.5,
  unlikely: 0.3,
  doubtful: 0.3,
  impossible: 0.1,
  blocked: 0.1,
}
const pattern = new RegExp(String.raw`\b(not\s+|isn't\s+|un-)?(${Object.keys(words).join('|')})\b`, 'gi')
const denied: Readonly<Record<string, number>> = {
  sure: 0.5,
  certain: 0.5,
  confident: 0.5,
  likely: 0.3,
  probably: 0.3,
  possible: 0.1,
  unlikely: 0.7,
  impossible: 0.5,
}

/**
 * What a value reply says, as a number; undefined when it says none of the words. A line labelled "Confidence:", "Verdict:" or
 * "Value:" decides, the last one if there are several; else the last line with a word. Words are whole: "ensure" is not "sure".
 * @example readValue('Let me ensure it.\nVerdict: impossible') // 0.1
 */
export function readValue(text: string): number | undefined {
  const lines = text.split('\n')
  const said = (line: string): number[] => [...line.matchAll(pattern)].map(wordValue)
  const label = /\b(?:confidence|verdict|value|rating|judg(?:e)?ment)\b\W*[:=]\W*/i
  const labelled = lines.findLast((line) => label.test(line) && said(line.split(label).at(-1)!).length > 0)
  // after a label the first word is the level and the rest its justification
  if (labelled !== undefined) return said(labelled.split(label).at(-1)!)[0]
  const last = lines.findLast((line) => said(line).length > 0)
  return last === undefined ? undefined : said(last).at(-1)
}

function wordValue(match: RegExpMatchArray): number {
  const word = match[2]!.toLowerCase()
  return (match[1] ? denied[word] : undefined) ?? words[word]!
}
