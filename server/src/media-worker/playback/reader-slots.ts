/**
 * Each playback may hold one thread of the process's pool for seconds while its source is silent. Recordings, and all else that
 * touches a disk, need threads of the same pool, so some are always left to them.
 */

/** Threads of the pool (`UV_THREADPOOL_SIZE`) that media workers are started with: see `media/worker-confinement.ts`. */
const POOL_THREADS = Number(process.env.UV_THREADPOOL_SIZE ?? 4)
const KEPT_FREE = 3
const MOST_PLAYBACKS = Math.max(2, POOL_THREADS - KEPT_FREE)

let taken = 0

/**
 * Takes one of the process's places for playbacks.
 * @returns gives it back. Idempotent
 * @throws Error when there is none left
 */
export function takeReaderSlot(): () => void {
  if (taken >= MOST_PLAYBACKS)
    throw new Error(`this process has ${taken} playbacks, which is all it can carry`)
  taken++
  let isHeld = true
  return () => {
    if (isHeld) taken--
    isHeld = false
  }
}
