/** Preloaded into every process of a soaked server: what it keeps is only seen without its garbage. */
process.on('SIGUSR2', () => globalThis.gc?.())
