import { type Static, Type } from 'typebox'
import { answerFields } from './answers.ts'
import { Moment, Uuid } from './building-blocks.ts'
import { conferenceFields } from './conference.ts'

/** Whether the holder of a conference token could join now. */
export const INVITATION_STATES = ['open', 'early', 'over', 'full', 'locked'] as const
export type InvitationState = (typeof INVITATION_STATES)[number]

const look = {
  ...answerFields(conferenceFields, 'invitation'),
  state: Type.Unsafe<InvitationState>({
    type: 'string',
    enum: [...INVITATION_STATES],
    examples: ['open'],
    description:
      'Whether one can join now: `open`; `early`, before `join_from`; `over`, after `join_until`; `full` or `locked`, which may pass.',
  }),
  now: Moment({ description: 'Time of the server, for countdowns to `join_from`.' }),
}

export const Invitation = Type.Object(
  {
    ...look,
    role: Type.String({
      examples: ['guest'],
      description: 'Name of the token: `moderator` or `guest`.',
    }),
  },
  {
    additionalProperties: false,
    title: 'Invitation',
    description: 'What a conference token invites to, for the page on which people join.',
  },
)
export type Invitation = Static<typeof Invitation>

export const ConferenceLook = Type.Object(look, {
  additionalProperties: false,
  title: 'ConferenceLook',
  description: 'A conference from outside, for everybody who knows its name.',
})

/** Name of a conference in a path. */
export const LookParams = Type.Object({
  name: Type.String({ maxLength: 200, examples: ['town-hall'], description: 'Name of the conference.' }),
})

export const LookQuery = Type.Object({
  project_id: Uuid({ description: 'Its project: names are unique within one.' }),
})
