/** What our own zebra puzzles are about: feature lines in the dataset's manner, and noun phrases of ours for each value. */

export interface FeatureKind {
  readonly about: string
  readonly values: readonly string[]
  /** one noun phrase for a value; several make the clues vary */
  readonly phrases: readonly ((value: string) => string)[]
}

const kind = (about: string, values: string, ...phrases: string[]): FeatureKind => ({
  about,
  values: values.split(', '),
  phrases: phrases.map((p) => (value: string) => article(p.replace('%', value))),
})

const article = (phrase: string): string => phrase.replace(/\ba ([aeiou])/g, 'an $1')

export const nameKind = kind(
  'Each person has a unique name',
  'Anna, Boris, Clara, David, Elena, Felix, Greta, Hugo',
  '%',
)

export const featureKinds: readonly FeatureKind[] = [
  kind(
    'Each person has a favorite color',
    'red, green, blue, yellow, white, orange, black, purple',
    'the person whose favorite color is %',
    'the person who loves %',
  ),
  kind(
    'Each person has a unique type of pet',
    'dog, cat, bird, rabbit, turtle, hamster, snake, goat',
    'the person who has a %',
    'the person with a pet %',
  ),
  kind(
    'Each person has a unique favorite drink',
    'tea, coffee, milk, juice, cocoa, lemonade, cider, water',
    'the % drinker',
    'the person who drinks %',
  ),
  kind(
    'Each person has an occupation',
    'baker, pilot, farmer, judge, tailor, barber, miner, sailor',
    'the person who is a %',
    'the person who works as a %',
  ),
  kind('The people are of nationalities', 'norwegian, german, dane, swede, finn, greek, dutch, spaniard', 'the %'),
  kind(
    'Each person has a unique hobby',
    'chess, painting, knitting, hiking, pottery, fishing, singing, juggling',
    'the person whose hobby is %',
    'the person who enjoys %',
  ),
  kind(
    'Everyone has something unique for lunch',
    'pizza, soup, salad, pasta, stew, rice, curry, noodles',
    'the person who eats %',
    'the % eater',
  ),
  kind(
    'People have unique favorite sports',
    'tennis, soccer, rugby, hockey, golf, rowing, judo, polo',
    'the person who plays %',
    'the % fan',
  ),
  kind(
    'They all have a unique favorite flower',
    'roses, tulips, lilies, daisies, orchids, violets, poppies, asters',
    'the person who loves a bouquet of %',
    'the person who likes the flower %',
  ),
  kind(
    'People have unique favorite music genres',
    'rock, jazz, folk, blues, techno, opera, reggae, soul',
    'the person who loves % music',
    'the person who listens to %',
  ),
  kind(
    'People own unique car models',
    'volvo, skoda, honda, toyota, subaru, mazda, tesla, lancia',
    'the person who drives a %',
    'the % owner',
  ),
  kind(
    'Each person has a unique birthday month',
    'jan, feb, mar, april, may, june, sept, oct',
    'the person whose birthday is in %',
    'the person born in %',
  ),
]
