import { effectChoices, onEffectChoices } from '../device-effects/effect-choices.ts'
import { loadEffects } from '../device-effects/load-effects.ts'
import { sourceOf } from '../device-effects/processed-track.ts'
import type { RoomSession } from './client.ts'
import type { MeetingState } from './meeting-state.ts'

/** The parts of the meeting that this needs. */
export interface AffectedMeeting {
  session: () => RoomSession | null
  state: () => MeetingState
  changeMicrophone: (deviceId: string | null) => Promise<void>
}

/**
 * Carries a change of the effects over to what is sent at the moment. Devices that are off get the effects when they
 * are turned on.
 */
export class OwnEffects {
  readonly #meeting: AffectedMeeting
  readonly #stopListening: () => void
  #noise = effectChoices().noise
  /** One change follows the other. */
  #last: Promise<void> = Promise.resolve()

  constructor(meeting: AffectedMeeting) {
    this.#meeting = meeting
    this.#stopListening = onEffectChoices(() => this.follow())
  }

  /** Compares what is sent with the choices. To be called when a new camera is sent. */
  follow(): void {
    this.#last = this.#last
      .then(() => Promise.all([this.#followBlur(), this.#followNoise()]))
      .then(
        () => {},
        () => {},
      )
  }

  end(): void {
    this.#stopListening()
  }

  /** The camera itself goes on: its light does not go out, and nothing is negotiated. */
  async #followBlur(): Promise<void> {
    const session = this.#meeting.session()
    const sent = session?.localStream?.getVideoTracks()[0]
    if (!session || !sent || !this.#sends('videoMuted')) return
    const camera = sourceOf(sent)
    if ((camera !== undefined) === effectChoices().blur) return
    const withEffects = await loadEffects()
    const stream = await withEffects(new MediaStream([(camera ?? sent).clone()]))
    // Meanwhile the camera may have been turned off, or changed.
    const isSent = session.localStream?.getVideoTracks()[0] === sent && sent.readyState === 'live'
    if (isSent) await session.setLocalStream(stream)
    else for (const track of stream.getTracks()) track.stop()
  }

  /** The browser's own suppression is a property of the device, which is opened again. */
  async #followNoise(): Promise<void> {
    const { noise } = effectChoices()
    if (noise === this.#noise) return
    this.#noise = noise
    const sent = this.#meeting.session()?.localStream?.getAudioTracks()[0]
    if (!sent || !this.#sends('audioMuted')) return
    await this.#meeting.changeMicrophone(sent.getSettings().deviceId ?? null)
  }

  /** A device that is off sends black or silence. */
  #sends(what: 'audioMuted' | 'videoMuted'): boolean {
    const { members, selfId } = this.#meeting.state()
    return members.some((member) => member.id === selfId && !member[what])
  }
}
