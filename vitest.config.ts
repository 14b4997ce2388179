import { defineConfig } from 'vitest/config'

export default defineConfig({
  // examples import rein as its users do; in tests that is the source
  resolve: { alias: [{ find: /^rein\/(.+)$/, replacement: `${import.meta.dirname}/src/$1/index.ts` }] },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'model/**/*.test.ts', 'bench/**/*.test.ts'],
    exclude: ['test/lean/**', 'node_modules/**'],
    testTimeout: 60_000,
    hookTimeout: 300_000,
    pool: 'forks',
    maxWorkers: 2,
  },
})
