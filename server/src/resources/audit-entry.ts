import { type Static, Type } from 'typebox'
import { Answer, Nullable, OneOf, Timestamp, Uuid } from './building-blocks.ts'

export const AuditEntry = Answer(
  {
    id: Uuid({ description: 'Id of the entry.' }),
    actor: Answer(
      {
        kind: OneOf(['os-user', 'api-token', 'user', 'server'], {
          examples: ['user'],
          description:
            'Who did it: a user of the machine at the command line, an API token, a user, or the server.',
        }),
        name: Type.String({
          examples: ['ada@example.org'],
          description: 'Name of the user, or id of the API token.',
        }),
      },
      { description: 'Who did it.', examples: [{ kind: 'user', name: 'ada@example.org' }] },
    ),
    action: Type.String({
      examples: ['api_token.revoke'],
      description: 'What was done: the thing, a dot, the verb.',
    }),
    target: Nullable(
      Type.String({
        examples: ['9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11'],
        description: 'Id of what was changed; null if that is the project.',
      }),
    ),
    details: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      examples: [{ name: 'Back end' }],
      description: 'More about it, without secrets.',
    }),
    created_at: Timestamp({ description: 'When it was done.' }),
  },
  { title: 'AuditEntry', description: 'Something that administration did in the project.' },
)
export type AuditEntry = Static<typeof AuditEntry>
