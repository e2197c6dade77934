import { IdParams } from '../../resources/building-blocks.ts'
import { ConferenceToken } from '../../resources/conference-token.ts'
import { Page, PagingQuery } from '../../resources/paging.ts'
import type { ShownConferenceToken } from '../../rooms/conference-tokens.ts'
import type { ApiRequest } from '../conventions/api-request.ts'
import { actorOf } from '../conventions/authentication.ts'
import { type Operation, operation } from '../conventions/operation.ts'

const tag = 'Conference tokens'

/** `/conference_tokens`: two operations, and the tokens of one conference. */
export const conferenceTokenOperations: Operation[] = [
  operation(
    {
      route: 'GET /conferences/:id/conference_tokens',
      operationId: 'listConferenceTokens',
      summary: 'List tokens of a conference',
      description: 'The tokens that let into it, newest first.',
      tag,
      params: IdParams,
      query: PagingQuery,
      answer: Page(ConferenceToken),
      hasSecrets: true,
      // Whoever has the token of a moderator may do everything in the conference.
      right: 'operate',
    },
    async (request, { conferenceTokens }) => {
      const { projectId, params, listRequest } = request
      const page = await conferenceTokens.listOfConference(projectId, params.id, listRequest)
      return request.answerPage(page, showFor(request), (token) => token.created_at)
    },
  ),

  operation(
    {
      route: 'GET /conference_tokens/:id',
      operationId: 'getConferenceToken',
      summary: 'Get a conference token',
      description: 'One token with its secret.',
      tag,
      params: IdParams,
      answer: ConferenceToken,
      hasSecrets: true,
      // Whoever has the token of a moderator may do everything in the conference.
      right: 'operate',
    },
    async (request, { conferenceTokens }) =>
      showFor(request)(await conferenceTokens.get(request.projectId, request.params.id)),
  ),

  operation(
    {
      route: 'POST /conference_tokens/:id/reset',
      operationId: 'resetConferenceToken',
      summary: 'Reset a conference token',
      description: 'Gives the token a new secret. The old one stops working at once.',
      tag,
      params: IdParams,
      answer: ConferenceToken,
    },
    async (request, { conferenceTokens }) => {
      const { caller, params } = request
      return showFor(request)(await conferenceTokens.reset(caller.projectId, params.id, actorOf(caller)))
    },
  ),
]

/** The token is in the fragment of the link, which browsers send to no server. */
const showFor =
  ({ origin }: ApiRequest) =>
  ({ id, name, token, scopes, conference_name }: ShownConferenceToken): ConferenceToken => ({
    id,
    name,
    token,
    url: `${origin}/c/${encodeURIComponent(conference_name)}#${token}`,
    scopes,
  })
