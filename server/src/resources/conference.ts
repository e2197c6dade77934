import { type Static, Type } from 'typebox'
import { answerFields } from './answers.ts'
import { bodyFields, type SetIn } from './bodies.ts'
import { MomentOrTimestamp, Name, Nullable, Optional } from './building-blocks.ts'
import { conferenceSettings } from './conference-settings.ts'
import { pagingFields } from './paging.ts'
import { includeActiveSession, joinWindow, presentName } from './room.ts'
import { roomFields } from './room-fields.ts'
import { ActiveSession } from './room-session.ts'

/** The fields of a conference: those of its room, and its own. */
export const conferenceFields = {
  ...roomFields,
  ...conferenceSettings,
  id: { ...roomFields.id, description: 'Id of the conference.' },
  name: {
    ...roomFields.name,
    description: 'Unique among the rooms and conferences of the project.',
    examples: ['town-hall'],
  },
  display_name: {
    ...roomFields.display_name,
    required: true,
    description: 'Title for people.',
    examples: ['Town hall'],
  },
  remove_at: {
    ...roomFields.remove_at,
    description: 'Everybody is removed at this time. For conferences an addition of this server.',
  },
  description: {
    ...roomFields.description,
    description: 'What the conference is for.',
    inAnswers: { examples: ['Everybody, once a quarter.'] },
  },
} as const

/** Settings of a conference, besides its name. Its size determines the maximum number of members. */
export type ConferenceOptions = SetIn<typeof conferenceFields, 'conference'>

const settings = bodyFields(conferenceFields, 'conference')

export const CreateConferenceBody = Type.Object(
  {
    name: Optional(
      Name({
        examples: ['town-hall'],
        description:
          'Unique among the rooms and conferences of the project; made from the title unless given.',
      }),
    ),
    ...settings,
  },
  {
    title: 'CreateConference',
    description: 'A new conference.',
    examples: [{ name: 'town-hall', display_name: 'Town hall', size: 'large', dark_primary: '#0B6E4F' }],
    ...joinWindow,
  },
)

export const UpdateConferenceBody = Type.Object(
  { name: presentName('town-hall'), ...settings },
  {
    title: 'UpdateConference',
    description:
      'Changes to a conference. A field that is absent keeps its value; null resets it to its default.',
    examples: [{ display_name: 'Town hall of May', enable_chat: false, dark_primary: null }],
    ...joinWindow,
  },
)

export const ConferenceQuery = Type.Object({ include_active_session: includeActiveSession })

export const ListConferencesQuery = Type.Object({
  include_active_session: includeActiveSession,
  starts_after: Type.Optional(
    MomentOrTimestamp({ description: 'Only conferences whose `join_from` is then or later.' }),
  ),
  ends_before: Type.Optional(
    MomentOrTimestamp({ description: 'Only conferences whose `join_until` is then or earlier.' }),
  ),
  ...pagingFields,
})

export const Conference = Type.Object(
  { ...answerFields(conferenceFields, 'conference'), active_session: Type.Optional(Nullable(ActiveSession)) },
  {
    additionalProperties: false,
    title: 'Conference',
    description: 'A room with a theme, a size and tokens of its own.',
  },
)
export type Conference = Static<typeof Conference>
