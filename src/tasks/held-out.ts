import { hash32 } from '../base/random.ts'

export type Side = 'train' | 'tune' | 'test'

/**
 * Which side of the fence an instance stands on, by the hash of its id, the same for ever. The embedded model was trained on
 * neither of two tenths: settings are chosen on one, everything that is reported is measured on the other.
 */
export function sideOf(id: string): Side {
  const tenth = hash32(id) % 10
  return tenth === 0 ? 'test' : tenth === 1 ? 'tune' : 'train'
}

export const isHeldOut = (id: string): boolean => sideOf(id) === 'test'
