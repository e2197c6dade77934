import { type Static, Type } from 'typebox'
import { Answer, Nullable } from './building-blocks.ts'

export const ErrorItem = Answer(
  {
    type: Type.String({
      examples: ['validation_error'],
      description: 'Kind of error, such as `validation_error`.',
    }),
    code: Type.String({
      examples: ['invalid_parameter'],
      description: 'What is wrong, for programs; one of the codes of the error page.',
    }),
    message: Type.String({
      examples: ['The value must be 300 or less.'],
      description: 'What is wrong, for people.',
    }),
    attribute: Nullable(
      Type.String({ examples: ['max_members'], description: 'The parameter at fault, if one is.' }),
    ),
    url: Type.String({
      examples: ['https://meet.example.org/errors#invalid_parameter'],
      description: 'Where the code is explained.',
    }),
  },
  { title: 'Error', description: 'One thing that is wrong.' },
)

/** The body of every error answer under `/api`. */
export const ErrorBody = Answer(
  { errors: Type.Array(ErrorItem, { minItems: 1, description: 'One entry for each thing.' }) },
  {
    title: 'Errors',
    description: 'Everything that is wrong with the request, one entry for each field at fault.',
  },
)
export type ErrorBody = Static<typeof ErrorBody>
