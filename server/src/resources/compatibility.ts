import { type Static, Type } from 'typebox'
import { Answer } from './building-blocks.ts'

/** The body of error answers in the compatibility family. */
export const CompatibilityError = Answer(
  {
    code: Type.String({
      description: 'What is wrong, for programs; one of the codes of the error page.',
      examples: ['invalid_parameter'],
    }),
    message: Type.String({
      description: 'Everything that is wrong, for people.',
      examples: ['PageSize: The value must be 1000 or less.'],
    }),
    more_info: Type.String({
      description: 'Where the code is explained.',
      examples: ['https://meet.example.org/errors#invalid_parameter'],
    }),
    status: Type.Integer({ description: 'Status of the answer.', examples: [422] }),
  },
  { title: 'CompatibilityError', description: 'What is wrong with the request.' },
)
export type CompatibilityError = Static<typeof CompatibilityError>

/** A date and time in an answer of the compatibility family: UTC, RFC 2822. */
export const CompatibilityTime = (options: { description: string }) =>
  Type.String({ examples: ['Thu, 31 Jan 2030 09:30:00 +0000'], ...options })

/** A date and time in a query of the compatibility family. */
export const CompatibilityMoment = (options: { description: string }) =>
  Type.String({
    format: 'date-or-date-time-or-rfc2822',
    examples: ['Thu, 31 Jan 2030 09:30:00 +0000', '2030-01-31T09:30:00Z', '2030-01-31'],
    ...options,
  })
