import type { RoomTokenGrant } from '../room-token.ts'
import type { Member } from './member.ts'
import type { Participant } from './participant.ts'
import type { LayoutWish } from './session-layout.ts'

/** A request to join as a member or as audience. */
export interface MemberRequest<Session> {
  grant: RoomTokenGrant
  /** Name of the user in this session. */
  name: string
  participant: Participant
  /** Unique among all legs of the server. */
  legId: string
  /** SDP offer. */
  offer: string
  /** Called when the seat is granted, before any event about it is sent. */
  onAnswered: (answer: string, member: Member, session: Session) => void
}

/** A request of a member to add a screen share or another camera or microphone. */
export interface ChildRequest<Session> {
  parent: Member
  type: 'screen' | 'device'
  /** Whether it sends a picture. Default: true. */
  sendsVideo?: boolean
  /** The layout and the positions that come with it. */
  wish?: LayoutWish
  legId: string
  offer: string
  onAnswered: (answer: string, member: Member, session: Session) => void
}
