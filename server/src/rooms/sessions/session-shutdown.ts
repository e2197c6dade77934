import type { Logger } from 'pino'
import type { Clock } from '../../clock.ts'
import type { LiveSession } from './live-session.ts'
import { keepUnwrittenEnds } from './unwritten-ends.ts'

/** How long a stopping server waits for a database that refuses writes. */
const STOP_PATIENCE_MS = 3000

export interface ShutdownOptions {
  clock: Clock
  log: Logger
  /** Absolute path of the recordings folder. */
  recordingsFolder: string
  /** Gives the room up: clients come back at another node while the recordings are finished here. */
  giveUpRoom: (session: LiveSession) => Promise<void>
}

/**
 * Ends sessions because the server stops.
 * @returns when their recordings are finished and all is written, or noted for the next start
 */
export async function shutDown(sessions: readonly LiveSession[], options: ShutdownOptions): Promise<void> {
  const ended = Promise.all(
    sessions.map(async (session) => {
      await session.end('shutdown')
      await options.giveUpRoom(session)
      await session.finished
      await session.writes.flushed()
    }),
  )
  const patience = options.clock.after(STOP_PATIENCE_MS, () => {
    for (const session of sessions) session.giveUp()
  })
  await ended
  patience.cancel()
  await noteUnwrittenEnds(sessions, options)
}

/**
 * The next start completes the sessions that storage has in progress. Only this process knows when and why they
 * ended, so it leaves a note.
 */
async function noteUnwrittenEnds(
  sessions: readonly LiveSession[],
  { log, recordingsFolder }: ShutdownOptions,
): Promise<void> {
  const ends = sessions.flatMap(({ id, history: { unwrittenEnd } }) =>
    unwrittenEnd ? [{ sessionId: id, ...unwrittenEnd }] : [],
  )
  if (ends.length === 0) return
  try {
    await keepUnwrittenEnds(recordingsFolder, ends)
  } catch (error) {
    log.error({ err: error, ends }, 'ends of sessions not kept for the next start')
  }
}
