import { mkdirSync } from 'node:fs'
import { constants, enableCompileCache, flushCompileCache } from 'node:module'
import { dirname, join, resolve } from 'node:path'

/** Environment variable that sets the cache folder for Node itself, and so for threads and child processes. */
const VARIABLE = 'NODE_COMPILE_CACHE'
/**
 * Delay before the cache is written. The first start writes some megabytes, which must not delay the first requests.
 */
const KEEP_AFTER_MS = 3000

/**
 * Makes Node cache compiled code without its types, so that the next start takes half the processor time. The cache is
 * next to the packages or, if this user may not write there, in the data folder.
 */
export function useCompileCache(): void {
  const beside = join(import.meta.dirname, '../../node_modules/.cache/parley')
  const dataDir = resolve(process.env.PARLEY_DATA_DIR || 'data', 'cache')
  for (const parent of [beside, dataDir]) {
    const folder = join(parent, 'server')
    const { status } = enableCompileCache(folder)
    if (status === constants.compileCacheStatus.FAILED) continue
    if (status === constants.compileCacheStatus.ENABLED) process.env[VARIABLE] = folder
    return
  }
}

/**
 * Cache folder of the media workers. It is separate, because a compromised worker must not change the code of this
 * process.
 * @returns null when there is no cache
 */
export function workerCompileCache(): string | null {
  const own = process.env[VARIABLE]
  if (!own) return null
  const folder = join(dirname(own), 'workers')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return folder
  } catch {
    return null
  }
}

/** Writes the cache soon after the start. Node itself writes it only at an orderly exit. */
export function keepCompiledSoon(): void {
  setTimeout(flushCompileCache, KEEP_AFTER_MS).unref()
}
