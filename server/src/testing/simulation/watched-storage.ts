import SqliteDatabase from 'better-sqlite3'
import type { Storage } from '../../storage/storage.ts'

/** Which writes fail, counted from the call of {@link WatchedStorage} `fail`. */
export interface WriteFaults {
  /** The first write that fails; 1 is the next one. */
  from: number
  /** How many fail in a row. */
  tries: number
  /**
   * `refused`: the disk is full, and nothing was written. `unanswered`: the connection broke during the commit, and the
   * data was written.
   */
  how: 'refused' | 'unanswered'
}

/** A storage that counts its pending requests, and fails on demand. */
export interface WatchedStorage {
  storage: Storage
  /** Requests that are under way. */
  busy(): number
  /** From now on these writes fail. Null ends the failures. */
  fail(faults: WriteFaults | null): void
  /** From now on transactions begin only after this promise has settled. */
  hold(until: Promise<void>): void
  /** Writes since the last call of {@link fail}. */
  writes(): number
}

/** Methods that change data. A transaction counts by the methods that it calls. */
const WRITES = new Set([
  'insert',
  'update',
  'append',
  'end',
  'closeAll',
  'touch',
  'put',
  'reopen',
  'delete',
  'beat',
])

/** Counts the requests to a real storage, so that a simulation can wait until everything is on disk. */
export function watchStorage(storage: Storage): WatchedStorage {
  let busy = 0
  let writes = 0
  let faults: WriteFaults | null = null
  let held: Promise<void> = Promise.resolve()

  /** @returns whether the write that begins now is to fail */
  function countWrite(): boolean {
    writes++
    return faults !== null && writes >= faults.from && writes < faults.from + faults.tries
  }

  function failure(): Error {
    if (faults?.how === 'unanswered') return new Error('Connection terminated unexpectedly')
    return new SqliteDatabase.SqliteError('database or disk is full', 'SQLITE_FULL')
  }

  async function counting<T>(work: () => Promise<T>): Promise<T> {
    busy++
    try {
      return await work()
    } finally {
      busy--
    }
  }

  const counted = <T extends object>(target: T, transaction: { isToFail: boolean } | null): T =>
    new Proxy(target, {
      get(object, name) {
        const value = Reflect.get(object, name)
        if (typeof value === 'object' && value !== null) return counted(value, transaction)
        if (typeof value !== 'function') return value
        if (name === 'transaction') return transact
        if (!WRITES.has(String(name)))
          return (...args: unknown[]) => counting(async () => value.apply(object, args))
        return (...args: unknown[]) =>
          counting(async () => {
            const isToFail = countWrite()
            if (isToFail && faults?.how === 'refused') throw failure()
            const done = await value.apply(object, args)
            if (isToFail && transaction) transaction.isToFail = true
            else if (isToFail) throw failure()
            return done
          })
      },
    })

  async function transact(work: Parameters<Storage['transaction']>[0]): Promise<unknown> {
    // A transaction that is held back does not count as busy: nothing happens until the test releases it.
    await held
    return counting(async () => {
      const state = { isToFail: false }
      const done = await storage.transaction((tx) => work(counted(tx, state)))
      if (state.isToFail) throw failure()
      return done
    })
  }

  return {
    storage: counted(storage, null),
    busy: () => busy,
    writes: () => writes,
    hold: (until) => {
      held = until
    },
    fail(ordered) {
      faults = ordered
      writes = 0
    },
  }
}
