import { hash32 } from '../base/random.ts'

/**
 * Which instances the embedded model never saw: the tenth that the hash of their id sets apart, the same for ever.
 * Training leaves them out, and everything that is measured on nano is measured on them.
 */
export const isHeldOut = (id: string): boolean => hash32(id) % 10 === 0
