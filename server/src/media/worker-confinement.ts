import { spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { workerCompileCache } from '../compile-cache.ts'

/** How a media worker process is started, so that it can do little else than media. */
export interface Confinement {
  /** Program to start; it becomes the worker's Node by exec, in the same process. */
  execPath: string
  /** Arguments before the worker's script. */
  execArgv: string[]
  /** All of the environment that the worker gets. */
  env: NodeJS.ProcessEnv
}

/** The server's sources and its packages, behind symbolic links too. */
const PROGRAM_FOLDERS = ['../../../', '../../../node_modules/'].map((folder) =>
  realpathSync(fileURLToPath(new URL(folder, import.meta.url))),
)

/** The kernel's tables of TCP connections. From them a worker sees that the destination of a stream reads no more. */
const CONNECTION_TABLES = ['/proc/net/tcp', '/proc/net/tcp6']

/**
 * Environment variables that a worker may see. A worker parses what strangers send, so it gets no secret: neither
 * `PARLEY_API_TOKEN` nor `PARLEY_DATABASE_URL`, and nothing that an operator may have set for other programs.
 */
const VARIABLES = [
  'PATH',
  'HOME',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'NODE_ENV',
  'NODE_OPTIONS',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
] as const

/**
 * Fixes the size from which glibc uses mmap for a block and returns it to the system at once (mallopt(3)). By default glibc
 * raises this size with every large block that is freed. Then pictures and codecs of past meetings leave holes in the heap,
 * and the worker never shrinks.
 */
const ALLOCATOR = { MALLOC_MMAP_THRESHOLD_: '262144', MALLOC_TRIM_THRESHOLD_: '262144' }

/** As for the server itself (`server/start-command.mjs`): a worker makes few objects, and buffers are not in there. */
const YOUNG_OBJECTS = '--max-semi-space-size=4'

/** Lets a worker collect what ended rooms have left (`spare-memory.ts`). */
const COLLECTS = '--expose-gc'

/** Threads for what waits: disks, and sources of playbacks (`media-worker/playback/reader-slots.ts`). */
const POOL = { UV_THREADPOOL_SIZE: '16' }

/**
 * Confines a media worker as far as the system does so without root:
 * - it sees only the environment variables of a short list;
 * - Node's permission model lets its scripts read the program and write into `folders`, and start no processes. Threads,
 *   which it needs for pictures (`media-worker/composing/`), are under the same permissions. Native libraries (FFmpeg, libdatachannel) are not bound by it;
 * - `setpriv` of util-linux drops all capabilities and forbids new ones, for native libraries too.
 *
 * @param folders absolute paths that the worker writes into: recordings and previews
 */
export function confineWorker(folders: readonly string[]): Confinement {
  const cache = workerCompileCache()
  const writable = cache === null ? folders : [...folders, cache]
  const node = [
    YOUNG_OBJECTS,
    COLLECTS,
    '--permission',
    '--allow-addons',
    '--allow-worker',
    '--disable-warning=SecurityWarning',
    ...[...PROGRAM_FOLDERS, ...CONNECTION_TABLES].map((place) => `--allow-fs-read=${place}`),
    ...writable.flatMap((folder) => [`--allow-fs-read=${folder}`, `--allow-fs-write=${folder}`]),
  ]
  const inherited = Object.fromEntries(VARIABLES.map((name) => [name, process.env[name]]))
  const env: NodeJS.ProcessEnv = { ...ALLOCATOR, ...POOL, ...inherited }
  if (cache !== null) env.NODE_COMPILE_CACHE = cache
  const privileges = droppedPrivileges()
  if (privileges === null) return { execPath: process.execPath, execArgv: node, env }
  return { execPath: 'setpriv', execArgv: [...privileges, process.execPath, ...node], env }
}

/** The strictest first. Only root may shrink the bounding set. */
const PRIVILEGES = [
  ['--no-new-privs', '--ambient-caps=-all', '--inh-caps=-all', '--bounding-set=-all'],
  ['--no-new-privs', '--ambient-caps=-all', '--inh-caps=-all'],
  ['--no-new-privs'],
]

let found: readonly string[] | null | undefined

/** Options of `setpriv` that this system and user permit; null without the program. Asked once. */
export function droppedPrivileges(): readonly string[] | null {
  found ??=
    PRIVILEGES.find(
      (options) => spawnSync('setpriv', [...options, 'true'], { stdio: 'ignore' }).status === 0,
    ) ?? null
  return found
}
