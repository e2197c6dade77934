import { IdParams } from '../../resources/building-blocks.ts'
import { ConferenceToken } from '../../resources/conference-token.ts'
import { errorAnswers } from '../../resources/error.ts'
import { Page, PagingQuery } from '../../resources/paging.ts'
import type { ShownConferenceToken } from '../../rooms/conference-tokens.ts'
import { actorOf, callerOf } from '../conventions/authentication.ts'
import type { TypedApp } from '../conventions/typed-app.ts'
import type { VideoContext } from './video-context.ts'

/** `/conference_tokens`: two operations, and the tokens of one conference. */
export function conferenceTokenRoutes(app: TypedApp, { conferenceTokens, paging }: VideoContext): void {
  app.get(
    '/conferences/:id/conference_tokens',
    {
      schema: {
        operationId: 'listConferenceTokens',
        summary: 'List tokens of a conference',
        description: 'The tokens that let into it, newest first.',
        tags: ['Conference tokens'],
        params: IdParams,
        querystring: PagingQuery,
        response: { 200: Page(ConferenceToken), ...errorAnswers(400, 401, 403, 404, 422, 429, 500) },
      },
      preValidation: paging.restoreParameters,
    },
    async (request) => {
      const { projectId } = callerOf(request)
      const id = request.params.id.toLowerCase()
      const page = await conferenceTokens.listOfConference(projectId, id, paging.listRequest(request))
      return paging.answer(request, page, showToken, (token) => token.created_at)
    },
  )

  const schema = {
    params: IdParams,
    response: { 200: ConferenceToken, ...errorAnswers(400, 401, 403, 404, 429, 500) },
  }
  app.get(
    '/conference_tokens/:id',
    {
      schema: {
        operationId: 'getConferenceToken',
        summary: 'Get a conference token',
        description: 'One token with its secret.',
        tags: ['Conference tokens'],
        ...schema,
      },
    },
    async (request) =>
      showToken(await conferenceTokens.get(callerOf(request).projectId, request.params.id.toLowerCase())),
  )
  app.post(
    '/conference_tokens/:id/reset',
    {
      schema: {
        operationId: 'resetConferenceToken',
        summary: 'Reset a conference token',
        description: 'Gives the token a new secret. The old one stops working at once.',
        tags: ['Conference tokens'],
        ...schema,
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const id = request.params.id.toLowerCase()
      return showToken(await conferenceTokens.reset(caller.projectId, id, actorOf(caller)))
    },
  )
}

const showToken = ({ id, name, token, scopes }: ShownConferenceToken): ConferenceToken => ({
  id,
  name,
  token,
  scopes,
})
