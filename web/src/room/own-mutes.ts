import type { Readiness } from '../green-room/green-room.tsx'
import type { RoomSession } from './client.ts'
import type { MeetingState } from './meeting-state.ts'
import { isRunning, startsSending } from './own-tracks.ts'

type What = 'audioMuted' | 'videoMuted'

/** What own mutes need of their meeting. */
export interface MutedMeeting {
  session: () => RoomSession | null
  state: () => MeetingState
  tell: (title: string, hint?: string) => void
  refused: (title: string, error: unknown) => void
}

/** Turns the own microphone and camera on and off, and tells when a moderator did. */
export class OwnMutes {
  readonly #meeting: MutedMeeting
  /** Changes that were asked for here; others come from a moderator. */
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
   * Says off what was off before joining. The own room token says so itself; that of an invitation cannot, as it was
   * made before. Nothing but black and silence went out until then.
   * @param mutes with `as-ready`, what runs is also said on, though the token says off
   */
  async settle(ready: Readiness, mutes: 'of-room' | 'as-ready'): Promise<void> {
    const { members, selfId } = this.#meeting.state()
    const self = members.find((member) => member.id === selfId)
    for (const [what, kind] of [['audioMuted', 'audio'] as const, ['videoMuted', 'video'] as const]) {
      const off = !isRunning(ready, kind)
      if (self && self[what] !== off && (off || mutes === 'as-ready')) await this.set(what, off)
    }
  }

  /** The room says that the own sound or picture was turned off or on, by whomever. */
  changed(what: What, muted: boolean): void {
    if (this.#asked.delete(what) || !muted) return
    const { tell } = this.#meeting
    if (what === 'audioMuted')
      tell('A moderator muted you', 'Turn your microphone on again when you want to speak.')
    else tell('A moderator turned your camera off', 'Turn it on again when you want to be seen.')
  }

  /** The client swallows it when a device does not start again; then the room must not believe it did. */
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
