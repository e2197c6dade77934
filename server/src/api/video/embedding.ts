import { nothingLeft } from '../../resources/bodies.ts'
import { Embedding, SetEmbeddingBody } from '../../resources/embedding.ts'
import { actorOf } from '../conventions/authentication.ts'
import { type Operation, operation } from '../conventions/operation.ts'

const tag = 'Embedding'

/** `/embedding`: which pages of other origins may embed what the project has. */
export const embeddingOperations: Operation[] = [
  operation(
    {
      route: 'GET /embedding',
      operationId: 'getEmbedding',
      summary: 'Read who may embed',
      description:
        'The origins whose pages may embed conferences and rooms of the project. At first there are none. An addition of Parley.',
      tag,
      answer: Embedding,
    },
    async ({ projectId }, { embedOrigins }) => ({ origins: await embedOrigins.list(projectId) }),
  ),

  operation(
    {
      route: 'PUT /embedding',
      operationId: 'setEmbedding',
      summary: 'Set who may embed',
      description:
        'Replaces the list of origins. It counts from the next time that somebody opens a page with an embedded conference. An addition of Parley.',
      tag,
      body: SetEmbeddingBody,
      answer: Embedding,
      errorCodes: { 422: ['list_contains_invalid_entries'] },
    },
    async ({ caller, body: { origins, ...rest } }, { embedOrigins }) => {
      nothingLeft(rest)
      return { origins: await embedOrigins.change(caller.projectId, () => origins, actorOf(caller)) }
    },
  ),
]
