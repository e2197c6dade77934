import { t } from '../languages/texts.ts'
import type { RoomSession } from './client.ts'
import type { AskedMeeting } from './room-requests.ts'

/** A playback of the client. */
export type Playback = Awaited<ReturnType<RoomSession['play']>>
/** A recording of the client. */
export type Recording = Awaited<ReturnType<RoomSession['startRecording']>>

/** Records the room and plays links in it. The client's objects are kept, because it changes them by these. */
export class MediaRequests {
  readonly #meeting: AskedMeeting
  #recording: Recording | null = null
  readonly #playbacks = new Map<string, Playback>()

  constructor(meeting: AskedMeeting) {
    this.#meeting = meeting
  }

  /** Notes the running recording; null when it has ended. */
  noteRecording(recording: Recording | null): void {
    this.#recording = recording
  }

  notePlayback(playback: Playback): void {
    this.#playbacks.set(playback.id, playback)
  }

  forgetPlayback(id: string): void {
    this.#playbacks.delete(id)
  }

  startRecording(): Promise<unknown> {
    return this.#ask(t('meeting.recording-not-started'), async (session) => {
      this.#recording = await session.startRecording()
    })
  }

  stopRecording(): Promise<unknown> {
    return this.#ask(t('meeting.recording-not-stopped'), async (session) => {
      await (await this.#running(session))?.stop()
      this.#recording = null
    })
  }

  /** @param paused whether it pauses, or goes on in the same file */
  pauseRecording(paused: boolean): Promise<unknown> {
    const title = t(paused ? 'meeting.recording-not-paused' : 'meeting.recording-still-paused')
    return this.#ask(title, async (session) => {
      const recording = await this.#running(session)
      await (paused ? recording?.pause() : recording?.resume())
    })
  }

  /** @returns whether the server plays the link */
  play(url: string): Promise<boolean> {
    return this.#ask(t('meeting.link-does-not-play'), async (session) => {
      this.notePlayback(await session.play({ url }))
    })
  }

  pausePlayback(id: string, paused: boolean): Promise<unknown> {
    return this.#onPlayback(id, t('meeting.playback-not-changed'), (playback) =>
      paused ? playback.pause() : playback.resume(),
    )
  }

  stopPlayback(id: string): Promise<unknown> {
    return this.#onPlayback(id, t('meeting.playback-not-stopped'), (playback) => playback.stop())
  }

  /** @param volume -50 to 50 */
  setPlaybackVolume(id: string, volume: number): Promise<unknown> {
    return this.#onPlayback(id, t('meeting.volume-not-changed'), (playback) => playback.setVolume(volume))
  }

  seekPlayback(id: string, positionMs: number): Promise<unknown> {
    return this.#onPlayback(id, t('meeting.playback-not-moved'), (playback) => playback.seek(positionMs))
  }

  /** @returns whether the server streams to the address */
  startStream(url: string): Promise<boolean> {
    return this.#ask(t('panels.stream-failed'), async (session) => {
      await session.startStream({ url })
    })
  }

  /** Ends all streams of the room. */
  stopStreams(): Promise<unknown> {
    return this.#ask(t('panels.stream-stop-failed'), async (session) => {
      const { streams } = await session.getStreams()
      await Promise.all(streams.filter(({ state }) => state !== 'completed').map((stream) => stream.stop()))
    })
  }

  async #running(session: RoomSession): Promise<Recording | null> {
    if (this.#recording) return this.#recording
    const { recordings } = await session.getRecordings()
    this.#recording = recordings.find(({ state }) => state !== 'completed') ?? null
    return this.#recording
  }

  #onPlayback(id: string, title: string, request: (playback: Playback) => Promise<void>): Promise<unknown> {
    return this.#ask(title, async (session) => {
      const known = this.#playbacks.get(id)
      if (known) return request(known)
      // It played before this page came.
      const { playbacks } = await session.getPlaybacks()
      for (const one of playbacks) this.notePlayback(one)
      const found = this.#playbacks.get(id)
      if (found) await request(found)
    })
  }

  /** @returns whether the server did it */
  async #ask(title: string, request: (session: RoomSession) => Promise<void>): Promise<boolean> {
    const session = this.#meeting.session()
    if (!session) return false
    try {
      await request(session)
      return true
    } catch (error) {
      this.#meeting.refused(title, error)
      return false
    }
  }
}
