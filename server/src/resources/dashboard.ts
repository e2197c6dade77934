import { type Static, Type } from 'typebox'
import { answerFields } from './answers.ts'
import { Answer, Nullable, OneOf, Timestamp } from './building-blocks.ts'
import { eventFields } from './event.ts'
import { OVERLOAD_STEPS } from './overload-steps.ts'

/** What the dashboard shows besides the lists of the API. */

const count = (description: string, example = 3) =>
  Type.Integer({ minimum: 0, examples: [example], description })
const amount = (description: string, example = 0.5) =>
  Type.Number({ minimum: 0, examples: [example], description })

export const LiveFigures = Answer(
  {
    rooms: count('Rooms with a session in progress.'),
    members: count('People in rooms, without the audience, screen shares and devices.', 12),
    audience: count('People who watch.', 40),
    recordings: count('Recordings that are being made.', 1),
    streams: count('Streams that are being sent.', 1),
  },
  { title: 'LiveFigures', description: 'What happens in the project now, in numbers.' },
)

/** Periods of {@link Usage}, with their length in hours. */
export const USAGE_PERIODS = { day: 24, month: 30 * 24 } as const

export const UsageQuery = Type.Object({
  period: Type.Optional(
    OneOf(Object.keys(USAGE_PERIODS) as (keyof typeof USAGE_PERIODS)[], {
      default: 'day',
      examples: ['day'],
      description: '`day`: the last 24 hours. `month`: the last 30 days.',
    }),
  ),
})

const perHour = (description: string) =>
  Type.Array(Type.Number({ minimum: 0 }), { examples: [[0, 12.5]], description })

export const Usage = Answer(
  {
    start: Timestamp({ description: 'Begin of the first hour.' }),
    member_minutes: perHour('Minutes that members and audience spent in rooms.'),
    recorded_minutes: perHour('Minutes of recorded media.'),
    streamed_minutes: perHour('Minutes of streams.'),
    cost_in_dollars: perHour('Cost of all three, by the prices of the server.'),
  },
  {
    title: 'Usage',
    description: 'Use of the project by hour, oldest first. The last hour is the one under way.',
  },
)
export type Usage = Static<typeof Usage>

export const StorageUse = Answer(
  {
    recordings: count('Number of recordings.', 120),
    recordings_bytes: count('Their size.', 52_428_800),
    free_bytes: count('Free space on the disk of the recordings.', 250_000_000_000),
    total_bytes: count('Size of that disk.', 500_000_000_000),
  },
  { title: 'StorageUse', description: 'Space that the recordings of the project take, and what is left.' },
)

export const Problem = Answer(
  {
    ...answerFields(eventFields, 'event'),
    room_name: Nullable(
      Type.String({
        examples: ['board'],
        description: 'Name of the room; null if its session is not known.',
      }),
    ),
  },
  { title: 'Problem', description: 'An event that is a warning or an error.' },
)
export type Problem = Static<typeof Problem>

const MediaWorker = Answer(
  {
    first_port: count('First UDP port that it may use.', 40_000),
    last_port: count('Last UDP port that it may use.', 40_049),
    state: OneOf(['starting', 'ready', 'portless'], {
      examples: ['ready'],
      description: '`portless`: other programs have all of its ports, so it carries no room.',
    }),
    cpu: amount('Processors that it uses: 1 is one whole processor.', 0.4),
    event_loop_delay_ms: amount('Longest delay of its work in the last second, in milliseconds.', 4),
    rooms: count('Rooms that it carries.', 2),
    legs: count('Peer connections that it carries.', 9),
    overload_step: OneOf(OVERLOAD_STEPS, {
      examples: ['none'],
      description:
        'What it gives up because the machine has too much to do. Each step includes those before it.',
    }),
  },
  { title: 'MediaWorker', description: 'A media worker process.' },
)

export const MediaWorkers = Answer(
  {
    data: Type.Array(MediaWorker, { description: 'The media workers, in the order of their ports.' }),
    processors: count('Processors of the machine.', 8),
  },
  { title: 'MediaWorkers', description: 'The media workers of the server, which all projects share.' },
)

const Finding = Answer(
  {
    status: OneOf(['ok', 'warning', 'failed'], { examples: ['ok'], description: 'How bad it is.' }),
    subject: Type.String({ examples: ['Disk space'], description: 'What was examined.' }),
    detail: Type.String({ examples: ['250.0 GB free'], description: 'What was found.' }),
    advice: Nullable(
      Type.String({ examples: ['Make room.'], description: 'What to do about it; null if all is well.' }),
    ),
  },
  { title: 'Finding', description: 'Result of an examination.' },
)

export const Checkup = Answer(
  {
    examined_at: Timestamp({ description: 'When the server was examined.' }),
    data: Type.Array(Finding, { description: 'What was found.' }),
  },
  { title: 'Checkup', description: 'What `parley doctor` says about the server.' },
)
