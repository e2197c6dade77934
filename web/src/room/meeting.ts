import { cameraConstraints, microphoneConstraints } from '../green-room/constraints.ts'
import type { Readiness } from '../green-room/green-room.tsx'
import { audioElementOf, causeOf, loadClient, type RoomSession } from './client.ts'
import { ConnectionWatch } from './connection-watch.ts'
import { type LeaveReason, leaveReason } from './leave-reason.ts'
import { listenToMeeting } from './meeting-events.ts'
import { initialMeetingState, type MeetingState } from './meeting-state.ts'
import { isRunning, startsSending, tracksToSend } from './own-tracks.ts'
import { TimedOut, within } from './within.ts'

/** Longer than the client's own limit for setting up a call (20 s), which it has only once it reached the server. */
const joinTimeoutMs = 25_000
/** After this long without a media path there is no hope left; the client itself tries for 12 s. */
const reconnectTimeoutMs = 30_000
/** How long leaving may wait for the server to confirm it. */
const leaveTimeoutMs = 2_000

/** Departures this close to one another have one cause. */
const voidTogetherMs = 5_000

/** The person went away while the call was being set up. */
class LeftEarly extends Error {
  override readonly name = 'LeftEarly'
}

type Tell = (title: string, hint?: string) => void

/**
 * One stay in one room: a store around the browser client. It is joined once; for another attempt make another one.
 */
export class Meeting {
  /** The client draws the composed picture into it. */
  readonly element = document.createElement('div')
  /** Which devices the call has a line for; those can be turned on. Set by `join`. */
  canSend = { audio: false, video: false }
  #state = initialMeetingState
  #session: RoomSession | null = null
  #recording: { stop(): Promise<void> } | null = null
  #screen: { leave(): Promise<void> } | null = null
  #roomEnded = false
  #invitationVoidAt = Number.NEGATIVE_INFINITY
  #mediaConnected = false
  /** What was sent at first; the client owns what takes its place. */
  #tracks: MediaStreamTrack[] = []
  #reconnectTimer: ReturnType<typeof setTimeout> | undefined
  /** Changes of the own sound or picture that were asked for here; others come from a moderator. */
  readonly #asked = new Set<'audioMuted' | 'videoMuted'>()
  readonly #listeners = new Set<() => void>()
  readonly #watch: ConnectionWatch
  readonly #silence = new AudioContext()
  readonly #tell: Tell

  /** @param tell shows a short message to the person */
  constructor(tell: Tell) {
    this.#tell = tell
    this.#watch = new ConnectionWatch((connected) => this.#connection(connected))
  }

