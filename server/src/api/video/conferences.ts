import { shower } from '../../resources/answers.ts'
import { IdParams } from '../../resources/building-blocks.ts'
import {
  Conference,
  ConferenceQuery,
  CreateConferenceBody,
  conferenceFields,
  ListConferencesQuery,
  UpdateConferenceBody,
} from '../../resources/conference.ts'
import { parseMomentOrTimestamp } from '../../resources/dates.ts'
import { Page } from '../../resources/paging.ts'
import type { Conference as ConferenceRecord } from '../../rooms/conference.ts'
import { CONFERENCE_DEFAULTS } from '../../rooms/conference-defaults.ts'
import type { Services } from '../../services.ts'
import type { SessionRecord } from '../../storage/records.ts'
import type { ApiRequest } from '../conventions/api-request.ts'
import { type Operation, operation } from '../conventions/operation.ts'
import { readConferenceSettings } from './room-settings.ts'
import { showActiveSession, showingFor } from './show-session.ts'

const tag = 'Conferences'

/** `/conferences`: five operations; those on tokens and streams are with the tokens and streams. */
export const conferenceOperations: Operation[] = [
  operation(
    {
      route: 'POST /conferences',
      operationId: 'createConference',
      summary: 'Create a conference',
      description: 'Makes a conference and its two tokens: one for moderators, one for guests.',
      tag,
      errorCodes: { 422: ['not_unique_within_project'] },
      body: CreateConferenceBody,
      answer: Conference,
    },
    async ({ projectId, body }, { conferences }) => {
      const { name, ...settings } = body
      return showConference(
        await conferences.create(projectId, name ?? null, readConferenceSettings(settings)),
      )
    },
  ),

  operation(
    {
      route: 'GET /conferences',
      operationId: 'listConferences',
      summary: 'List conferences',
      description: 'All conferences of the project, newest first.',
      tag,
      query: ListConferencesQuery,
      answer: Page(Conference),
    },
    async (request, services) => {
      const { projectId } = request
      const { conferences } = services
      const { starts_after, ends_before, include_active_session } = request.query
      const filter = {
        startsAfter: starts_after === undefined ? undefined : parseMomentOrTimestamp(starts_after),
        endsBefore: ends_before === undefined ? undefined : parseMomentOrTimestamp(ends_before),
      }
      const page = await conferences.list(projectId, filter, request.listRequest)
      const active = include_active_session ? await conferences.activeSessions(projectId, page.rows) : null
      const show = (conference: ConferenceRecord) =>
        active
          ? showWithSession(request, services, conference, active.get(conference.id))
          : showConference(conference)
      return request.answerPage(page, show, (conference) => conference.created_at)
    },
  ),

  operation(
    {
      route: 'GET /conferences/:id',
      operationId: 'getConference',
      summary: 'Get a conference',
      description: 'One conference, with its session in progress if you ask for it.',
      tag,
      params: IdParams,
      query: ConferenceQuery,
      answer: Conference,
    },
    async (request, services) => {
      const { projectId, params, query } = request
      const { conferences } = services
      const conference = await conferences.get(projectId, params.id)
      if (!query.include_active_session) return showConference(conference)
      const active = await conferences.activeSessions(projectId, [conference])
      return showWithSession(request, services, conference, active.get(conference.id))
    },
  ),

  operation(
    {
      route: 'PUT /conferences/:id',
      operationId: 'updateConference',
      summary: 'Update a conference',
      description:
        'Fields that are absent keep their values; null resets to the default. The title is always required.',
      tag,
      params: IdParams,
      body: UpdateConferenceBody,
      answer: Conference,
    },
    async ({ projectId, params, body }, { conferences }) => {
      const { name, ...settings } = body
      return showConference(
        await conferences.update(projectId, params.id, readConferenceSettings(settings), name),
      )
    },
  ),

  operation(
    {
      route: 'DELETE /conferences/:id',
      operationId: 'deleteConference',
      summary: 'Delete a conference',
      description:
        'A session in progress ends and the tokens stop working. Sessions, recordings and events stay readable.',
      tag,
      params: IdParams,
    },
    ({ projectId, params }, { conferences }) => conferences.delete(projectId, params.id),
  ),
]

const showWithSession = (
  request: ApiRequest,
  services: Services,
  conference: ConferenceRecord,
  session: SessionRecord | undefined,
) => showConference(conference, session ? showActiveSession(session, showingFor(request, services)) : null)

const showFields = shower(conferenceFields, 'conference')

/** @param activeSession omitted from the answer when undefined */
function showConference(
  conference: ConferenceRecord,
  activeSession?: Conference['active_session'],
): Conference {
  // Older conferences are stored without the settings that were added since.
  const shown: Conference = showFields({ ...conference, ...CONFERENCE_DEFAULTS, ...conference.conference })
  if (activeSession !== undefined) shown.active_session = activeSession
  return shown
}
