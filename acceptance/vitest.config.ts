import { defineConfig } from 'vitest/config'

/** Suites that set a server up in their own way, kill it, or spoil its network: not for a deployment elsewhere. */
const OWN_SERVER = [
  'faults/**',
  'fuzz/**',
  'hostile/**',
  'network/**',
  'rest/fuzz.test.ts',
  'rest/rest-on-postgresql.test.ts',
  'clients/picture.test.ts',
  'clients/reconnection.test.ts',
  'clients/return.test.ts',
]

const elsewhere = process.env.PARLEY_BASE_URL !== undefined

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    exclude: elsewhere ? OWN_SERVER : [],
    // Browsers, encoders and clocks: two files at once would measure each other.
    fileParallelism: false,
    // On a machine that others use too, even a minute of video may stumble once; what is broken fails twice.
    retry: 1,
    testTimeout: 90_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
  },
})
