import type { Storage } from '../../../storage/storage.ts'

/** A storage that knows whether it is being waited for. */
export interface WatchedStorage {
  storage: Storage
  /** Requests that are under way. */
  busy(): number
}

/** Counts what is asked of a real storage, so that a simulation can wait until all is on disk. */
export function watchStorage(storage: Storage): WatchedStorage {
  let busy = 0
  const counted = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(object, name) {
        const value = Reflect.get(object, name)
        if (typeof value === 'object' && value !== null) return counted(value)
        if (typeof value !== 'function') return value
        return async (...args: unknown[]) => {
          busy++
          try {
            return await value.apply(object, args)
          } finally {
            busy--
          }
        }
      },
    })
  return { storage: counted(storage), busy: () => busy }
}
