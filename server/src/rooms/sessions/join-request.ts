import type { RoomTokenGrant } from '../room-token.ts'
import type { Member } from './member.ts'
import type { Participant } from './participant.ts'

/** Somebody comes in as a member or as audience. */
export interface MemberRequest<Session> {
  grant: RoomTokenGrant
  /** How the user is called in this session. */
  name: string
  participant: Participant
  /** Unique among all legs of the server. */
  legId: string
  /** SDP offer. */
  offer: string
  /** Called when the seat is taken, before any event about it goes out. */
  onAnswered: (answer: string, member: Member, session: Session) => void
}

/** A member brings a screen share or another camera or microphone. */
export interface ChildRequest<Session> {
  parent: Member
  type: 'screen' | 'device'
  legId: string
  offer: string
  onAnswered: (answer: string, member: Member, session: Session) => void
}
