import { codeFile } from '../verina/assemble.ts'
import { lastFence } from '../verina/blocks.ts'
import { codePrompt } from '../verina/prompt.ts'
import { verinaTask } from '../verina/task.ts'
import { codeTests } from '../verina/tests.ts'

/** VERINA, code: write the body of a Lean 4 function; it passes when Lean compiles it, and is right when its tests pass. */
export const verinaCode = verinaTask({
  name: 'verina-code',
  prompt: codePrompt,
  file: codeFile,
  tests: codeTests,
  needs: ['CODE'],
  suffix: '\n\nHere is the body as I have it so far:\n[CODE]\n',
  stop: '[/CODE]',
  what: 'code',
  fallback: (text) => {
    const fence = lastFence(text)
    return fence === undefined ? undefined : { CODE: fence }
  },
})
