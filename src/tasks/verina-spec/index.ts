import { specFile } from '../verina/assemble.ts'
import { specPrompt } from '../verina/prompt.ts'
import { verinaTask } from '../verina/task.ts'
import { specTests } from '../verina/tests.ts'

/** VERINA, spec: write the pre- and postcondition of a function; right when they tell the row's test cases apart. */
export const verinaSpec = verinaTask({
  name: 'verina-spec',
  prompt: specPrompt,
  file: specFile,
  tests: specTests,
  needs: ['PRECOND', 'POSTCOND'],
  suffix: '\n\nHere is the specification as I have it so far:\n[PRECOND]\n',
  stop: '[/POSTCOND]',
  what: 'specification',
})
