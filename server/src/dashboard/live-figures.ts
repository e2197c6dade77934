import type { SessionRegistry } from '../rooms/sessions/session-registry.ts'

/** What happens in a project now, in numbers. */
export interface LiveFigures {
  /** Rooms with a session in progress. */
  rooms: number
  /** People in rooms, without audience, screen shares and devices. */
  members: number
  audience: number
  recordings: number
  streams: number
}

/** Counts what runs in a project. It reads memory alone. */
export function liveFigures(
  sessions: Pick<SessionRegistry, 'runningSessions'>,
  projectId: string,
): LiveFigures {
  const running = sessions.runningSessions(projectId)
  const figures: LiveFigures = { rooms: running.length, members: 0, audience: 0, recordings: 0, streams: 0 }
  for (const session of running) {
    for (const { type } of session.everybody()) {
      if (type === 'member') figures.members++
      if (type === 'audience') figures.audience++
    }
    figures.recordings += session.runningRecordings.length
    figures.streams += session.runningStreams.length
  }
  return figures
}

/** The figures of two nodes together. */
export const addFigures = (one: LiveFigures, other: LiveFigures): LiveFigures => ({
  rooms: one.rooms + other.rooms,
  members: one.members + other.members,
  audience: one.audience + other.audience,
  recordings: one.recordings + other.recordings,
  streams: one.streams + other.streams,
})
