import type { SessionRegistry } from '../rooms/sessions/session-registry.ts'
import type { DurationCounts } from './counts.ts'
import { type Figure, type FigureSources, one, type Sample } from './figure.ts'
import type { Tallies } from './tallies.ts'
import { workerFigures } from './worker-figures.ts'

/** Parts that `GET /readyz` looks at. Each is shown, also while nothing is wrong with it. */
const PARTS = ['server', 'database', 'disk', 'workers', 'ports']
/** How long the database and the disk are waited for. A collector has a limit of its own, of 10 s as a rule. */
const PATIENCE_MS = 1000

/** Every figure of the server, of all projects together. */
export async function serverFigures(sources: FigureSources): Promise<Figure[]> {
  const { media, sessions, version, tallies } = sources
  const served = sources.servedForOthers()
  return [
    {
      name: 'info',
      help: 'What runs.',
      type: 'gauge',
      samples: [{ value: 1, labels: { version, node: process.version } }],
    },
    one('draining', 'Whether no new session may begin: 0 or 1.', Number(sessions.isDraining)),
    ...figuresOfSessions(sessions.sessions),
    ...figuresOfTallies(tallies),
    {
      name: 'sign_ins_refused_total',
      help: 'Sign-ins that were refused, by the way that they came.',
      type: 'counter',
      samples: Object.entries(sources.refusedSignIns.counts).map(([way, value]) => ({
        value,
        labels: { way },
      })),
    },
    ...workerFigures(media.workers),
    one('guest_rooms', 'Rooms of other nodes that have viewers here.', served.rooms),
    one('guest_legs', 'Connections of viewers of rooms of other nodes.', served.legs),
    ...(await figuresOfHealth(sources)),
  ]
}

function figuresOfSessions(sessions: SessionRegistry['sessions']): Figure[] {
  const participants = { member: 0, screen: 0, device: 0, audience: 0 }
  let [recordings, streams] = [0, 0]
  for (const session of sessions) {
    for (const { type } of session.everybody()) participants[type]++
    recordings += session.runningRecordings.length
    streams += session.runningStreams.length
  }
  return [
    one('sessions', 'Sessions in progress.', sessions.length),
    {
      name: 'participants',
      help: 'Those who are in a session, by their type.',
      type: 'gauge',
      samples: Object.entries(participants).map(([type, value]) => ({ value, labels: { type } })),
    },
    one('recordings', 'Recordings in progress.', recordings),
    one('streams', 'RTMP streams in progress.', streams),
  ]
}

function figuresOfTallies(tallies: Tallies): Figure[] {
  const counter = (name: string, help: string, counts: { samples(): Sample[] }): Figure => ({
    name: `${name}_total`,
    help,
    type: 'counter',
    samples: counts.samples(),
  })
  const histogram = (name: string, help: string, durations: { samples(): DurationCounts[] }): Figure => ({
    name: `${name}_seconds`,
    help,
    type: 'histogram',
    samples: durations.samples(),
  })
  return [
    counter('joins', 'Attempts to join a room, by their result: joined, or why not.', tallies.joins),
    histogram('join', 'Time until a newcomer was in its room.', tallies.joinSeconds),
    counter('session_events', 'Events in the histories of sessions, by name.', tallies.events),
    counter('http_requests', 'Answers over HTTP, by method, route and status.', tallies.requests),
    histogram(
      'http_request',
      'Time until the last byte of an answer over HTTP, by route.',
      tallies.requestSeconds,
    ),
    counter(
      'websocket_requests',
      'Requests over WebSockets, by method and status of the answer.',
      tallies.webSocketRequests,
    ),
  ]
}

async function figuresOfHealth({ troubles, databaseSeconds, disk }: FigureSources): Promise<Figure[]> {
  const [found, tookSeconds, space] = await Promise.all([
    troubles(),
    inTime(databaseSeconds()),
    inTime(disk()),
  ])
  const ofPart = (part: string, isWarning: boolean) => ({
    value: found.filter((each) => each.part === part && (each.isWarning ?? false) === isWarning).length,
    labels: { part, level: isWarning ? 'warning' : 'reason' },
  })
  const parts = [...new Set([...PARTS, ...found.map(({ part }) => part)])]
  return [
    one(
      'ready',
      'Whether the server can serve, as GET /readyz has it: 0 or 1.',
      Number(!found.some(isReason)),
    ),
    {
      name: 'troubles',
      help: 'What GET /readyz tells: reasons why the server cannot serve, and warnings, by part.',
      type: 'gauge',
      samples: parts.flatMap((part) => [ofPart(part, false), ofPart(part, true)]),
    },
    one(
      'database_up',
      'Whether the database took a small write just now: 0 or 1.',
      Number(tookSeconds !== null),
    ),
    ...(tookSeconds === null
      ? []
      : [
          one(
            'database_write_seconds',
            'Time that a small write to the database took just now.',
            tookSeconds,
          ),
        ]),
    ...(space === null
      ? []
      : [
          one('disk_free_bytes', 'Free space on the disk of the data folder.', space.freeBytes),
          one('disk_size_bytes', 'Size of the disk of the data folder.', space.totalBytes),
        ]),
  ]
}

const isReason = ({ isWarning }: { isWarning?: boolean }) => !isWarning

/** @returns null when it fails, or takes too long */
async function inTime<T>(work: Promise<T>): Promise<T | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(resolve, PATIENCE_MS, null)
  try {
    return await Promise.race([work.catch(() => null), late])
  } finally {
    clearTimeout(timer)
  }
}
