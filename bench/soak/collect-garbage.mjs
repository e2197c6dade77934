/**
 * Preloaded into every process of a soaked server. It collects garbage on SIGUSR2, so that a sample shows only the
 * memory that the process keeps.
 */
process.on('SIGUSR2', () => globalThis.gc?.())
