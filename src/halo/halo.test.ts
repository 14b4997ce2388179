import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fakeEngine } from '../../test/fake-engine.ts'
import { random } from '../base/random.ts'
import { steer } from '../steer/steer.ts'
import { fail, pass } from '../steer/verdict.ts'
import type { Event } from '../trace/event.ts'
import { halo, type Rectifier } from './actuator.ts'
import { calibrate, readCalibration } from './calibrate.ts'
import { type Control, calm, firstAlarm, peak, psiForFalseAlarms, update } from './controller.ts'
import { drift } from './drift.ts'
import { auc, fitLogistic } from './logistic.ts'
import { observe } from './observer.ts'
import type { Recording } from './recording.ts'

const control: Control = { alpha: 0.85, beta: -2.5, psi: 5, floor: true, hysteresis: 0 }

describe('controller', () => {
  test("the paper's coefficients: drift begins at H̄ = 2.94", () => {
    expect(update(calm, 2.5 / 0.85, control).omega).toBeCloseTo(0, 12)
    expect(update(calm, 2.9, { ...control, floor: false }).omega).toBeLessThan(0)
    expect(update(calm, 3.0, control).omega).toBeGreaterThan(0)
  })

  test('hand-computed: four updates at H̄ = 4.5 bring Ω to 5.3, and it starts from 0 again', () => {
    let state = calm
    const omegas: number[] = []
    for (let i = 0; i < 4; i++) {
      const step = update(state, 4.5, control)
      omegas.push(step.omega)
      state = step.drift
    }
    expect(omegas.map((o) => o.toFixed(3))).toEqual(['1.325', '2.650', '3.975', '5.300'])
    expect(state).toEqual(calm)
  })

  test('without the floor early calm is credit; with it it is not', () => {
    const series = [0, 0, 4.5, 4.5, 4.5, 4.5]
    expect(firstAlarm(series, control)).toBe(5)
    expect(firstAlarm(series, { ...control, floor: false })).toBeUndefined()
  })

  test('hysteresis holds back an alarm that comes too soon', () => {
    expect(firstAlarm([100], { ...control, hysteresis: 3 })).toBeUndefined()
    expect(firstAlarm([100, 0, 0, 0], { ...control, hysteresis: 3 })).toBe(3)
  })

  test('with the floor, Ω is the largest sum over the last steps (CUSUM)', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 6, noNaN: true }), { minLength: 1, maxLength: 40 }), (series) => {
        const rates = series.map((h) => control.beta + control.alpha * h)
        let most = Number.NEGATIVE_INFINITY
        for (let i = 0; i < rates.length; i++)
          for (let j = i; j <= rates.length; j++)
            most = Math.max(
              most,
              rates.slice(i, j).reduce((a, b) => a + b, 0),
            )
        expect(peak(series, control)).toBeCloseTo(Math.max(0, most), 8)
      }),
    )
  })

  test('Ψ for a false-alarm rate lets no more than that share of sound runs alarm', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.double({ min: 0, max: 6, noNaN: true }), { minLength: 1, maxLength: 20 }), {
          minLength: 1,
          maxLength: 30,
        }),
        fc.double({ min: 0, max: 0.99, noNaN: true }),
        (runs, rate) => {
          const psi = psiForFalseAlarms(runs, rate, control)
          const alarms = runs.filter((run) => firstAlarm(run, { ...control, psi }) !== undefined).length
          expect(alarms).toBeLessThanOrEqual(rate * runs.length)
        },
      ),
    )
  })
})

describe('observer', () => {
  const token = { id: 1, text: 'x', attention: { mean: 2, heads: Float32Array.of(1, 2, 3, 4, 5, 6), layers: 3 } }

  test('the four aggregations of Table 6', () => {
    expect(observe(token, { signal: 'attention' })).toBe(2)
    expect(observe(token, { signal: 'attention-final' })).toBe(5.5)
    expect(observe(token, { signal: 'attention-first-half' })).toBe(1.5)
    expect(observe(token, { signal: 'attention-head', head: 3 })).toBe(4)
  })

  test('predictive entropy, and nothing where the token carries nothing', () => {
    const half = Math.log(0.5)
    expect(
      observe(
        {
          text: 'x',
          top: [
            { text: 'x', logprob: half },
            { text: 'y', logprob: half },
          ],
        },
        { signal: 'predictive' },
      ),
    ).toBeCloseTo(Math.log(2), 9)
    expect(observe({ text: 'x' }, { signal: 'predictive' })).toBeUndefined()
    expect(observe({ text: 'x' }, { signal: 'attention' })).toBeUndefined()
  })
})

