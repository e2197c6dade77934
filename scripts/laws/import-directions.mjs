/**
 * Imports go in one direction: from the surfaces (`api`, `signaling`, `admin`) to the rules (`rooms` and their
 * neighbours), and from the rules to `storage` and `media`. The media worker and the rest share only the files that
 * define their channel. Production code never imports test support.
 */
import { importsOf } from './imports.mjs'
import { isTestCode, violation } from './program.mjs'

/**
 * Parts that every part of the server may import. They are small, contain no rule of a room, and import only each
 * other.
 */
const FLOOR = [
  'resources',
  'errors',
  'clock.ts',
  'counts.ts',
  'ids.ts',
  'log-output.ts',
  'recurring-work.ts',
  'token-bucket.ts',
  'config',
  'config.ts',
  'config-values.ts',
  'containment.ts',
  'space-of-host.ts',
  'tracing',
]

/**
 * The files that start the server and build it from its parts. They may import every part, and no part imports them.
 */
const START = [
  'main.ts',
  'compile-cache.ts',
  'spare-memory.ts',
  'server-process.ts',
  'early-parts.ts',
  'server.ts',
  'read-api-document.ts',
]

/**
 * Maps each part of `server/src` (a folder or a file there) to the parts that it may import besides itself and the
 * floor. Order: from the surfaces down. A new part has to be added here first.
 * @type {Record<string, string[]>}
 */
const ALLOWED = {
  api: [
    'accounts',
    'audit',
    'chat',
    'cluster/pipes/assets-elsewhere.ts',
    'cluster/pipes/link-proof.ts',
    'dashboard',
    'fabric',
    'health',
    'limits',
    'metrics',
    'projects',
    'rooms',
    'storage/records.ts',
    'webhooks',
    'tls',
    'public-host.ts',
    'services.ts',
  ],
  signaling: [
    'chat',
    'cluster/cluster.ts',
    'cluster/interests.ts',
    'cluster/pipes/admit-pipe.ts',
    'cluster/pipes/link-proof.ts',
    'cluster/pipes/open-pipe.ts',
    'fabric',
    'limits',
    'metrics/tallies.ts',
    'projects',
    'rooms',
    'secrets',
    'storage',
    'turn',
    'public-host.ts',
  ],
  // `parley doctor` loads the worker's native libraries to check that they work, and speaks STUN.
  admin: [
    'acme',
    'accounts',
    'audit',
    'cluster',
    'fabric',
    'limits',
    'object-store',
    'outgoing',
    'projects',
    'rooms',
    'secrets',
    'storage',
    'webhooks',
    'tls',
    'turn',
    'port-holders.ts',
    'real-time.ts',
    'media-worker/transport/native-connection.ts',
    'media-worker/transport/transport-choice.ts',
    'media-worker/transport/ice/stun.ts',
  ],
  'public-host.ts': ['projects'],
  health: ['storage'],
  'services.ts': [
    'accounts',
    'audit',
    'chat',
    'cluster',
    'dashboard',
    'fabric',
    'log-tail',
    'media',
    'metrics',
    'object-store',
    'outgoing',
    'projects',
    'rooms',
    'secrets',
    'storage',
    'webhooks',
  ],
  accounts: ['audit', 'secrets', 'storage'],
  fabric: ['audit', 'rooms', 'secrets', 'storage'],
  chat: ['cluster/cluster.ts', 'storage'],
  dashboard: [
    'audit',
    'chat',
    'cluster/ask-all.ts',
    'cluster/cluster.ts',
    'cluster/interests.ts',
    'log-tail',
    'media',
    'outgoing',
    'rooms',
    'storage',
  ],
  metrics: ['media', 'rooms'],
  rooms: [
    'audit',
    'cluster/cluster.ts',
    'cluster/pipes/admit-pipe.ts',
    'cluster/pipes/request-over-pipe.ts',
    'media',
    'object-store',
    'outgoing',
    'secrets',
    'storage',
  ],
  projects: ['audit', 'secrets', 'storage'],
  webhooks: ['audit', 'outgoing', 'secrets', 'storage'],
  audit: ['storage'],
  'log-tail': [],
  media: ['compile-cache.ts', 'port-holders.ts'],
  'media-worker': ['compile-cache.ts', 'spare-memory.ts', 'media/channel.ts', 'media/messages.ts'],
  cluster: [],
  storage: [],
  'object-store': [],
  outgoing: [],
  secrets: [],
  limits: ['cluster/cluster.ts'],
  'serving-nodes': ['cluster', 'media'],
  acme: ['tls'],
  'plain-http': ['limits', 'port-holders.ts', 'public-host.ts', 'tls'],
  tls: ['port-holders.ts'],
  turn: [],
  'port-holders.ts': [],
  'real-time.ts': [],
}

