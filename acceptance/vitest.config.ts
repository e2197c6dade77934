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

/** Folders without browsers: what fails there once is broken. */
const WITHOUT_BROWSERS = ['fuzz', 'rest']

const common = {
  root: import.meta.dirname,
  testTimeout: 90_000,
  hookTimeout: 120_000,
}

export default defineConfig({
  test: {
    // Browsers, encoders and clocks: two files at once would measure each other.
    fileParallelism: false,
    teardownTimeout: 30_000,
    projects: [
      {
        test: {
          ...common,
          name: 'browsers',
          include: ['**/*.test.ts'],
          exclude: [...WITHOUT_BROWSERS.map((folder) => `${folder}/**`), ...(elsewhere ? OWN_SERVER : [])],
          // On a machine that others use too, even a minute of video may stumble once; what is broken fails twice. The end
          // of `npm test` names each test that needed its second try, and why: that is a defect to mend.
          retry: 1,
        },
      },
      ...WITHOUT_BROWSERS.map((name) => ({
        test: { ...common, name, include: [`${name}/*.test.ts`], exclude: elsewhere ? OWN_SERVER : [] },
      })),
    ],
  },
})
