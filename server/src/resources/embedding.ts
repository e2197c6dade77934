import { type Static, Type } from 'typebox'
import { Answer } from './building-blocks.ts'

const origins = Type.Array(
  Type.String({
    minLength: 1,
    maxLength: 300,
    description: 'One origin, or all hosts below a domain.',
  }),
  {
    maxItems: 1000,
    examples: [['https://shop.example', 'https://*.shop.example']],
    description:
      'Origins of pages that may embed: scheme, host, and the port unless it is the usual one. `*.` before the host means all hosts below it. Only `localhost` may do without HTTPS.',
  },
)

/** Which pages of other origins may embed the conferences and rooms of the project. */
export const Embedding = Answer({ origins }, { title: 'Embedding', description: 'Who may embed.' })

export const SetEmbeddingBody = Type.Object({ origins })
export type SetEmbeddingBody = Static<typeof SetEmbeddingBody>