describe('calibration', () => {
  test('logistic regression finds the line that made the data', () => {
    const rng = random(3)
    const samples = Array.from({ length: 20_000 }, () => {
      const x = rng.next() * 6
      return { x, y: (rng.next() < 1 / (1 + Math.exp(-(1.7 * x - 5))) ? 1 : 0) as 0 | 1 }
    })
    const fit = fitLogistic(samples, 0)
    expect(fit.slope).toBeCloseTo(1.7, 1)
    expect(fit.intercept).toBeCloseTo(-5, 0)
  })

  test('AUC equals the share of pairs in order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ x: fc.integer({ min: 0, max: 5 }), y: fc.constantFrom(0 as const, 1 as const) }), {
          minLength: 2,
          maxLength: 40,
        }),
        (samples) => {
          const ones = samples.filter((s) => s.y === 1)
          const zeros = samples.filter((s) => s.y === 0)
          if (ones.length === 0 || zeros.length === 0) return
          let pairs = 0
          for (const a of ones) for (const b of zeros) pairs += a.x > b.x ? 1 : a.x === b.x ? 0.5 : 0
          expect(auc(samples)).toBeCloseTo(pairs / (ones.length * zeros.length), 9)
        },
      ),
    )
  })

  /** Runs whose entropy rises by the line; those longer than a horizon collapse there. */
  const recordings = (count: number): Recording[] => {
    const rng = random(11)
    return Array.from({ length: count }, (_, i) => {
      const length = 6 + (i % 20)
      const collapse = length > 14 ? 13 + rng.int(-2, 2) : undefined
      const lines = Array.from({ length }, (_, line) => ({
        text: `line ${line}`,
        tokens: [{ id: 1, text: 'x', attention: { mean: 1 + line * 0.2 + rng.next() * 0.3 } }],
      }))
      return { lines, collapse }
    })
  }

  test('finds the drift, catches collapses before they happen, and says how well out of fold', () => {
    const fitted = calibrate(recordings(200), { signal: 'attention', granularity: 'line' })
    expect(fitted.alpha).toBeGreaterThan(0)
    expect(fitted.beta).toBeLessThan(0)
    expect(fitted.psi).toBeGreaterThan(0)
    expect(fitted.auc).toBeGreaterThan(0.9)
    expect(fitted.runs).toBe(200)
  })

  test('says what is missing when no run collapses', () => {
    const calmRuns = recordings(200).filter((r) => r.collapse === undefined)
    expect(() => calibrate(calmRuns, { signal: 'attention', granularity: 'line' })).toThrow(/0 collapsed; take longer/)
  })

  test('a file for another model, or with a Ψ that makes no sense, is refused', () => {
    const file = { rein: 'calibration', version: 1, engine: 'nano', model: 'nano-1', psi: 3 }
    expect(readCalibration(JSON.stringify(file), 'f', { engine: 'nano', model: 'nano-1' }).psi).toBe(3)
    expect(() => readCalibration(JSON.stringify(file), 'f', { engine: 'nano', model: 'nano-2' })).toThrow(
      /made for nano-1/,
    )
    expect(() => readCalibration(JSON.stringify({ ...file, psi: 0 }), 'f')).toThrow(/greater than 0/)
    expect(() => readCalibration('{}', 'f')).toThrow(/not a calibration/)
    expect(() => readCalibration('nonsense', 'f')).toThrow(/not a calibration/)
  })
})

