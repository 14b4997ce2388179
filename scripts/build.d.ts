/** Compiles src/ to dist/; does nothing when dist/ is newer than every source. */
export function build(): void
