import type { FastifyRequest } from 'fastify'
import { shower } from '../../resources/answers.ts'
import { IdParams, NoContent } from '../../resources/building-blocks.ts'
import {
  Conference,
  ConferenceQuery,
  CreateConferenceBody,
  conferenceFields,
  ListConferencesQuery,
  UpdateConferenceBody,
} from '../../resources/conference.ts'
import { parseMomentOrTimestamp } from '../../resources/dates.ts'
import { errorAnswers } from '../../resources/error.ts'
import { Page } from '../../resources/paging.ts'
import type { Conference as ConferenceRecord } from '../../rooms/conferences.ts'
import type { SessionRecord } from '../../storage/records.ts'
import { callerOf } from '../conventions/authentication.ts'
import { noContent } from '../conventions/no-content.ts'
import type { TypedApp } from '../conventions/typed-app.ts'
import { readConferenceSettings } from './room-settings.ts'
import { showActiveSession, showingFor } from './show-session.ts'
import type { VideoContext } from './video-context.ts'

/** `/conferences`: five operations; those on tokens and streams are with the tokens and streams. */
export function conferenceRoutes(app: TypedApp, context: VideoContext): void {
  const { conferences, paging } = context
  const showWithSession = (
    request: FastifyRequest,
    conference: ConferenceRecord,
    session: SessionRecord | undefined,
  ) => showConference(conference, session ? showActiveSession(session, showingFor(request, context)) : null)

  app.post(
    '/conferences',
    {
      schema: {
        operationId: 'createConference',
        summary: 'Create a conference',
        description: 'Makes a conference and its two tokens: one for moderators, one for guests.',
        tags: ['Conferences'],
        errorCodes: { 422: ['not_unique_within_project'] },
        body: CreateConferenceBody,
        response: { 200: Conference, ...errorAnswers(400, 401, 403, 422, 429, 500) },
      },
    },
    async (request) => {
      const { projectId } = callerOf(request)
      const { name, ...settings } = request.body
      return showConference(
        await conferences.create(projectId, name ?? null, readConferenceSettings(settings)),
      )
    },
  )

  app.get(
    '/conferences',
    {
      schema: {
        operationId: 'listConferences',
        summary: 'List conferences',
        description: 'All conferences of the project, newest first.',
        tags: ['Conferences'],
        querystring: ListConferencesQuery,
        response: { 200: Page(Conference), ...errorAnswers(400, 401, 403, 422, 429, 500) },
      },
      preValidation: paging.restoreParameters,
    },
    async (request) => {
      const { projectId } = callerOf(request)
      const { starts_after, ends_before, include_active_session } = request.query
      const filter = {
        startsAfter: starts_after === undefined ? undefined : parseMomentOrTimestamp(starts_after),
        endsBefore: ends_before === undefined ? undefined : parseMomentOrTimestamp(ends_before),
      }
      const page = await conferences.list(projectId, filter, paging.listRequest(request))
      const active = include_active_session ? await conferences.activeSessions(projectId, page.rows) : null
      const show = (conference: ConferenceRecord) =>
        active ? showWithSession(request, conference, active.get(conference.id)) : showConference(conference)
      return paging.answer(request, page, show, (conference) => conference.created_at)
    },
  )

  app.get(
    '/conferences/:id',
    {
      schema: {
        operationId: 'getConference',
        summary: 'Get a conference',
        description: 'One conference, with its session in progress if you ask for it.',
        tags: ['Conferences'],
        params: IdParams,
        querystring: ConferenceQuery,
        response: { 200: Conference, ...errorAnswers(400, 401, 403, 404, 422, 429, 500) },
      },
    },
    async (request) => {
      const { projectId } = callerOf(request)
      const conference = await conferences.get(projectId, request.params.id.toLowerCase())
      if (!request.query.include_active_session) return showConference(conference)
      const active = await conferences.activeSessions(projectId, [conference])
      return showWithSession(request, conference, active.get(conference.id))
    },
  )

  app.put(
    '/conferences/:id',
    {
      schema: {
        operationId: 'updateConference',
        summary: 'Update a conference',
        description:
          'Fields that are absent keep their values; null resets to the default. The title is always required.',
        tags: ['Conferences'],
        params: IdParams,
        body: UpdateConferenceBody,
        response: { 200: Conference, ...errorAnswers(400, 401, 403, 404, 422, 429, 500) },
      },
    },
    async (request) => {
      const { projectId } = callerOf(request)
      const { name, ...settings } = request.body
      const id = request.params.id.toLowerCase()
      return showConference(await conferences.update(projectId, id, readConferenceSettings(settings), name))
    },
  )

  app.delete(
    '/conferences/:id',
    {
      schema: {
        operationId: 'deleteConference',
        summary: 'Delete a conference',
        description:
          'A session in progress ends and the tokens stop working. Sessions, recordings and events stay readable.',
        tags: ['Conferences'],
        params: IdParams,
        response: { 204: NoContent, ...errorAnswers(400, 401, 403, 404, 429, 500) },
      },
    },
    async (request, reply) => {
      await conferences.delete(callerOf(request).projectId, request.params.id.toLowerCase())
      return noContent(reply)
    },
  )
}

const showFields = shower(conferenceFields, 'conference')

/** @param activeSession left out of the answer when undefined */
function showConference(
  conference: ConferenceRecord,
  activeSession?: Conference['active_session'],
): Conference {
  const shown: Conference = showFields({ ...conference, ...conference.conference })
  if (activeSession !== undefined) shown.active_session = activeSession
  return shown
}
