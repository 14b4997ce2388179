import { getTask, openEngine, steer, verifyFinal, verifyThinking } from 'rein'

const task = getTask('game24')
const puzzle = task.read('4 7 8 8')
const engine = await openEngine('nano')
const run = steer(engine, task.prompt(puzzle), [verifyThinking(task, puzzle, { k: 4 }), verifyFinal(task, puzzle)])
for await (const event of run) if (event.type === 'intervention') console.log(event.monitor, event.intervention.kind)
const { status, answer, tokens } = await run.result()
console.log(status, answer, tokens)
await engine.close?.()
