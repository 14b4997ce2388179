import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { built } from '../../base/paths.ts'
import type { KernelBinaries } from './kernel.ts'

/** The kernel as built, both ways. */
export function kernelBinaries(): KernelBinaries {
  const relaxed = readFileSync(built('engine/nano/kernel-relaxed.wasm'))
  // Node 20 has relaxed SIMD behind a flag; newer ones have it on.
  if (!WebAssembly.validate(relaxed)) setFlagsFromString('--experimental-wasm-relaxed-simd')
  return { plain: readFileSync(built('engine/nano/kernel.wasm')), relaxed }
}
