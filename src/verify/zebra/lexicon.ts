/**
 * The words that clues put around a value. A noun phrase is read only if every word of it is either the value or one of
 * these; so a negation, a comparison or an unknown verb makes a phrase unread instead of misread.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** Words that change nothing. */
const common = words(
  'the a an person people individual one man woman who whose that with is has of in at on as for to his her their its',
)
const taste =
  'loves love likes like enjoys enjoy prefers prefer adores favorite favourite favors lover fan enthusiast fond partial into'

export interface Kind {
  /** may stand beside a value of this feature */
  readonly words: ReadonlySet<string>
  /** one of these has to, or the phrase speaks of something else */
  readonly needs?: RegExp
  /** these must not, though each word may */
  readonly bars?: RegExp
  /** speaks for this feature where two features have the same value */
  readonly hints?: RegExp
}

const kinds: Readonly<Record<string, Kind>> = {
  Name: { words: words('named name called') },
  Mother: {
    words: words('mother mothers mom mum named name called'),
    needs: /\b(?:mother|mom|mum)s?\b/,
    bars: /\b(?:mother|mom|mum) of\b/,
  },
  Children: {
    words: words('child children kid kids son daughter parent mother father mom dad named name called accompanied by'),
    needs: /\b(?:child|children|kids?|son|daughter|accompanied)\b|\b(?:mother|father|parent|mom|dad) of\b/,
    bars: /\b(?:mother|father|parent|mom|dad) name/,
  },
  Nationality: { words: words('nationality citizen from native national comes') },
  BookGenre: {
    words: words(`${taste} book books novel novels genre genres reads reading reader`),
    hints: /\b(?:book|novel|read)/,
  },
  MusicGenre: {
    words: words(`${taste} music genre genres listens listening listener songs`),
    hints: /\b(?:music|listen|song)/,
  },
  Food: {
    words: words(`${taste} eats eat eating eater lunch food meal dish having orders`),
    hints: /\b(?:eat|lunch|food|meal|dish)/,
  },
  Color: { words: words(`${taste} color colour`), hints: /\bcolou?r\b/ },
  HairColor: { words: words('hair haired color colour'), needs: /\bhair(?:ed)?\b/ },
  Animal: {
    words: words(`${taste} keeps keep keeper owner owns raises animal animals`),
    hints: /\b(?:animal|keeper|owner|lover|enthusiast)\b/,
  },
  Pet: {
    words: words(`${taste} keeps keep keeper owner owns pet pets aquarium`),
    hints: /\b(?:pets?|aquarium|who (?:has|owns))\b/,
  },
  Occupation: {
    words: words('works work working occupation job profession'),
    hints: /\b(?:work|occupation|job|profession)/,
  },
  PhoneModel: { words: words(`${taste} uses using user owns phone smartphone model`), hints: /\b(?:use|phone)/ },
  CarModel: { words: words(`${taste} owns drives driving driver owner car model`), hints: /\b(?:driv|car\b)/ },
  Birthday: { words: words('birthday birth born month'), hints: /\bb(?:irth|orn)/ },
  Cigar: {
    words: words(`${taste} smokes smoke smoker smoking cigar cigars cigarette cigarettes brand many unique`),
    hints: /\b(?:smok|cigar)/,
  },
  Drink: { words: words(`${taste} drinks drink drinking drinker only beverage`), hints: /\bdrink/ },
  Smoothie: {
    words: words(`${taste} smoothie smoothies drinks drinking drinker`),
    hints: /\bsmoothie/,
    bars: /\bdrinks only\b/,
  },
  Education: {
    words: words(
      'degree diploma education educated level attended holds went graduate graduated completed earned highest',
    ),
    hints: /\b(?:degree|diploma|education|attend|graduat)/,
  },
  FavoriteSport: { words: words(`${taste} sport sports plays playing player`), hints: /\b(?:sport|play)/ },
  Flower: {
    words: words(`${taste} flower flowers bouquet boquet bouquets arrangement arrangements vase`),
    hints: /\b(?:flower|bou?quet|arrangement|vase)/,
  },
  Height: { words: words('height tall'), hints: /\bheight\b/ },
  Hobby: { words: words(`${taste} hobby hobbyist does doing spends time`), hints: /\bhobby/ },
  HouseStyle: {
    words: words('house home villa style styled lives living resides residing dwelling building mansion cottage'),
    hints: /\b(?:house|home|villa|style|liv|resid)/,
  },
  Vacation: {
    words: words(
      `${taste} vacation vacations vacationer trip trips break breaks retreat retreats tour tours holiday holidays getaway getaways travel going goes`,
    ),
    hints: /\b(?:vacation|trip|break|retreat|tour|holiday|getaway)/,
  },
}

/** A feature that the lexicon does not know: the words of its own line, and the verbs of liking and having. */
const plain = words(`${taste} owns uses keeps drinks eats plays drives named called`)

export function kindOf(key: string, about: string): Kind {
  const known = kinds[key.replace(/\d+$/, '')]
  if (known) return known
  const own = about
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((w) => w !== '' && !/^(?:not|no|never|except|other|than)$/.test(w))
  return { words: new Set([...plain, ...own, ...own.map((w) => w.replace(/s$/, ''))]) }
}

export const isFiller = (kind: Kind, word: string): boolean => common.has(word) || kind.words.has(word)

const months = 'january february march april may june july august september october november december'.split(' ')

/** "sept" and "September" → 8. */
function monthOf(word: string): number {
  return word.length < 3 ? -1 : months.findIndex((m) => m === word || (m.startsWith(word) && word.length <= 4))
}

/** Ways to name who comes from a place, beside what the endings below cover. */
const people = [
  'brit british briton',
  'swede swedish',
  'dane danish',
  'finn finnish',
  'spaniard spanish',
  'pole polish',
  'turk turkish',
  'scot scottish scotsman',
  'french frenchman frenchwoman',
  'dutch dutchman',
  'irish irishman',
  'english englishman',
  'welsh welshman',
  'icelander icelandic',
  'norwegian norway',
  'german germany',
  'chinese china',
  'argentine argentinian',
  'newzealander kiwi',
  'filipino philippine',
  'greek greece',
  'swiss switzerland',
  'blond blonde',
  'gray grey',
  'boba bubble',
  'doctorate phd doctoral',
].map((group) => new Set(group.split(' ')))

const table = new Set(people.flatMap((group) => [...group]))

const endings = new Set(['', 's', 'es', 'e', 'ed', 'ing', 'er', 'ers', 'y', 'ies', 'ist', 'ists'])

/** 2: the same word; 1: the same word in another form; 0: another word. */
export function sameWord(a: string, b: string): 0 | 1 | 2 {
  if (a === b) return 2
  // no two forms of a word differ in their first letter, except in the table
  if (a[0] !== b[0] && !table.has(a)) return 0
  const month = monthOf(a)
  if (month >= 0 && month === monthOf(b)) return 1
  if (people.some((group) => group.has(a) && group.has(b))) return 1
  let shared = 0
  while (shared < a.length && a[shared] === b[shared]) shared++
  if (shared < 3 || /\d/.test(a + b)) return 0
  const [x, y] = [a.slice(shared), b.slice(shared)]
  if (endings.has(x) && endings.has(y)) return 1
  // knit – knitting: the doubled consonant belongs to the ending
  const last = a[shared - 1]!
  const undoubled = (tail: string): string => (tail.startsWith(last) ? tail.slice(1) : tail)
  return (x === '' && undoubled(y) === 'ing') || (y === '' && undoubled(x) === 'ing') ? 1 : 0
}
