import { defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'
import { filesAtOnce } from './testing/files-at-once.ts'

/**
 * Suites that start a server with special options, kill it, or disturb its network. They do not run against a
 * deployment elsewhere.
 */
const OWN_SERVER = [
  'cluster/**',
  'faults/**',
  'fuzz/**',
  'hostile/**',
  'network/**',
  'realtime/**',
  'rest/fuzz.test.ts',
  'rest/rest-on-postgresql.test.ts',
  'clients/picture.test.ts',
  'clients/playback.test.ts',
  'clients/reconnection.test.ts',
  'clients/return.test.ts',
  'web/playback.test.ts',
  'web/trust.test.ts',
]

const elsewhere = process.env.PARLEY_BASE_URL !== undefined

/** Folders that use no browsers. A test that fails there once is a real failure. */
const WITHOUT_BROWSERS = ['fuzz', 'rest']

/** Three nodes, a database, NATS and a balancer. The smoke is part of `npm test`, the rest of `npm run test:cluster`. */
const CLUSTER = 'cluster/**/*.test.ts'
const CLUSTER_SMOKE = 'cluster/smoke.test.ts'

/** Suites for one server that also run through the balancer of three nodes (testing/suite-cluster.ts). */
const CLUSTER_CLIENTS = ['clients/**/*.test.ts', 'meeting/**/*.test.ts']

/** What takes minutes and changes seldom: `npm run test:long` runs it, `npm test` does not. */
const LONG = [
  'clients/firefox-methods.test.ts',
  'faults/database-away.test.ts',
  'faults/overload.test.ts',
  'faults/read-only-disk.test.ts',
  'faults/standstill.test.ts',
  'network/**/*.test.ts',
  'rest/rest-on-postgresql.test.ts',
  'web/firefox-page.test.ts',
]

/**
 * Suites that judge what is said, shown and heard, but no times. They run several files at once, except for those with
 * three people and more in most tests: two of these at once take longer than one after the other.
 */
const TOGETHER = [
  'clients/admission.test.ts',
  'clients/chat.test.ts',
  'clients/controls.test.ts',
  'clients/firefox.test.ts',
  'clients/layouts.test.ts',
  'clients/members.test.ts',
  'clients/picture.test.ts',
  'clients/playback.test.ts',
  'clients/promote.test.ts',
  'clients/reconnection.test.ts',
  'clients/return.test.ts',
  'clients/shares.test.ts',
  'faults/clock-set.test.ts',
  'faults/disk-full.test.ts',
  'faults/launcher-killed.test.ts',
  'faults/media-worker-killed.test.ts',
  'faults/ports-taken.test.ts',
  'faults/recordings-in-store.test.ts',
  'faults/server-killed.test.ts',
  'faults/vanished-client.test.ts',
  'faults/workers-killed.test.ts',
  'hostile/access.test.ts',
  'hostile/links.test.ts',
  'hostile/media-bytes.test.ts',
  'hostile/removal.test.ts',
  'hostile/rights.test.ts',
  'hostile/streams.test.ts',
  'hostile/upgrade-requests.test.ts',
  'realtime/**/*.test.ts',
  'recording/hls.test.ts',
  'recording/preview.test.ts',
  'web/accounts.test.ts',
  'web/addresses.test.ts',
  'web/chat.test.ts',
  'web/conference.test.ts',
  'web/dashboard-recordings.test.ts',
  'web/dashboard-screens.test.ts',
  'web/dashboard-server.test.ts',
  'web/developers.test.ts',
  'web/dashboard-rooms.test.ts',
  'web/effects.test.ts',
  'web/dashboard-live.test.ts',
  'web/dashboard-streams.test.ts',
  'web/embed.test.ts',
  'web/languages.test.ts',
  'web/page.test.ts',
  'web/playback.test.ts',
  'web/screens.test.ts',
  'web/stored-recordings.test.ts',
  'web/trust.test.ts',
]

/** The packages of this repository are built only to be published. */
const FROM_SOURCE = { ssr: { resolve: { conditions: ['@parley/source', ...defaultServerConditions] } } }

const common = {
  root: import.meta.dirname,
  testTimeout: 90_000,
  hookTimeout: 120_000,
}

const withBrowsers = {
  ...common,
  // On a shared machine, even a minute of video may fail once. A real fault fails twice. The end of `npm test`
  // names each test that needed its second try, and the reason: that is a defect to fix. The third try
  // is for virtual machines whose host took the processors away (testing/stolen-time.setup.ts).
  retry: 2,
  setupFiles: ['testing/stolen-time.setup.ts'],
}

/** Makes the pictures of the documents. `npm run pictures` runs it, no test run does. */
const PICTURES = 'pictures/**/*.test.ts'

const left = ['**/node_modules/**', PICTURES, ...(elsewhere ? OWN_SERVER : [])]

export default defineConfig({
  test: {
    teardownTimeout: 30_000,
    projects: [
      {
        test: {
          ...withBrowsers,
          name: 'browsers',
          include: ['**/*.test.ts'],
          exclude: [
            ...left,
            CLUSTER,
            ...LONG,
            ...TOGETHER,
            ...WITHOUT_BROWSERS.map((folder) => `${folder}/**`),
          ],
          // Two files at once would disturb each other's measurements of browsers, encoders and clocks.
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...withBrowsers,
          name: 'browsers-together',
          include: TOGETHER,
          exclude: left,
          maxWorkers: filesAtOnce(),
          sequence: { groupOrder: 2 },
        },
      },
      {
        ...FROM_SOURCE,
        test: {
          ...common,
          name: 'long',
          include: [...LONG, 'rest/fuzz.test.ts'],
          exclude: left,
          maxWorkers: 1,
          sequence: { groupOrder: 8 },
        },
      },
      {
        test: {
          ...common,
          name: 'pictures',
          include: [PICTURES],
          maxWorkers: 1,
          sequence: { groupOrder: 9 },
        },
      },
      ...(['cluster', 'cluster-smoke'] as const).map((name, at) => ({
        ...FROM_SOURCE,
        test: {
          ...common,
          name,
          include: [name === 'cluster' ? CLUSTER : CLUSTER_SMOKE],
          exclude: elsewhere ? OWN_SERVER : name === 'cluster' ? [CLUSTER_SMOKE] : [],
          maxWorkers: 1,
          sequence: { groupOrder: 3 + at },
        },
      })),
      {
        ...FROM_SOURCE,
        test: {
          ...common,
          name: 'cluster-clients',
          include: CLUSTER_CLIENTS,
          exclude: elsewhere ? CLUSTER_CLIENTS : left,
          setupFiles: ['testing/suite-cluster.setup.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 5 },
        },
      },
      ...WITHOUT_BROWSERS.map((name) => ({
        ...FROM_SOURCE,
        test: {
          ...common,
          name,
          include: [`${name}/*.test.ts`],
          exclude: elsewhere ? OWN_SERVER : LONG,
          // It judges no times either, so it runs beside them.
          maxWorkers: filesAtOnce(),
          sequence: { groupOrder: 2 },
        },
      })),
    ],
  },
})
