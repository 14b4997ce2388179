export * from './method.ts'
export * from './registry.ts'
