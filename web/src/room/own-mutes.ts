import type { Readiness } from '../green-room/green-room.tsx'
import type { RoomSession } from './client.ts'
import type { MeetingState } from './meeting-state.ts'
import { isRunning, startsSending } from './own-tracks.ts'

type What = 'audioMuted' | 'videoMuted'

/** The parts of the meeting that this needs. */
export interface MutedMeeting {
  session: () => RoomSession | null
  state: () => MeetingState
  tell: (title: string, hint?: string) => void
  refused: (title: string, error: unknown) => void
}

/** Turns the own microphone and camera on and off. Tells the person if a moderator did it. */
export class OwnMutes {
  readonly #meeting: MutedMeeting
  /** Changes that this page requested. Other changes come from a moderator. */
  readonly #asked = new Set<What>()

  constructor(meeting: MutedMeeting) {
    this.#meeting = meeting
  }

  async set(what: What, muted: boolean): Promise<void> {
    const session = this.#meeting.session()
    if (!session) return
    this.#asked.add(what)
    try {
      if (what === 'audioMuted') await (muted ? session.audioMute() : session.audioUnmute())
      else await (muted ? session.videoMute() : session.videoUnmute())
      if (!muted) void this.#assureSending(session, what)
    } catch (error) {
      this.#asked.delete(what)
      const device = what === 'audioMuted' ? 'microphone' : 'camera'
      this.#meeting.refused(`Your ${device} did not change`, error)
    }
  }

  /**
   * Tells the room to mute what was off before joining. A token made for this visit says so itself. An invitation's
   * token was made earlier and cannot. Until this call, only black and silence were sent.
   * @param mutes with `as-ready`, running devices are also unmuted, even if the token mutes them
   */
  async settle(ready: Readiness, mutes: 'of-room' | 'as-ready'): Promise<void> {
    const { members, selfId } = this.#meeting.state()
    const self = members.find((member) => member.id === selfId)
    for (const [what, kind] of [['audioMuted', 'audio'] as const, ['videoMuted', 'video'] as const]) {
      const off = !isRunning(ready, kind)
      if (self && self[what] !== off && (off || mutes === 'as-ready')) await this.set(what, off)
    }
  }

  /** The room reports that the own sound or picture was turned off or on, by the person or by somebody else. */
  changed(what: What, muted: boolean): void {
    if (this.#asked.delete(what) || !muted) return
    const { tell } = this.#meeting
    if (what === 'audioMuted')
      tell('A moderator muted you', 'Turn your microphone on again when you want to speak.')
    else tell('A moderator turned your camera off', 'Turn it on again when you want to be seen.')
  }

  /** If a device does not start again, the client hides the error. Then the room must not think that it started. */
  async #assureSending(session: RoomSession, what: What): Promise<void> {
    const kind = what === 'audioMuted' ? 'audio' : 'video'
    if ((await startsSending(session, kind)) || this.#meeting.state().phase !== 'joined') return
    const device = kind === 'audio' ? 'microphone' : 'camera'
    this.#meeting.tell(
      `Your ${device} did not start`,
      `Allow this page to use it, or pick another ${device}.`,
    )
    await this.set(what, true)
  }
}
