#!/usr/bin/env node
// A thin launcher: in a checkout it first brings dist/ up to date, in an installed package dist/ is already there.
import { existsSync } from 'node:fs'

const checkout = new URL('../src/cli/main.ts', import.meta.url)
if (existsSync(checkout)) (await import('../scripts/build.js')).build()
const { main } = await import('../dist/cli/main.js')
process.exitCode = await main(process.argv.slice(2))
