import { type Static, Type } from 'typebox'
import { Answer, Nullable, Timestamp, Uuid } from './building-blocks.ts'

/** The figures of a connection, each measured over an interval. */
const FIGURES = {
  talking: 'Share of the time in which the member talked, 0 to 1.',
  round_trip_ms: 'Round trip between browser and server, in milliseconds.',
  jitter_ms: 'Interarrival jitter of what the browser sends, in milliseconds (RFC 3550).',
  uplink_loss: 'Share of packets lost on the way to the server before any repair, 0 to 1.',
  downlink_loss: 'Share of packets lost on the way to the browser, 0 to 1.',
  uplink_bitrate: 'Media from the browser, in bits per second.',
  downlink_bitrate: 'Media to the browser, in bits per second.',
  frame_rate: 'Pictures of the camera in a second.',
} as const

export type QualityFigure = keyof typeof FIGURES
export const QUALITY_FIGURES = Object.keys(FIGURES) as QualityFigure[]

const series = (description: string) =>
  Type.Array(
    Nullable(Type.Number({ description: 'Value of one interval; null where nothing was measured.' })),
    {
      examples: [[12, null, 14.5]],
      description,
    },
  )

const figures = Object.fromEntries(
  Object.entries(FIGURES).map(([name, description]) => [name, series(description)]),
) as Record<QualityFigure, ReturnType<typeof series>>

export const MemberQuality = Answer(
  {
    member_id: Uuid({ description: 'Id of the member.' }),
    start_time: Timestamp({ description: 'Begin of the first interval.' }),
    interval_ms: Type.Integer({
      examples: [10_000],
      description: 'Length of an interval in milliseconds. It doubles whenever a member stays long.',
    }),
    ...figures,
  },
  {
    title: 'MemberQuality',
    description: 'How the connection of a member was, one value for each interval, oldest first.',
  },
)
export type MemberQuality = Static<typeof MemberQuality>

export const SessionQualities = Answer(
  { data: Type.Array(MemberQuality, { description: 'The members, in the order of their first interval.' }) },
  { title: 'SessionQualities', description: 'How the connections of the members of a session were.' },
)