/**
 * Maps each package to the packages of this repository that it may import. `server` here means its modules.
 * @type {Record<string, string[]>}
 */
const PACKAGES = {
  server: [],
  client: [],
  embed: [],
  web: ['@parley/api-client', '@parley/embed'],
  acceptance: ['@parley/api-client', 'server'],
  bench: ['@parley/api-client', 'server', 'acceptance'],
  scripts: ['bench', 'client', 'server'],
}

/**
 * The files of the server that the pages may import: plain data. They import nothing, so they bring nothing else of
 * the server into the bundle.
 */
const PLAIN_DATA = [
  'server/src/resources/layout-names.ts',
  'server/src/resources/layout-places.ts',
  'server/src/resources/log-levels.ts',
  'server/src/resources/permission-names.ts',
  'server/src/resources/quality-limits.ts',
  'server/src/resources/reactions.ts',
]

/** @param {import('./program.mjs').Source} source @returns {import('./program.mjs').Violation[]} */
export function importDirections(source) {
  return importsOf(source).flatMap(({ node, from }) => {
    const says = objection(source.file, from)
    return says === undefined ? [] : [violation(source, node, says)]
  })
}

/** @param {string} file @param {string} from @returns {string | undefined} */
function objection(file, from) {
  if (PLAIN_DATA.includes(file))
    return `${file} may import nothing, because the pages import it: see PLAIN_DATA in scripts/laws/import-directions.mjs`
  const [home = '', other = ''] = [packageOf(file), packageOf(from)]
  if (home === 'web' && PLAIN_DATA.includes(from)) return undefined
  if (!(other in PACKAGES) && !other.startsWith('@parley/')) return undefined
  if (home !== other && !PACKAGES[home]?.includes(other))
    return `${home} may not import from ${other}: see PACKAGES in scripts/laws/import-directions.mjs`
  if (isTestCode(file) || home === 'bench') return undefined
  if (isTestCode(from)) return `production may not import the support of tests (${from})`
  if (home !== 'server' || !from.startsWith('server/src/')) return undefined
  return amongParts(partOf(file), from)
}

/** @param {string} part @param {string} from @returns {string | undefined} */
function amongParts(part, from) {
  const other = partOf(from)
  if (part === other || START.includes(part)) return undefined
  const allowed = FLOOR.includes(part) ? FLOOR : [...FLOOR, ...(ALLOWED[part] ?? [])]
  if (allowed.includes(other) || allowed.includes(from.slice('server/src/'.length))) return undefined
  if (!FLOOR.includes(part) && !(part in ALLOWED))
    return `server/src/${part} is new: say in ALLOWED in scripts/laws/import-directions.mjs what it may import`
  return `${part} may not import from ${other}. Imports run from the surfaces to the rules to storage and media: let ${part} be given what it needs, or move the shared part down (ALLOWED in scripts/laws/import-directions.mjs)`
}

/** @param {string} place @returns {string | undefined} */
const packageOf = (place) => place.split('/', place.startsWith('@parley/') ? 2 : 1).join('/')

/** @param {string} file below `server/src/` @returns {string} */
const partOf = (file) => file.split('/')[2] ?? ''