  /** What this device sends, to show oneself without the way around over the server. */
  get ownStream(): MediaStream | null {
    return this.#session?.localStream ?? null
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  snapshot = (): MeetingState => this.#state

  /**
   * Joins with a room token. Rejects with what the client rejected with, or TimedOut; all devices are released then.
   * @param ready from the green room; its tracks belong to the meeting from now on
   */
  async join(roomToken: string, ready: Readiness): Promise<void> {
    this.#tracks = tracksToSend(ready, this.#silence)
    this.canSend = { audio: ready.microphoneUsable, video: ready.cameraUsable }
    try {
      const Video = await loadClient()
      if (this.#hasLeft()) throw new LeftEarly()
      const session = new Video.RoomSession({
        token: roomToken,
        rootElement: this.element,
        // The page has a view of oneself of its own, which keeps up with unmuting.
        applyLocalVideoOverlay: false,
        ...(ready.choices.speakerId ? { speakerId: ready.choices.speakerId } : {}),
        ...(this.#tracks.length > 0 ? { localStream: new MediaStream(this.#tracks) } : {}),
      })
      this.#session = session
      this.#listen(session)
      await within(
        joinTimeoutMs,
        session.join({
          audio: ready.microphoneUsable && microphoneConstraints(ready.choices.microphoneId),
          video: ready.cameraUsable && cameraConstraints(ready.choices.cameraId),
          receiveAudio: true,
          receiveVideo: true,
        }),
      )
      if (this.#hasLeft()) {
        void session.leave()
        throw new LeftEarly()
      }
      this.#change({ phase: 'joined', permissions: session.permissions })
      void this.#checkSound(session)
      await this.#muteStandIns(ready)
    } catch (error) {
      this.#end('unknown')
      // The client would go on trying for ever.
      if (error instanceof TimedOut) this.#session?.destroy()
      throw error
    }
  }

  /** Leaves at once; the server is told as far as it can be reached. */
  async leave(): Promise<void> {
    if (this.#hasLeft()) return
    const session = this.#session
    this.#end('left')
    try {
      if (session) await within(leaveTimeoutMs, session.leave())
    } catch {
      // Not connected, no longer or not yet: the client throws at once then.
      session?.destroy()
    }
  }

  /** Turns the own microphone or camera on or off. */
  async setMuted(what: 'audioMuted' | 'videoMuted', muted: boolean): Promise<void> {
    const session = this.#session
    if (!session) return
    this.#asked.add(what)
    try {
      if (what === 'audioMuted') await (muted ? session.audioMute() : session.audioUnmute())
      else await (muted ? session.videoMute() : session.videoUnmute())
      if (!muted) void this.#assureSending(session, what)
    } catch (error) {
      this.#asked.delete(what)
      this.#refused(
        what === 'audioMuted' ? 'Your microphone did not change' : 'Your camera did not change',
        error,
      )
    }
  }

  async muteMember(memberId: string, what: 'audio' | 'video'): Promise<void> {
    const session = this.#session
    const done = what === 'audio' ? session?.audioMute({ memberId }) : session?.videoMute({ memberId })
    await done?.catch((error: unknown) => this.#refused('The member was not muted', error))
  }

  async removeMember(memberId: string): Promise<void> {
    await this.#session
      ?.removeMember({ memberId })
      .catch((error: unknown) => this.#refused('The member was not removed', error))
  }

  async startRecording(): Promise<void> {
    try {
      this.#recording = (await this.#session?.startRecording()) ?? null
    } catch (error) {
      this.#refused('Recording did not start', error)
    }
  }

  async stopRecording(): Promise<void> {
    try {
      this.#recording ??= (await this.#session?.getRecordings())?.recordings[0] ?? null
      await this.#recording?.stop()
    } catch (error) {
      this.#refused('Recording did not stop', error)
    }
  }

  async startSharing(): Promise<void> {
    const session = this.#session
    if (!session || this.#state.sharing !== 'off') return
    this.#change({ sharing: 'starting' })
    try {
      const screen = await session.startScreenShare({ audio: true, video: true })
      screen.once('room.left', () => this.#sharingEnded(screen))
      this.#screen = screen
      this.#change({ sharing: 'on' })
    } catch (error) {
      this.#change({ sharing: 'off' })
      // Closing the browser's own dialogue is no failure.
      if (!(error instanceof DOMException && error.name === 'NotAllowedError')) {
        this.#refused('Your screen is not shared', error)
      }
    }
  }

  async stopSharing(): Promise<void> {
    const screen = this.#screen
    if (!screen) return
    this.#sharingEnded(screen)
    await screen.leave().catch((error: unknown) => this.#refused('Sharing did not stop', error))
  }

  async changeCamera(deviceId: string): Promise<void> {
    await this.#session
      ?.updateCamera(cameraConstraints(deviceId))
      .catch((error: unknown) => this.#refused('The camera did not change', error))
  }

  async changeMicrophone(deviceId: string): Promise<void> {
    await this.#session
      ?.updateMicrophone(microphoneConstraints(deviceId))
      .catch((error: unknown) => this.#refused('The microphone did not change', error))
  }

  async changeSpeaker(deviceId: string): Promise<void> {
    await this.#session
      ?.updateSpeaker({ deviceId })
      ?.catch((error: unknown) => this.#refused('The speaker did not change', error))
  }

  /** Call it from a click: browsers let a page make sound after one. */
  async playSound(): Promise<void> {
    await audioElementOf(this.#session)?.play()
    this.#change({ soundBlocked: false })
  }

  #listen(session: RoomSession): void {
    listenToMeeting(session, {
      state: this.snapshot,
      change: (part) => this.#change(part),
      connection: (connected) => {
        if (connected) this.#mediaConnected = true
        this.#connection(connected)
      },
      recording: (recording) => {
        this.#recording = recording
      },
      ownMute: (what, muted) => this.#ownMute(what, muted),
      invitationVoid: () => this.#invitationVoid(),
      track: (receiver) => this.#watch.watch(receiver),
      roomEnded: () => {
        this.#roomEnded = true
      },
      left: (clientReason) => {
        const call = { roomEnded: this.#roomEnded, mediaConnected: this.#mediaConnected }
        this.#end(leaveReason({ ...call, clientReason, cause: causeOf(session) }))
      },
    })
  }

  /**
   * Says off what was off in the green room. The own room token says so itself; that of an invitation cannot, as it was
   * made before. Nothing but black and silence went out until then.
   */
  async #muteStandIns(ready: Readiness): Promise<void> {
    const self = this.#state.members.find((member) => member.id === this.#state.selfId)
    if (self?.audioMuted === false && !isRunning(ready, 'audio')) await this.setMuted('audioMuted', true)
    if (self?.videoMuted === false && !isRunning(ready, 'video')) await this.setMuted('videoMuted', true)
  }

  #ownMute(what: 'audioMuted' | 'videoMuted', muted: boolean): void {
    if (this.#asked.delete(what) || !muted) return
    if (what === 'audioMuted')
      this.#tell('A moderator muted you', 'Turn your microphone on again when you want to speak.')
    else this.#tell('A moderator turned your camera off', 'Turn it on again when you want to be seen.')
  }

  /** One invitation may have brought many: they are told of together. */
  #invitationVoid(): void {
    const now = performance.now()
    if (now - this.#invitationVoidAt > voidTogetherMs)
      this.#tell('Members were put out', 'The invitation that they came with was replaced or revoked.')
    this.#invitationVoidAt = now
  }

  /** The client swallows it when a device does not start again; then the room must not believe it did. */
  async #assureSending(session: RoomSession, what: 'audioMuted' | 'videoMuted'): Promise<void> {
    const kind = what === 'audioMuted' ? 'audio' : 'video'
    if ((await startsSending(session, kind)) || this.#state.phase !== 'joined') return
    const device = kind === 'audio' ? 'microphone' : 'camera'
    this.#tell(`Your ${device} did not start`, `Allow this page to use it, or pick another ${device}.`)
    await this.setMuted(what, true)
  }

  async #checkSound(session: RoomSession): Promise<void> {
    try {
      await audioElementOf(session)?.play()
    } catch (error) {
      if (error instanceof DOMException && error.name === 'NotAllowedError')
        this.#change({ soundBlocked: true })
    }
  }

  #hasLeft(): boolean {
    return this.#state.phase === 'left'
  }

  #connection(connected: boolean): void {
    if (this.#state.phase !== 'joined' || connected === this.#state.connected) return
    clearTimeout(this.#reconnectTimer)
    if (!connected) this.#reconnectTimer = setTimeout(() => this.#giveUp(), reconnectTimeoutMs)
    this.#change({ connected })
  }

  #giveUp(): void {
    const session = this.#session
    this.#end('connection-lost')
    session?.destroy()
  }

  #sharingEnded(screen: { leave(): Promise<void> }): void {
    if (this.#screen !== screen) return
    this.#screen = null
    this.#change({ sharing: 'off' })
  }

  #end(reason: LeaveReason): void {
    if (this.#hasLeft()) return
    clearTimeout(this.#reconnectTimer)
    this.#watch.stop()
    void this.#silence.close()
    for (const track of [...this.#tracks, ...(this.ownStream?.getTracks() ?? [])]) track.stop()
    this.#change({ phase: 'left', reason, sharing: 'off' })
  }

  /** A call of the client that was cut off by a dropped socket rejects with a symbol: it is being repaired. */
  #refused(title: string, error: unknown): void {
    if (this.#state.phase === 'left' || typeof error === 'symbol') return
    const message =
      typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : undefined
    this.#tell(title, message)
  }

  #change(part: Partial<MeetingState>): void {
    this.#state = { ...this.#state, ...part }
    for (const listener of this.#listeners) listener()
  }
}
