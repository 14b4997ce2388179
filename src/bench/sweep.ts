import { InputError } from '../base/errors.ts'

/**
 * Method lists as people type them. A comma separates methods and also a method's parameters; a piece with `=` and no `:`
 * belongs to the method before it.
 * @example splitMethods('cot,interwhen:k=10,retries=5') // ['cot', 'interwhen:k=10,retries=5']
 */
export function splitMethods(text: string): string[] {
  const out: string[] = []
  for (const piece of text.split(',')) {
    const part = piece.trim()
    if (part === '') continue
    if (part.includes('=') && !part.includes(':') && out.at(-1)?.includes(':')) out.push(`${out.pop()},${part}`)
    else out.push(part)
  }
  return out
}

/**
 * A sweep as the list of its methods: every combination of the values. A piece without `=` is one more value of the
 * parameter before it; `2..6` counts.
 * @example expandSweep('halo:psi=2,4,alpha=0.5') // ['halo:psi=2,alpha=0.5', 'halo:psi=4,alpha=0.5']
 */
export function expandSweep(text: string): string[] {
  const colon = text.indexOf(':')
  if (colon <= 0 || colon === text.length - 1)
    throw new InputError(`sweep "${text}" should name a method and its values, as in interwhen:k=5,10,20`)
  const name = text.slice(0, colon)
  const axes: [name: string, values: string[]][] = []
  for (const piece of text.slice(colon + 1).split(/[,;]/)) {
    const equals = piece.indexOf('=')
    if (equals > 0) axes.push([piece.slice(0, equals).trim(), range(piece.slice(equals + 1).trim())])
    else if (axes.length > 0) axes.at(-1)![1].push(...range(piece.trim()))
    else
      throw new InputError(`sweep "${text}": "${piece}" comes before any parameter; write ${name}:PARAMETER=${piece}`)
  }
  const twice = axes.find(([axis], i) => axes.findIndex(([other]) => other === axis) !== i)
  if (twice) throw new InputError(`sweep "${text}": parameter "${twice[0]}" is given twice`)
  let specs = ['']
  for (const [axis, values] of axes)
    specs = specs.flatMap((head) => values.map((value) => `${head}${head ? ',' : ''}${axis}=${value}`))
  return specs.map((parameters) => `${name}:${parameters}`)
}

function range(text: string): string[] {
  const match = /^(-?\d+)\.\.(-?\d+)$/.exec(text)
  if (!match) return [text]
  const [lo, hi] = [Number(match[1]), Number(match[2])]
  if (hi < lo || hi - lo > 1000) throw new InputError(`range "${text}" should count up, and by at most 1000`)
  return Array.from({ length: hi - lo + 1 }, (_, i) => String(lo + i))
}
