/** How the server is started, by `npm start` and by the tests alike. */
import path from 'node:path'

/**
 * New objects get 4 MiB before the garbage collector looks at them. By default Node takes up to 16 MiB, three times over,
 * which the busy moment of a start fills, and never gives them back.
 */
const YOUNG_OBJECTS = '--max-semi-space-size=4'

/** Lets the server collect what its start has left, once (`src/spare-memory.ts`). */
const COLLECTS = '--expose-gc'

/**
 * Heaps of the C library: by default each thread gets its own, and keeps what was freed in it. Few threads of the server allocate at
 * the same time.
 */
const HEAPS = '1'

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
