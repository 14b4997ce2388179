import type { Property, Verdict } from '../../trace/words.ts'
import { chosenOption, type Option } from '../choice.ts'
import { type Claim, readClaims } from './claims.ts'
import { possibleCounts } from './count.ts'
import { compassOf, nameKey, type SpatialMap } from './map.ts'
import { entailed, minimalConflict, planeOf, type Reading, type Relation, readings, satisfiable } from './relation.ts'

type Read = SpatialMap | { readonly unread: string }
type Known = Claim & { readonly relation: Relation }

/** Judges the claims of a text together with what the map tells: they fail only if they cannot all hold. */
export function checkSpatialClaims(map: Read, text: string): Verdict {
  if ('unread' in map) return { kind: 'unknown', reason: map.unread }
  const n = map.names.length
  if (!readings.some((r) => satisfiable(n, map.premises, r)))
    return { kind: 'unknown', reason: 'the map contradicts itself' }
  const claims = readClaims(text, map.names)
  const known = claims.filter((c): c is Known => c.relation !== undefined)
  if (claims.length === 0) return { kind: 'unknown', reason: 'no claim is stated' }
  const possible = readings.filter((r) => satisfiable(n, [...map.premises, ...known.map((c) => c.relation)], r))
  const properties = claims.map((c) => claimProperty(map, c))
  if (possible.length === 0) return { kind: 'fail', feedback: conflictText(map, known), properties }
  if (possible.length < readings.length)
    return { kind: 'unknown', reason: 'it depends on what north, south, east and west mean', properties }
  if (known.length < claims.length)
    return { kind: 'unknown', reason: 'a claim names an object that is not on the map', properties }
  return { kind: 'pass', complete: false, properties }
}

function claimProperty(map: SpatialMap, claim: Claim): Property {
  const { relation } = claim
  const can = relation ? readings.map((r) => satisfiable(map.names.length, [...map.premises, relation], r)) : []
  const verdict = can.length === 0 || can[0] !== can[1] ? 'unknown' : can[0] ? 'pass' : 'fail'
  return { name: claim.text, verdict }
}

function conflictText(map: SpatialMap, known: readonly Known[]): string {
  const cores = readings.map((r) =>
    minimalConflict(
      map.names.length,
      map.premises,
      known.map((c) => c.relation),
      r,
    ),
  )
  const core = cores.reduce((a, b) => (b.length < a.length ? b : a))
  const said = [...new Set(known.filter((c) => core.includes(c.relation)).map((c) => `"${c.text}"`))]
  return said.length === 1
    ? `${said[0]} contradicts the given relations.`
    : `these cannot all hold with the given relations: ${said.join('; ')}.`
}

export type Standing = 'impossible' | 'possible' | 'certain'

/** Where an option stands under one reading of the compass; undefined when it says nothing that the question asks for. */
export function optionStanding(map: SpatialMap, option: Option, reading: Reading): Standing | undefined {
  const { question } = map
  const n = map.names.length
  const plane = planeOf(n, map.premises, reading)
  if (!plane.consistent) return undefined
  if (question.kind === 'count') {
    if (!/^\d+$/.test(option.text)) return undefined
    const counts = possibleCounts(plane, question.of, question.direction, reading)
    return !counts.has(Number(option.text)) ? 'impossible' : counts.size === 1 ? 'certain' : 'possible'
  }
  const relation = optionRelation(map, option)
  if (!relation) return undefined
  if (relation.a === relation.b || !satisfiable(n, [...map.premises, relation], reading)) return 'impossible'
  return entailed(plane, relation, reading) ? 'certain' : 'possible'
}

function optionRelation({ question, names }: SpatialMap, option: Option): Relation | undefined {
  if (question.kind === 'direction') {
    const direction = compassOf(option.text)
    return direction && { a: question.a, b: question.b, direction }
  }
  if (question.kind !== 'object') return undefined
  const a = names.findIndex((name) => nameKey(name) === nameKey(option.text))
  return a < 0 ? undefined : { a, b: question.of, direction: question.direction }
}

/** Judges the chosen option: it fails only if it is impossible however the compass is read, and passes only if it is certain. */
export function checkSpatialAnswer(map: Read, text: string): Verdict {
  if ('unread' in map) return { kind: 'unknown', reason: map.unread }
  const letter = chosenOption(text, map.options)
  if (letter === undefined) return { kind: 'unknown', reason: 'no option is chosen' }
  const option = map.options.find((o) => o.letter === letter)!
  const standings = readings.map((r) => optionStanding(map, option, r))
  if (standings.includes(undefined))
    return { kind: 'unknown', reason: 'the question or its options cannot be read with certainty' }
  if (standings.every((s) => s === 'impossible'))
    return { kind: 'fail', feedback: `option ${letter} (${option.text}) is impossible with the given relations.` }
  if (standings.includes('impossible'))
    return { kind: 'unknown', reason: 'it depends on what north, south, east and west mean' }
  return isDecided(map, option)
    ? { kind: 'pass', complete: true }
    : { kind: 'unknown', reason: 'the given relations allow it and leave others possible, too' }
}

/** Certain by the text, or the only option that the text leaves possible. */
function isDecided(map: SpatialMap, option: Option): boolean {
  return readings.every((r) => {
    if (optionStanding(map, option, r) === 'certain') return true
    return map.options.every((o) => o === option || optionStanding(map, o, r) === 'impossible')
  })
}

/** The letter that the text proves right, if it proves one. */
export function decidedOption(map: SpatialMap): string | undefined {
  return map.options.find((o) => readings.every((r) => optionStanding(map, o, r) !== 'impossible') && isDecided(map, o))
    ?.letter
}
