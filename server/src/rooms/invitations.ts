import type { Clock } from '../clock.ts'
import { NAME_PATTERN } from '../resources/building-blocks.ts'
import type { InvitationState } from '../resources/invitation.ts'
import type { Storage } from '../storage/storage.ts'
import { type Conference, isConference } from './conference.ts'
import { findConferenceOf } from './conference-tokens.ts'
import type { LiveSessions, SessionDoor } from './live-sessions.ts'

/** A conference from outside. */
export interface ConferenceLook {
  conference: Conference
  state: InvitationState
  /** Unix milliseconds. */
  now: number
}

/** What a conference token invites to. */
export interface ShownInvitation extends ConferenceLook {
  /** Name of the token; null for one without. */
  role: string | null
}

/** Invitations to conferences, by their tokens. */
export interface Invitations {
  /** @returns undefined if the value is not a conference token, or not one any more */
  read(token: string): Promise<ShownInvitation | undefined>
  /**
   * What everybody may see of a conference.
   * @returns undefined if there is none of this name, or if it shows itself to nobody
   */
  look(projectId: string, name: string): Promise<ConferenceLook | undefined>
}

/** Other texts are the name of nothing, and some of them no database takes. */
const CAN_BE_NAME = new RegExp(NAME_PATTERN)

export function createInvitations(options: {
  storage: Storage
  clock: Clock
  sessions: Pick<LiveSessions, 'doorOf'>
}): Invitations {
  const { storage, clock, sessions } = options
  const lookAt = async (conference: Conference): Promise<ConferenceLook> => {
    const now = clock.now()
    const door = await sessions.doorOf(conference.project_id, conference.id)
    return { conference, state: stateOf(conference, door, now), now }
  }
  return {
    async read(token) {
      const found = await findConferenceOf(storage, token)
      return found && { ...(await lookAt(found.conference)), role: found.record.name }
    },
    async look(projectId, name) {
      if (!CAN_BE_NAME.test(name)) return undefined
      const room = await storage.rooms.findByName(projectId, name)
      return room && isConference(room) && room.conference.public_look ? lookAt(room) : undefined
    },
  }
}

function stateOf(
  { join_from, join_until }: Conference,
  door: SessionDoor | null,
  now: number,
): InvitationState {
  if (join_from !== null && now < join_from) return 'early'
  if (join_until !== null && now > join_until) return 'over'
  if (door?.isLocked) return 'locked'
  return door?.isFull ? 'full' : 'open'
}
