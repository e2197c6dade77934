import { type Static, Type } from 'typebox'
import { answerFields } from './answers.ts'
import { Moment } from './building-blocks.ts'
import { conferenceFields } from './conference.ts'

/** Whether the holder of a conference token could join now. */
export const INVITATION_STATES = ['open', 'early', 'over', 'full', 'locked'] as const
export type InvitationState = (typeof INVITATION_STATES)[number]

export const Invitation = Type.Object(
  {
    ...answerFields(conferenceFields, 'invitation'),
    role: Type.String({
      examples: ['guest'],
      description: 'Name of the token: `moderator` or `guest`.',
    }),
    state: Type.Unsafe<InvitationState>({
      type: 'string',
      enum: [...INVITATION_STATES],
      examples: ['open'],
      description:
        'Whether one can join now: `open`; `early`, before `join_from`; `over`, after `join_until`; `full` or `locked`, which may pass.',
    }),
    now: Moment({ description: 'Time of the server, for countdowns to `join_from`.' }),
  },
  {
    additionalProperties: false,
    title: 'Invitation',
    description: 'What a conference token invites to, for the page on which people join.',
  },
)
export type Invitation = Static<typeof Invitation>
