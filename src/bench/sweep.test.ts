import { describe, expect, it } from 'vitest'
import { expandSweep, splitMethods } from './sweep.ts'

describe('method lists and sweeps', () => {
  it('a comma separates methods, and the parameters of one', () => {
    expect(splitMethods('cot, interwhen:k=10,retries=5 ,best-of-k:k=2')).toEqual([
      'cot',
      'interwhen:k=10,retries=5',
      'best-of-k:k=2',
    ])
    expect(splitMethods('cot,halo')).toEqual(['cot', 'halo'])
  })

  it('a sweep is every combination of its values', () => {
    expect(expandSweep('interwhen:k=5,10,20')).toEqual(['interwhen:k=5', 'interwhen:k=10', 'interwhen:k=20'])
    expect(expandSweep('halo:psi=2,4,alpha=0.5,1')).toEqual([
      'halo:psi=2,alpha=0.5',
      'halo:psi=2,alpha=1',
      'halo:psi=4,alpha=0.5',
      'halo:psi=4,alpha=1',
    ])
    expect(expandSweep('halo:psi=2,4;alpha=0.5')).toHaveLength(2)
    expect(expandSweep('k-stable:k=2..4')).toEqual(['k-stable:k=2', 'k-stable:k=3', 'k-stable:k=4'])
  })

  it('says what is wrong', () => {
    expect(() => expandSweep('interwhen')).toThrow(/interwhen:k=5,10,20/)
    expect(() => expandSweep('interwhen:5,10')).toThrow(/comes before any parameter/)
    expect(() => expandSweep('interwhen:k=1,k=2')).toThrow(/given twice/)
    expect(() => expandSweep('interwhen:k=9..1')).toThrow(/should count up/)
  })
})
