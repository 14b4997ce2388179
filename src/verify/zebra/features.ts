/** The head of a zebra puzzle: how many houses, and the features with their values. */

export interface Feature {
  /** the name of the feature in assignments: "Color", "BookGenre" */
  readonly key: string
  /** the puzzle's own line about it */
  readonly about: string
  readonly values: readonly string[]
}

export interface ZebraHead {
  readonly houses: number
  readonly features: readonly Feature[]
}

/** Words of a feature line → the dataset's column. The first that fits wins; a line that none fits is named after its last words. */
const columns: readonly (readonly [RegExp, string])[] = [
  [/\bmothers?\b.*\bname/, 'Mother'],
  [/\bchild(?:ren)?\b/, 'Children'],
  [/\bhair\b/, 'HairColor'],
  [/\bcolou?rs?\b/, 'Color'],
  [/\bnationalit/, 'Nationality'],
  [/\bbook\b/, 'BookGenre'],
  [/\bmusic\b/, 'MusicGenre'],
  [/\b(?:lunch|food)\b/, 'Food'],
  [/\bsmoothie/, 'Smoothie'],
  [/\bdrinks?\b/, 'Drink'],
  [/\bpets?\b/, 'Pet'],
  [/\banimals?\b/, 'Animal'],
  [/\b(?:occupation|job|profession)/, 'Occupation'],
  [/\bphone/, 'PhoneModel'],
  [/\bcars?\b/, 'CarModel'],
  [/\bbirthday|\bmonth/, 'Birthday'],
  [/\bcigar/, 'Cigar'],
  [/\beducation/, 'Education'],
  [/\bsports?\b/, 'FavoriteSport'],
  [/\bflower/, 'Flower'],
  [/\bheight/, 'Height'],
  [/\bhobb/, 'Hobby'],
  [/\bstyles? of houses?\b|\bhouse styles?\b/, 'HouseStyle'],
  [/\bvacation/, 'Vacation'],
  [/\bnames?\b/, 'Name'],
]

/** @example readHead('There are 2 houses, …\n - Each person has a unique name: `Eric`, `Arnold`\n …') */
export function readHead(puzzle: string): ZebraHead | { readonly unread: string } {
  const houses = Number(/\bthere are (\d+) houses\b/i.exec(puzzle)?.[1] ?? 0)
  if (houses < 1 || houses > 30) return { unread: 'no line "There are N houses" (1 to 30) found' }
  const features: Feature[] = []
  for (const line of puzzle.split('\n')) {
    const m = /^\s*[-*•]\s+([^:`]+):\s*(\S.*)$/.exec(line)
    if (!m) continue
    const values = listed(m[2]!)
    if (values.length !== houses || new Set(values.map(fold)).size !== houses)
      return { unread: `the feature "${m[1]!.trim().slice(0, 60)}" does not list ${houses} different values` }
    features.push({ key: freshKey(m[1]!, features), about: m[1]!.trim(), values })
  }
  if (features.length === 0 || features.length > 30)
    return { unread: 'no feature lines with values in `backticks` found' }
  return { houses, features }
}

/** `a`, `b` or a, b; the example of one prompt ends the line with a full stop. */
function listed(text: string): string[] {
  if (!text.includes('`'))
    return text
      .replace(/\.\s*$/, '')
      .split(',')
      .map((v) => v.trim())
      .filter(Boolean)
  const outside = text.replace(/`[^`]*`/g, '')
  return /^[\s,.;]*$/.test(outside.replace(/\band\b/g, ''))
    ? [...text.matchAll(/`([^`]+)`/g)].map((v) => v[1]!.trim())
    : []
}

export const fold = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
    .trim()

function freshKey(about: string, taken: readonly Feature[]): string {
  const words = about.toLowerCase()
  const key = columns.find(([pattern]) => pattern.test(words))?.[1] ?? lastWords(about)
  if (!taken.some((f) => f.key === key)) return key
  for (let n = 2; ; n++) if (!taken.some((f) => f.key === `${key}${n}`)) return `${key}${n}`
}

const filler = new Set(
  'a an all are different each everyone favorite favourite has have houses in is keep likes of own people person prefers the their they type unique'.split(
    ' ',
  ),
)

function lastWords(about: string): string {
  const kept = about
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((w) => w !== '' && !filler.has(w))
    .slice(-2)
  return kept.map((w) => w[0]!.toUpperCase() + w.slice(1)).join('') || 'Feature'
}
