import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../src/base/paths.ts'
import { type Calibration, readCalibration, type Signal } from '../../src/halo/index.ts'

/** nano's own calibration for a signal. */
export function calibrationOf(signal: Signal): Calibration {
  const path = join(packageRoot, 'model', 'weights', `halo-${signal}.json`)
  return readCalibration(readFileSync(path, 'utf8'), path)
}
