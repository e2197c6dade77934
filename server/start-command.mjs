/** How the server is started, by `npm start` and by the tests alike. */
import path from 'node:path'

/**
 * New objects get 8 MiB before the garbage collector looks at them. With 64 requests under way, 4 MiB let most of their objects
 * live on to the next collection: a GET then cost a quarter more. 16 MiB gain little beyond that. What a start fills of it is given
 * back (`src/spare-memory.ts`).
 */
const YOUNG_OBJECTS = '--max-semi-space-size=8'

/** Lets the server collect what its start has left, once (`src/spare-memory.ts`). */
const COLLECTS = '--expose-gc'

/**
 * Heaps of the C library: by default each thread gets its own, and keeps what was freed in it. The main thread and that of the database
 * allocate at the same time; with one heap they wait for each other.
 */
const HEAPS = '2'

/** Where the server itself keeps compiled code too (`src/compile-cache.ts`). */
const COMPILED = path.resolve(import.meta.dirname, '../node_modules/.cache/parley/server')

/** Arguments for Node, in the repository's folder. */
export const startArguments = [YOUNG_OBJECTS, COLLECTS, 'server/src/main.ts']

/**
 * The cache must be known to Node before it reads the first file. Otherwise it loads the compiler of TypeScript for that one
 * file, at each start: 15 MiB and a tenth of a second.
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv} the environment of the server
 */
export function startEnvironment(env) {
  return {
    ...env,
    NODE_COMPILE_CACHE: env.NODE_COMPILE_CACHE ?? COMPILED,
    MALLOC_ARENA_MAX: env.MALLOC_ARENA_MAX ?? HEAPS,
  }
}
