import { shower } from '../../resources/answers.ts'
import { conferenceFields } from '../../resources/conference.ts'
import { formatMoment } from '../../resources/dates.ts'
import { Invitation } from '../../resources/invitation.ts'
import { type Operation, operation } from '../conventions/operation.ts'

const showLook = shower(conferenceFields, 'invitation')

/** `/invitation`: what a conference token invites to. */
export const invitationOperations: Operation[] = [
  operation(
    {
      route: 'GET /invitation',
      operationId: 'getInvitation',
      summary: 'Read an invitation',
      description:
        'For whoever has the token of a conference, as bearer token: its look, and whether one can join now. The page of the conference needs no more. An addition of Parley.',
      tag: 'Conference tokens',
      answer: Invitation,
    },
    async ({ invitation }) => {
      if (!invitation) throw new Error('the operation takes conference tokens alone')
      const { conference, role, state, now } = invitation
      const look = showLook({ ...conference, ...conference.conference })
      return { ...look, role: role ?? 'guest', state, now: formatMoment(now) }
    },
  ),
]