describe('actuator', () => {
  /** Counts lines up; says its state as the number of the last line; begins anew from any state. */
  const counting = (slip?: number) =>
    fakeEngine({
      can: { attentionEntropy: true },
      say: (text) => {
        if (text.endsWith('state: ')) return `${text.match(/line (\d+)\n(?:<\/think>\n\n)?state: $/)?.[1] ?? 'none'}\n`
        const from = Number(
          text
            .match(/from (\d+)/g)
            ?.at(-1)
            ?.slice(5) ?? 0,
        )
        const last = Number(text.match(/line (\d+)\n$/)?.[1] ?? from)
        let out = ''
        for (let i = last + 1; i <= 12; i++) out += `line ${i === slip ? 99 : i}\n`
        return `${out}</think>\n\nend`
      },
    })
  const withEntropy = (engine: ReturnType<typeof fakeEngine>) => {
    const { stream } = engine
    engine.stream = async function* (prefix, options) {
      for await (const token of stream(prefix, options)) yield { ...token, attention: { mean: 4 } }
    }
    return engine
  }
  const rectifier: Rectifier = {
    compress: { suffix: 'state: ', maxTokens: 8, stop: ['\n'], purpose: 'compress' },
    state: (text) => /\d+/.exec(text)?.[0],
    restart: (state) => ({ prompt: `from ${state}`, text: '' }),
    verify: (state) => (Number(state) <= 12 ? pass() : fail('there is no such line')),
    progress: (state) => Number(state),
  }
  const go = async (engine: ReturnType<typeof fakeEngine>, verify: 'never' | 'state', lines = 4) => {
    const events: Event[] = []
    const trigger = drift(
      { signal: 'attention', granularity: 'line' },
      { alpha: 1, beta: -3, psi: lines, floor: true, hysteresis: 0 },
    )
    const result = await steer(
      withEntropy(engine),
      'count',
      [halo(trigger, rectifier, { verify })],
      { sync: true },
      { onEvent: (e) => events.push(e) },
    ).result()
    const states = events.flatMap((e) =>
      e.type === 'intervention' && e.intervention.kind === 'rectify' ? [e.intervention.state] : [],
    )
    return { result, states, events }
  }

  test('every four lines: compress, forget, go on from the state; Ω is on the record', async () => {
    const { result, states, events } = await go(counting(), 'never')
    expect(states).toEqual(['4', '8', '12'])
    expect(result).toMatchObject({ rectifications: 3, text: 'end' })
    expect(result.ledger.compress).toBeGreaterThan(0)
    expect(events.flatMap((e) => (e.type === 'gauge' ? [e.value] : [])).slice(0, 4)).toEqual([1, 2, 3, 4])
  })

  test('plain Halo believes a wrong state; with verification it is not used', async () => {
    expect((await go(counting(8), 'never')).states[1]).toBe('99')
    const { states } = await go(counting(8), 'state')
    expect(states).not.toContain('99')
    expect(states[0]).toBe('4')
  })

  test('a refuted state raises Ω, so that the next look comes sooner', async () => {
    // four lines a look, but two after the refutation at line 8: back to 4 (the last state that passed), a look at 6
    const { states, events } = await go(counting(8), 'state')
    expect(states.slice(0, 3)).toEqual(['4', '4', '6'])
    const verdicts = events.flatMap((e) => (e.type === 'verdict' ? [`${e.answer} ${e.verdict.kind}`] : []))
    expect(verdicts.slice(0, 3)).toEqual(['4 pass', '99 fail', '6 pass'])
  })

  test('three fresh starts in a row that do not advance end the thinking', async () => {
    const stuck = { ...rectifier, state: () => '4' }
    const trigger = drift(
      { signal: 'attention', granularity: 'line' },
      { alpha: 1, beta: -3, psi: 2, floor: true, hysteresis: 0 },
    )
    const result = await steer(withEntropy(counting()), 'count', [halo(trigger, stuck)], { sync: true }).result()
    expect(result.rectifications).toBe(3)
    expect(result.status).toBe('unverified')
  })

  test('Ψ ≤ 0 is refused before anything runs', () => {
    expect(() => drift({ signal: 'attention', granularity: 'line' }, { ...control, psi: 0 })).toThrow(/greater than 0/)
  })
})
