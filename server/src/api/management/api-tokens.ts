import { Refusal } from '../../errors/refusal.ts'
import type { ShownApiToken } from '../../projects/api-tokens.ts'
import { ApiToken, ApiTokens, CreateApiTokenBody, FreshApiToken } from '../../resources/api-token.ts'
import { nothingLeft } from '../../resources/bodies.ts'
import { IdParams } from '../../resources/building-blocks.ts'
import { formatMoment } from '../../resources/dates.ts'
import { actorOf } from '../conventions/authentication.ts'
import { type Operation, operation } from '../conventions/operation.ts'

const tag = 'API tokens'

/** `/api_tokens`: the API tokens of the project. */
export const apiTokenOperations: Operation[] = [
  operation(
    {
      route: 'GET /api_tokens',
      operationId: 'listApiTokens',
      summary: 'List API tokens',
      description:
        'The API tokens of the project, oldest first, without their secrets. An addition of Parley.',
      tag,
      answer: ApiTokens,
    },
    async ({ projectId }, { apiTokens }) => ({ data: (await apiTokens.list(projectId)).map(show) }),
  ),

  operation(
    {
      route: 'POST /api_tokens',
      operationId: 'createApiToken',
      summary: 'Create an API token',
      description: 'Answers with the token itself, which is shown only now. An addition of Parley.',
      tag,
      body: CreateApiTokenBody,
      answer: FreshApiToken,
      status: 201,
    },
    async ({ projectId, caller, body }, { apiTokens }) => {
      const { name, scopes, ...rest } = body
      nothingLeft(rest)
      const { token, secret } = await apiTokens.create(projectId, name, scopes, actorOf(caller))
      return { ...show(token), token: secret }
    },
  ),

  operation(
    {
      route: 'GET /api_tokens/:id',
      operationId: 'getApiToken',
      summary: 'Get an API token',
      description: 'One API token, without its secret. An addition of Parley.',
      tag,
      params: IdParams,
      answer: ApiToken,
    },
    async ({ projectId, params }, { apiTokens }) => {
      const found = (await apiTokens.list(projectId)).find(({ id }) => id === params.id)
      if (!found) throw new Refusal('provided_id_is_unrecognized', { attribute: 'id' })
      return show(found)
    },
  ),

  operation(
    {
      route: 'DELETE /api_tokens/:id',
      operationId: 'revokeApiToken',
      summary: 'Revoke an API token',
      description: 'The token stops working at once. An addition of Parley.',
      tag,
      params: IdParams,
    },
    async ({ projectId, caller, params }, { apiTokens }) => {
      await apiTokens.revoke(projectId, params.id, actorOf(caller))
    },
  ),
]

const show = ({ id, name, scopes, last_used_at, created_at }: ShownApiToken): ApiToken => ({
  id,
  name,
  scopes: [...scopes],
  last_used_at: last_used_at === null ? null : formatMoment(last_used_at),
  created_at: formatMoment(created_at),
})
