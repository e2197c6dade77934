import { type Static, Type } from 'typebox'
import { Answer, Nullable, OneOf, Timestamp } from './building-blocks.ts'
import { LOG_LEVELS } from './log-levels.ts'

export const ServerLogQuery = Type.Object({
  level: Type.Optional(
    OneOf(LOG_LEVELS, {
      default: 'trace',
      examples: ['warn'],
      description: 'Least severe level that is wanted.',
    }),
  ),
})

const LogEntry = Answer(
  {
    id: Type.String({
      examples: ['17'],
      description: 'Its place in the log, counted from the start of the server.',
    }),
    time: Nullable(Timestamp({ description: 'When it was written; null if that was cut off.' })),
    level: OneOf(LOG_LEVELS, { examples: ['warn'], description: 'How severe it is.' }),
    part: Nullable(
      Type.String({
        examples: ['http'],
        description: 'Part of the server that wrote it; null for the server itself.',
      }),
    ),
    message: Type.String({ examples: ['request failed'], description: 'What it says.' }),
    details: Nullable(
      Type.String({
        examples: ['{"reqId":"req-1"}'],
        description: 'Its other fields as JSON; null if there are none.',
      }),
    ),
  },
  { title: 'LogEntry', description: 'A line of the log of the server.' },
)
export type LogEntry = Static<typeof LogEntry>

export const ServerLogLines = Answer(
  { data: Type.Array(LogEntry, { description: 'The last lines, newest first.' }) },
  { title: 'ServerLogLines', description: 'The end of the log, without secrets and control characters.' },
)
