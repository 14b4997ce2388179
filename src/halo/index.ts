export { type HaloOptions, halo, MAX_STALLS, type Rectifier } from './actuator.ts'
export { type CalibrateOptions, type Calibration, calibrate, type Fitted, readCalibration } from './calibrate.ts'
export { choosePsi, type Measured, measure, type Series } from './choose-psi.ts'
export {
  alarms,
  type Control,
  calm,
  type Drift,
  driftRate,
  firstAlarm,
  peak,
  psiForFalseAlarms,
  update,
} from './controller.ts'
export { type DriftTrigger, drift } from './drift.ts'
export * from './horizon.ts'
export { auc, fitLogistic } from './logistic.ts'
export * from './observer.ts'
export { lineEntropies, type Recording, recordThinking, tokenEntropies } from './recording.ts'
