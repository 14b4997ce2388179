import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { fakeEngine } from '../../test/fake-engine.ts'
import type { Engine } from '../engine/engine.ts'
import { type ChainInstance, chain, chainLine, chainValues } from '../tasks/chain/index.ts'
import { getTask } from '../tasks/registry.ts'
import { parseMethod } from './registry.ts'

const folder = mkdtempSync(join(tmpdir(), 'rein-halo-'))
afterAll(() => rmSync(folder, { recursive: true }))

const calibration = (name: string, changes: object = {}): string => {
  const path = join(folder, `${name}.json`)
  const fitted = { signal: 'attention', granularity: 'line', alpha: 1, beta: -3, psi: 3.5, floor: true }
  writeFileSync(
    path,
    JSON.stringify({ rein: 'calibration', version: 1, engine: 'fake', model: 'fake', ...fitted, ...changes }),
  )
  return path
}

/** Does whatever chain it is asked, rightly but for step `slip` of the whole when first asked from 4 on; H̄ = 4 throughout. */
function chainModel(whole: ChainInstance, slip?: number): ReturnType<typeof fakeEngine> {
  let begun = 0
  const engine = fakeEngine({
    can: { attentionEntropy: true },
    say(text) {
      const asked = text.match(/Start: (\d+)\. Steps: (.*)\n/)!
      const steps = asked[2] === 'none' ? [] : asked[2]!.split(/ ?\d+\) /).filter(Boolean)
      const instance = { start: Number(asked[1]), steps }
      const written = [...text.matchAll(/^(\d+): .* (\d+)$/gm)]
      if (text.endsWith('(or none): '))
        return written.length === 0 ? 'none\n' : `${written.at(-1)![1]}: ${written.at(-1)![2]}\n`
      let value = written.length === 0 ? instance.start : Number(written.at(-1)![2])
      if (written.length === 0 && steps.length === whole.steps.length - 4) begun++
      let out = ''
      for (let i = written.length + 1; i <= steps.length; i++) {
        const line = chainLine(instance, i, value)
        const at = whole.steps.length - steps.length + i
        const bad = at === slip && begun === 1
        out += `${bad ? line.replace(/\d+$/, '99') : line}\n`
        value = bad ? 99 : chainValues({ start: value, steps: [steps[i - 1]!] })[1]!
      }
      return `${out}</think>\n\nThe last value is \\boxed{${value}}.`
    },
  })
  const { stream } = engine
  engine.stream = async function* (prefix, options) {
    for await (const token of stream(prefix, options)) yield { ...token, attention: { mean: 4 } }
  }
  return engine
}

const instance = chain.read({ start: 37, steps: ['+15', '*3', '-8', '*7', '+3', '-11', '*9', '+50', '-2', '*3'] })

async function solve(engine: Engine, spec: string) {
  const { method, parameters } = parseMethod(spec)
  const states: string[] = []
  const result = await method.run({
    engine,
    task: getTask('chain'),
    instance,
    seed: 1,
    parameters,
    maxTokens: 5000,
    sync: true,
    onEvent(event) {
      if (event.type === 'intervention' && event.intervention.kind === 'rectify') states.push(event.intervention.state)
    },
  })
  return { result, states, right: chain.grade(instance, result.output) }
}

describe('halo on chain', () => {
  const file = calibration('good')

  test('a fresh start asks what remains, counted from 1; states are of the whole', async () => {
    const engine = chainModel(instance)
    const { states, right } = await solve(engine, `halo:calibration=${file}`)
    const truth = chainValues(instance)
    expect(states).toEqual([4, 8].map((step) => `${step}: ${truth[step]}`))
    expect(right).toBe(true)
    const begun = engine.requests.map(({ text }) => text.match(/Steps: 1\) (\S+)/)?.[1])
    expect(new Set(begun)).toEqual(new Set(['+15', '+3', '-2']))
  })

  test('plain halo goes on from a wrong state; halo+verify does not', async () => {
    const plain = await solve(chainModel(instance, 7), `halo:calibration=${file}`)
    expect(plain.right).toBe(false)
    expect(plain.result.status).toBe('unverified')
    const checked = await solve(chainModel(instance, 7), `halo+verify:calibration=${file}`)
    expect(checked.states.every((state) => chain.rectify!.verify(instance, state).kind === 'pass')).toBe(true)
    expect(checked.right).toBe(true)
    expect(checked.result.status).toBe('verified')
  })

  test('what does not fit is refused in one sentence before anything runs', () => {
    const refusal = (spec: string, engine: Engine = chainModel(instance), task = 'chain') => {
      const { method, parameters } = parseMethod(spec)
      return method.refuses?.(engine, getTask(task), parameters)
    }
    expect(refusal(`halo:calibration=${file}`)).toBeUndefined()
    expect(refusal(`halo:calibration=${calibration('other', { model: 'another' })}`)).toMatch(/made for another/)
    expect(refusal(`halo:calibration=${calibration('zero', { psi: 0 })}`)).toMatch(/greater than 0/)
    expect(refusal(`halo:calibration=${file},signal=predictive`)).toMatch(/made for signal=attention/)
    expect(refusal(`halo:calibration=${file}`, fakeEngine())).toMatch(/gives no attention entropy/)
    expect(refusal(`halo:calibration=${file}`, chainModel(instance), 'maze')).toMatch(/states to restart from/)
    expect(refusal('halo')).toMatch(/needs a calibration/)
    for (const bad of ['psi=-1', 'psi=0', 'psi=x', 'alpha=0'])
      expect(refusal(`halo:calibration=${file},${bad}`)).toMatch(/must be a number greater than 0/)
    expect(refusal(`halo:calibration=${file},psi=2.5`)).toBeUndefined()
  })
})
