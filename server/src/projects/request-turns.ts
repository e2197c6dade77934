import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import { Refusal } from '../errors/refusal.ts'
import { newId } from '../ids.ts'
import type { Storage } from '../storage/storage.ts'

/** A request that must not run twice at a time, by the key that its client chose. */
export interface TurnOf {
  projectId: string
  key: string
}

/** Runs requests with the same key one after the other. */
export interface RequestTurns {
  /**
   * Waits until no request with this key runs.
   * @returns ends the turn; resolves when the next one may begin
   * @throws Refusal `unavailable` when another server has the turn for too long
   */
  take(request: TurnOf): Promise<() => Promise<void>>
  /** Forgets the turns of servers that died. */
  deleteOld(): Promise<void>
}

/** Turns among the requests of this process. */
export function turnsOfOneServer(): RequestTurns {
  const underWay = new Map<string, Promise<void>>()
  return {
    async take({ projectId, key }) {
      const name = `${projectId} ${key}`
      while (underWay.has(name)) await underWay.get(name)
      const { promise, resolve } = Promise.withResolvers<void>()
      underWay.set(name, promise)
      return async () => {
        if (underWay.get(name) === promise) underWay.delete(name)
        resolve()
      }
    },
    deleteOld: async () => {},
  }
}

/** How long a turn counts if its server does not end it, in milliseconds: longer than any request may take. */
const TURN_MS = 60_000
/** How long a request waits for a turn of another server. Then its client is told to come again. */
const PATIENCE_MS = 20_000
/** Between two attempts. It doubles from the first to the longest. */
const FIRST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 200

export interface SharedTurnsOptions {
  storage: Pick<Storage, 'runningRequests'>
  clock: Clock
  log: Logger
}

/**
 * Turns among the requests of all servers on one database: a row for each request that runs. A server that dies leaves
 * its rows, which count for a minute.
 */
export function turnsOfAllServers({ storage, clock, log }: SharedTurnsOptions): RequestTurns {
  const own = turnsOfOneServer()
  const { runningRequests } = storage
  const pause = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve))

  async function claim(claimed: TurnOf & { holder: string }): Promise<void> {
    const giveUpAt = clock.monotonicMs() + PATIENCE_MS
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      const now = clock.now()
      if (await runningRequests.claim(claimed, now, now + TURN_MS)) return
      if (clock.monotonicMs() > giveUpAt) throw tooLong()
      await pause(pauseMs)
    }
  }

  return {
    async take(request) {
      const end = await own.take(request)
      const claimed = { ...request, holder: newId() }
      try {
        await claim(claimed)
      } catch (error) {
        await end()
        throw error
      }
      return async () => {
        await runningRequests.release(claimed).catch((error: unknown) => {
          log.warn({ err: error }, 'a request with an Idempotency-Key is held for up to a minute more')
        })
        await end()
      }
    },
    deleteOld: () => runningRequests.deleteExpired(clock.now() - TURN_MS),
  }
}

const tooLong = () =>
  new Refusal('unavailable', {
    message: 'A request with the same `Idempotency-Key` is still running. Try again in a few seconds.',
  })
