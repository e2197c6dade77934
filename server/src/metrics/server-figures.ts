import type { MediaWorkerState } from '../media/media-plane.ts'
import { OVERLOAD_STEPS } from '../resources/overload-steps.ts'
import type { SessionRegistry } from '../rooms/sessions/session-registry.ts'

/** One figure of the server at the moment, as Prometheus shows it. */
export interface Figure {
  /** Without the prefix of the product. It ends in its unit, as in `seconds`, where it has one. */
  name: string
  /** What it is, for people. */
  help: string
  samples: { value: number; labels?: Record<string, string> }[]
}

/** Where the figures come from. */
export interface FigureSources {
  media: { readonly workers: readonly MediaWorkerState[] }
  sessions: Pick<SessionRegistry, 'sessions' | 'isDraining'>
  version: string
}

/** Every figure of the server, of all projects together. It reads memory alone. */
export function serverFigures({ media, sessions, version }: FigureSources): Figure[] {
  return [
    {
      name: 'info',
      help: 'What runs.',
      samples: [{ value: 1, labels: { version, node: process.version } }],
    },
    one('draining', 'Whether no new session may begin: 0 or 1.', Number(sessions.isDraining)),
    ...figuresOfSessions(sessions.sessions),
    ...figuresOfWorkers(media.workers),
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
      samples: Object.entries(participants).map(([type, value]) => ({ value, labels: { type } })),
    },
    one('recordings', 'Recordings in progress.', recordings),
    one('streams', 'RTMP streams in progress.', streams),
  ]
}

function figuresOfWorkers(workers: readonly MediaWorkerState[]): Figure[] {
  const each = (name: string, help: string, figure: (worker: MediaWorkerState) => number): Figure => ({
    name: `media_worker_${name}`,
    help,
    samples: workers.map((worker, index) => ({ value: figure(worker), labels: { worker: String(index) } })),
  })
  return [
    each('ready', 'Whether the media worker can carry rooms: 0 or 1.', ({ state }) =>
      Number(state === 'ready'),
    ),
    each('cpu_cores', 'Processor time that it uses, in cores.', ({ load }) => load.cpu),
    each(
      'spare_cpu_cores',
      'Processor time of the machine that nobody uses, in cores.',
      ({ load }) => load.spareCpu,
    ),
    each('loop_busy_ratio', 'Share of the time in which its packet loop was busy.', ({ load }) => load.loop),
    each(
      'loop_delay_seconds',
      'Longest wait of its packet loop in the last second.',
      ({ load }) => load.eventLoopDelayMs / 1000,
    ),
    each(
      'pictures_left_out_ratio',
      'Share of the composed pictures for which there was no time.',
      ({ load }) => load.picturesLeftOut,
    ),
    each('overload_step', `What it gives up at present: ${stepsInWords()}.`, ({ load }) =>
      OVERLOAD_STEPS.indexOf(load.step),
    ),
    each('rooms', 'Rooms that it mixes.', ({ load }) => load.rooms),
    each('legs', 'Connections of browsers that it serves.', ({ load }) => load.legs),
  ]
}

const stepsInWords = () => OVERLOAD_STEPS.map((step, index) => `${index} ${step}`).join(', ')

const one = (name: string, help: string, value: number): Figure => ({ name, help, samples: [{ value }] })
