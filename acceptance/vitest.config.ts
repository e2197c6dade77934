import { defineConfig } from 'vitest/config'

// Against a deployment that runs elsewhere, its processes cannot be killed and its network cannot be spoilt.
const elsewhere = process.env.PARLEY_BASE_URL !== undefined

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    exclude: elsewhere ? ['faults/**', 'network/**'] : [],
    // Browsers, encoders and clocks: two files at once would measure each other.
    fileParallelism: false,
    testTimeout: 90_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
  },
})
