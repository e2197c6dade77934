import { defineConfig } from 'vitest/config'

/**
 * Suites that start a server with special options, kill it, or disturb its network. They do not run against a
 * deployment elsewhere.
 */
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
  'web/playback.test.ts',
]

const elsewhere = process.env.PARLEY_BASE_URL !== undefined

/** Folders that use no browsers. A test that fails there once is a real failure. */
const WITHOUT_BROWSERS = ['fuzz', 'rest']

const common = {
  root: import.meta.dirname,
  testTimeout: 90_000,
  hookTimeout: 120_000,
}

export default defineConfig({
  test: {
    // Two files at once would disturb each other's measurements of browsers, encoders and clocks.
    fileParallelism: false,
    teardownTimeout: 30_000,
    projects: [
      {
        test: {
          ...common,
          name: 'browsers',
          include: ['**/*.test.ts'],
          exclude: [
            '**/node_modules/**',
            ...WITHOUT_BROWSERS.map((folder) => `${folder}/**`),
            ...(elsewhere ? OWN_SERVER : []),
          ],
          // On a shared machine, even a minute of video may fail once. A real fault fails twice. The end of `npm test`
          // names each test that needed its second try, and the reason: that is a defect to fix. The third try
          // is for virtual machines whose host took the processors away (testing/stolen-time.setup.ts).
          retry: 2,
          setupFiles: ['testing/stolen-time.setup.ts'],
        },
      },
      ...WITHOUT_BROWSERS.map((name) => ({
        test: { ...common, name, include: [`${name}/*.test.ts`], exclude: elsewhere ? OWN_SERVER : [] },
      })),
    ],
  },
})
