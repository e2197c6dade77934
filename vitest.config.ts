import path from 'node:path'
import { defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'

/**
 * `acceptance` has a configuration of its own, since its suites drive real browsers, one after the other. Those of the
 * REST interface have one browser, judge no media and need no quiet: here they run beside the unit tests.
 */
export default defineConfig({
  test: {
    // Twice as many as cores: the longest tests mostly wait.
    maxWorkers: 4,
    projects: [
      {
        test: {
          name: 'server',
          root: 'server',
          include: ['src/**/*.test.ts'],
          // Native libraries (FFmpeg, libdatachannel) do not stand being loaded by several threads of one process.
          pool: 'forks',
          testTimeout: 30_000,
          // Starting and ending a PostgreSQL takes a second, but many on a machine that is busy otherwise.
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'web',
          root: 'web',
          // They leave nothing behind: a process for each of many short files would take longer than the tests.
          isolate: false,
          include: ['src/**/*.test.{ts,tsx}'],
          setupFiles: [path.resolve(import.meta.dirname, 'web/src/languages/testing/english.ts')],
        },
      },
      {
        // The packages of this repository are built only to be published.
        ssr: { resolve: { conditions: ['@parley/source', ...defaultServerConditions] } },
        test: {
          name: 'rest',
          root: 'acceptance',
          include: ['rest/**/*.test.ts'],
          // Part of `npm run test:long`.
          exclude: ['rest/rest-on-postgresql.test.ts'],
          env: { PARLEY_BROWSER_NICENESS: '0' },
          testTimeout: 90_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
