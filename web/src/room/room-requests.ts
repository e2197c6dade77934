import { pinRequest } from './allowed.ts'
import type { RoomSession } from './client.ts'
import { guestPermissions } from './join-permissions.ts'
import type { MeetingState } from './meeting-state.ts'

/** The parts of the meeting that requests need. */
export interface AskedMeeting {
  session: () => RoomSession | null
  state: () => MeetingState
  refused: (title: string, error: unknown) => void
}

type Position = Parameters<RoomSession['setMemberPosition']>[0]['position']

/**
 * Asks the server for changes of the room and of its members. A refusal is told to the person. The screens follow the
 * events that a change causes, never the request.
 */
export class RoomRequests {
  readonly #meeting: AskedMeeting

  constructor(meeting: AskedMeeting) {
    this.#meeting = meeting
  }

  /** @returns null if the server does not say which layouts there are */
  async layouts(): Promise<readonly string[] | null> {
    try {
      return (await this.#meeting.session()?.getLayouts())?.layouts ?? null
    } catch {
      return null
    }
  }

  setLayout(name: string): Promise<void> {
    return this.#ask('The layout did not change', (session) => session.setLayout({ name }))
  }

  pin(memberId: string): Promise<void> {
    const request = pinRequest(this.#meeting.state(), memberId)
    if (!request) return Promise.resolve()
    const { layout: name, position } = request
    return this.#ask('The member was not pinned', (session) =>
      name === null
        ? session.setMemberPosition({ memberId, position })
        : session.setLayout({ name, positions: { [memberId]: position } }),
    )
  }

  setPosition(memberId: string, position: Position): Promise<void> {
    return this.#ask('The member was not moved', (session) =>
      session.setMemberPosition({ memberId, position }),
    )
  }

  /** @param memberId this member, or another one whose hand a moderator lowers */
  setHand(memberId: string, raised: boolean): Promise<void> {
    const title = raised ? 'Your hand is not raised' : 'The hand was not lowered'
    return this.#ask(title, (session) => session.setRaisedHand({ memberId, raised }))
  }

  mute(memberId: string): Promise<void> {
    return this.#ask('The member was not muted', (session) => session.audioMute({ memberId }))
  }

  stopVideo(memberId: string): Promise<void> {
    return this.#ask('The camera was not turned off', (session) => session.videoMute({ memberId }))
  }

  remove(memberId: string): Promise<void> {
    return this.#ask('The member was not removed', (session) => session.removeMember({ memberId }))
  }

  /** Moves somebody from the audience among the members, muted. They turn on what they want to. */
  promote(memberId: string): Promise<void> {
    return this.#ask('They still only watch', (session) =>
      session.promote({
        memberId,
        mediaAllowed: 'all',
        joinAudioMuted: true,
        joinVideoMuted: true,
        permissions: guestPermissions,
      }),
    )
  }

  demote(memberId: string): Promise<void> {
    return this.#ask('They still take part', (session) => session.demote({ memberId, mediaAllowed: 'all' }))
  }

  setHideVideoMuted(hide: boolean): Promise<void> {
    return this.#ask('The picture did not change', (session) => session.setHideVideoMuted(hide))
  }

  setHandsFirst(first: boolean): Promise<void> {
    return this.#ask('The order did not change', (session) => session.setPrioritizeHandraise(first))
  }

  setLocked(locked: boolean): Promise<void> {
    return this.#ask(locked ? 'The room is not locked' : 'The room is still locked', (session) =>
      locked ? session.lock() : session.unlock(),
    )
  }

  async #ask(title: string, request: (session: RoomSession) => Promise<unknown>): Promise<void> {
    const session = this.#meeting.session()
    if (!session) return
    try {
      await request(session)
    } catch (error) {
      this.#meeting.refused(title, error)
    }
  }
}
