import { mkdirSync } from 'node:fs'
import { constants, enableCompileCache, flushCompileCache } from 'node:module'
import { dirname, join, resolve } from 'node:path'

/** As the environment names a cache to Node itself, and so to threads and child processes. */
const VARIABLE = 'NODE_COMPILE_CACHE'
/** The first start writes some megabytes, which must not delay what is asked of it first. */
const KEEP_AFTER_MS = 3000

/**
 * Has Node keep what it compiles, types stripped, so that the next start takes half the processor time. It is kept beside
 * the packages or, where this user may not write there, in the data folder.
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
 * Where media workers keep theirs: apart, since a worker that was taken over must not change what this process runs.
 * @returns null where nothing is kept
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

/** Keeps what was compiled by now, for Node itself does so only at an orderly exit. */
export function keepCompiledSoon(): void {
  setTimeout(flushCompileCache, KEEP_AFTER_MS).unref()
}
