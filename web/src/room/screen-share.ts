import { t } from '../languages/texts.ts'
import type { RoomSession } from './client.ts'
import type { MeetingState } from './meeting-state.ts'
import {
  initialScreenShare,
  nextScreenShare,
  type ScreenShareEffect,
  type ScreenShareEvent,
  type ScreenShareState,
} from './screen-share-machine.ts'
import { shareLayout } from './share-layout.ts'

/** The parts of the meeting that this needs. */
export interface SharingMeeting {
  session: () => RoomSession | null
  state: () => MeetingState
  show: (is: ScreenShareState['is']) => void
  refused: (title: string, error: unknown) => void
}

/** Screens change seldom. More frames would only take bandwidth from their sharpness. */
const detailed: MediaTrackConstraints = {
  width: { max: 1920 },
  height: { max: 1080 },
  frameRate: { ideal: 15, max: 15 },
}

type Share = Awaited<ReturnType<RoomSession['startScreenShare']>>

/** Shares the own screen, one at a time. {@link nextScreenShare} decides; this class calls the browser and the client. */
export class ScreenShare {
  readonly #meeting: SharingMeeting
  #state = initialScreenShare
  readonly #captures = new Map<number, MediaStream>()
  readonly #shares = new Map<number, Share>()

  constructor(meeting: SharingMeeting) {
    this.#meeting = meeting
  }

  start(): void {
    this.#take({ kind: 'start' })
  }

  stop(): void {
    this.#take({ kind: 'stop' })
  }

  /** The meeting is over. A capture that starts later is stopped at once. */
  end(): void {
    this.#take({ kind: 'over' })
  }

  #take(event: ScreenShareEvent): void {
    const [state, effects] = nextScreenShare(this.#state, event)
    this.#state = state
    for (const effect of effects) this.#do(effect)
  }

  #do(effect: ScreenShareEffect): void {
    switch (effect.do) {
      case 'share':
        void this.#share(effect.attempt)
        break
      case 'end-share':
        void this.#endShare(effect.attempt)
        break
      case 'stop-capture':
        this.#stopCapture(effect.attempt)
        break
      case 'show':
        this.#meeting.show(effect.is)
        break
      case 'tell-refused':
        this.#meeting.refused(t('meeting.screen-not-shared'), effect.error)
    }
  }

  async #share(attempt: number): Promise<void> {
    try {
      const session = this.#meeting.session()
      if (!session) throw new Error('Wait until you are in the room.')
      const share = await noteCapture(
        (stream) => this.#captured(attempt, stream),
        () =>
          session.startScreenShare({
            audio: true,
            video: detailed,
            ...shareLayout(this.#meeting.state()),
          }),
      )
      this.#shares.set(attempt, share)
      share.once('room.left', () => this.#take({ kind: 'ended', attempt }))
      this.#take({ kind: 'shared', attempt })
    } catch (error) {
      this.#take({ kind: 'failed', attempt, error })
    }
  }

  #captured(attempt: number, stream: MediaStream): void {
    this.#captures.set(attempt, stream)
    for (const track of stream.getVideoTracks()) {
      // Text stays sharp. When bandwidth is scarce, the browser sends fewer frames instead of smaller ones.
      track.contentHint = 'detail'
      track.addEventListener('ended', () => this.#take({ kind: 'capture-ended', attempt }))
    }
    this.#take({ kind: 'captured', attempt })
  }

  async #endShare(attempt: number): Promise<void> {
    try {
      await this.#shares.get(attempt)?.leave()
    } catch (error) {
      this.#meeting.refused(t('meeting.sharing-not-stopped'), error)
    } finally {
      this.#shares.delete(attempt)
      this.#stopCapture(attempt)
    }
  }

  #stopCapture(attempt: number): void {
    for (const track of this.#captures.get(attempt)?.getTracks() ?? []) track.stop()
    this.#captures.delete(attempt)
  }
}

/**
 * Notes the capture that a call of the client starts. The client hands out no capture before it is shared. If the
 * meeting ends earlier, this page has to stop it.
 * @param call asks the browser for the capture before it returns its promise
 */
function noteCapture<Result>(note: (stream: MediaStream) => void, call: () => Result): Result {
  const { mediaDevices } = navigator
  const { getDisplayMedia } = mediaDevices
  mediaDevices.getDisplayMedia = async (options) => {
    const stream = await getDisplayMedia.call(mediaDevices, options)
    note(stream)
    return stream
  }
  try {
    return call()
  } finally {
    mediaDevices.getDisplayMedia = getDisplayMedia
  }
}
