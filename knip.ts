import type { KnipConfig } from 'knip'

/** Stylesheets name packages too; knip itself reads only scripts. */
const importsOfStylesheet = (text: string) => (text.match(/(?<=@)import\s+['"][^'"]+['"]/g) ?? []).join('\n')

const config: KnipConfig = {
  compilers: { css: importsOfStylesheet },
  ignoreExportsUsedInFile: true,
  // Programs of the system, which the scripts install where they are missing.
  ignoreBinaries: [
    'certutil',
    'chrt',
    'dpkg-query',
    'ffmpeg',
    'haproxy',
    'janus',
    'nats-server',
    'pebble',
    'promtool',
    'setpriv',
    'turnserver',
  ],
  workspaces: {
    '.': { entry: ['scripts/*.mjs', 'scripts/image/*.mjs'], project: ['scripts/**/*.mjs'] },
    server: {
      // Media workers are started, and migrations loaded, by their file names; so are the processes that tests kill.
      entry: [
        'src/main.ts',
        'src/media-worker/main.ts',
        'src/media-worker/composing/thread-main.ts',
        'src/testing/media/record-until-killed.ts',
        'src/storage/migrations/*.ts',
        'src/testing/killed-{event-writer,writer}.ts',
      ],
      project: ['src/**/*.ts'],
      // Found by the path of its font files, not imported.
      ignoreDependencies: [/^@fontsource\//],
    },
    client: {
      entry: ['src/index.ts', 'generate.mjs'],
      project: ['**/*.{ts,mjs}'],
      ignore: ['src/schema.ts'],
    },
    embed: { entry: ['src/index.ts', 'src/script.ts', 'src/protocol.ts'], project: ['src/**/*.ts'] },
    web: {
      project: ['src/**/*.{ts,tsx,css}'],
      // A part of the browser client, which the build reaches through it.
      ignoreDependencies: ['@signalwire/core'],
    },
    acceptance: { entry: ['**/*.test.ts'], project: ['**/*.ts'] },
    bench: {
      // Processes of their own, started by their file names.
      entry: [
        'src/*.ts',
        'soak/{main,people}.ts',
        'rest/{bare-route,requester}.ts',
        'guard/main.ts',
        'load/{crowd,prober}.ts',
        'fan-out/{load,own-server,traffic}.ts',
        'watching/back-end-process.ts',
        'webhooks/receiver.ts',
      ],
      project: ['**/*.ts'],
    },
  },
}

export default config
