import { Refusal } from '../../errors/refusal.ts'
import { shower } from '../../resources/answers.ts'
import { conferenceFields } from '../../resources/conference.ts'
import { formatMoment } from '../../resources/dates.ts'
import { ConferenceLook, LookParams, LookQuery } from '../../resources/invitation.ts'
import { type Operation, operation } from '../conventions/operation.ts'

const showLook = shower(conferenceFields, 'invitation')

/** `/conference_looks`: conferences from outside, for everybody. */
export const conferenceLookOperations: Operation[] = [
  operation(
    {
      route: 'GET /conference_looks/:name',
      operationId: 'getConferenceLook',
      summary: 'Look at a conference from outside',
      description:
        'For everybody who knows the name, without credentials: how a conference looks, and whether one can join now. Only of conferences with `public_look`; of all others, as of names that do not exist, the answer is 404. An address may ask 120 times a minute. Whoever has a token of the conference reads its invitation instead. An addition of Parley.',
      tag: 'Conferences',
      errorCodes: { 404: ['does_not_exist'] },
      params: LookParams,
      query: LookQuery,
      answer: ConferenceLook,
    },
    async (request, { invitations }) => {
      const { params, query } = request
      const found = await invitations.look(query.project_id, params.name)
      // A project is at home in its space alone.
      if (!found || !(await request.isAtHome(query.project_id))) throw new Refusal('does_not_exist')
      const { conference, state, now } = found
      return { ...showLook({ ...conference, ...conference.conference }), state, now: formatMoment(now) }
    },
  ),
]
