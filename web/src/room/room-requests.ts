import { t } from '../languages/texts.ts'
import { pinRequest } from './allowed.ts'
import { callMethod, type RoomSession } from './client.ts'
import { guestPermissions } from './join-permissions.ts'
import type { MeetingState } from './meeting-state.ts'
import type { Reaction } from './reactions/reaction.ts'

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
    return this.#ask(t('meeting.layout-not-changed'), (session) => session.setLayout({ name }))
  }

  pin(memberId: string): Promise<void> {
    const request = pinRequest(this.#meeting.state(), memberId)
    if (!request) return Promise.resolve()
    const { layout: name, position } = request
    return this.#ask(t('meeting.member-not-pinned'), (session) =>
      name === null
        ? session.setMemberPosition({ memberId, position })
        : session.setLayout({ name, positions: { [memberId]: position } }),
    )
  }

  setPosition(memberId: string, position: Position): Promise<void> {
    return this.#ask(t('meeting.member-not-moved'), (session) =>
      session.setMemberPosition({ memberId, position }),
    )
  }

  react(reaction: Reaction): Promise<void> {
    return this.#ask(t('chat.reaction-failed'), (session) =>
      callMethod(session, 'video.react', { ...this.#ids(), reaction }),
    )
  }

  /** @param memberId this member, or another one whose hand a moderator lowers */
  setHand(memberId: string, raised: boolean): Promise<void> {
    const title = t(raised ? 'meeting.hand-not-raised' : 'meeting.hand-not-lowered')
    return this.#ask(title, (session) => session.setRaisedHand({ memberId, raised }))
  }

  mute(memberId: string): Promise<void> {
    return this.#ask(t('meeting.member-not-muted'), (session) => session.audioMute({ memberId }))
  }

  /** How loud all others hear somebody. @param volume from -50 to 50 */
  setVolume(memberId: string, volume: number): Promise<void> {
    return this.#ask(t('panels.volume-failed'), (session) => session.setInputVolume({ memberId, volume }))
  }

  /** Ends the meeting for everybody. */
  end(): Promise<void> {
    return this.#ask(t('panels.end-failed'), (session) => callMethod(session, 'video.end', this.#ids()))
  }

  stopVideo(memberId: string): Promise<void> {
    return this.#ask(t('meeting.camera-of-member-not-stopped'), (session) => session.videoMute({ memberId }))
  }

  remove(memberId: string): Promise<void> {
    return this.#ask(t('meeting.member-not-removed'), (session) => session.removeMember({ memberId }))
  }

  /** Moves somebody from the audience among the members, muted. They turn on what they want to. */
  promote(memberId: string): Promise<void> {
    return this.#ask(t('meeting.still-only-watch'), (session) =>
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
    return this.#ask(t('meeting.still-take-part'), (session) =>
      session.demote({ memberId, mediaAllowed: 'all' }),
    )
  }

  setHideVideoMuted(hide: boolean): Promise<void> {
    return this.#ask(t('meeting.picture-not-changed'), (session) => session.setHideVideoMuted(hide))
  }

  setHandsFirst(first: boolean): Promise<void> {
    return this.#ask(t('meeting.order-not-changed'), (session) => session.setPrioritizeHandraise(first))
  }

  setLocked(locked: boolean): Promise<void> {
    return this.#ask(t(locked ? 'meeting.room-not-locked' : 'meeting.room-still-locked'), (session) =>
      locked ? session.lock() : session.unlock(),
    )
  }

  #ids() {
    const { sessionId, selfId } = this.#meeting.state()
    return { room_session_id: sessionId, member_id: selfId }
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
