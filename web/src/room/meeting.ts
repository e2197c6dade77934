import { sourceOf } from '../device-effects/processed-track.ts'
import { cameraConstraints, microphoneConstraints } from '../green-room/constraints.ts'
import type { Readiness } from '../green-room/readiness.ts'
import { t } from '../languages/texts.ts'
import { Chat } from './chat/chat.ts'
import { roomNews } from './chat/room-news.ts'
import {
  audioElementOf,
  chatAccessOf,
  connectionOf,
  hostOption,
  openNext,
  type RoomSession,
  roleOf,
  setCallerName,
  showInstead,
} from './client.ts'
import { ConnectionWatch } from './connection-watch.ts'
import { type Interruption, interruptionOf } from './interruption.ts'
import { loadClient } from './load-client.ts'
import { MediaRequests } from './media-requests.ts'
import { listenToMeeting } from './meeting-events.ts'
import { initialCourse, type MeetingEffect, type MeetingEvent, nextMeeting } from './meeting-machine.ts'
import type { MeetingState } from './meeting-state.ts'
import { MutedSpeech } from './muted-speech/muted-speech.ts'
import { OwnEffects } from './own-effects.ts'
import { OwnMutes } from './own-mutes.ts'
import { assureOwnServer } from './own-server.ts'
import { tracksToSend } from './own-tracks.ts'
import { PictureWatch } from './picture-watch.ts'
import { refusalText } from './refusal-text.ts'
import { RoomRequests } from './room-requests.ts'
import { readRoomToken } from './room-token.ts'
import { ScreenShare } from './screen-share.ts'
import { ServerWatch } from './server-watch.ts'
import { within } from './within.ts'

/**
 * Longer than the client's own limit for call setup (20 s). That limit starts only after the client has reached the
 * server.
 */
const joinTimeoutMs = 25_000
/** After this time without a media path the stay ends. The client itself tries for 12 s. */
const reconnectTimeoutMs = 30_000
/** How long a reaction is shown. */
const reactionMs = 4_000
/** How long leaving may wait for the server's confirmation. */
const leaveTimeoutMs = 2_000

/** The person left while the call was being set up. */
class LeftEarly extends Error {
  override readonly name = 'LeftEarly'
}

/** Shows a short message to the person. */
export type Tell = (title: string, hint?: string) => void

/**
 * One stay in one room: a store around the browser client. It passes each event to {@link nextMeeting} and carries out
 * the effects. It is joined once; make a new one for another attempt.
 */
export class Meeting {
  /** The client draws the composed picture into this element. */
  readonly element = document.createElement('div')
  readonly room: RoomRequests
  readonly media: MediaRequests
  readonly chat = new Chat()
  readonly mutedSpeech = new MutedSpeech()
  /** Set if the meeting ended unexpectedly. */
  interruption: Interruption | null = null
  #course = initialCourse
  #session: RoomSession | null = null
  #ready: Readiness | null = null
  /** The tracks sent at first. The client owns the tracks that replace them. */
  #tracks: MediaStreamTrack[] = []
  #reconnectTimer: ReturnType<typeof setTimeout> | undefined
  readonly #mutes: OwnMutes
  readonly #effects: OwnEffects
  readonly #sharing: ScreenShare
  readonly #listeners = new Set<() => void>()
  readonly #watch: ConnectionWatch
  readonly #picture: PictureWatch
  readonly #server: ServerWatch
  readonly #silence = new AudioContext()
  readonly #tell: Tell

  /** @param tell shows a short message to the person */
  constructor(tell: Tell) {
    this.#tell = tell
    const asked = {
      session: () => this.#session,
      state: this.snapshot,
      refused: (title: string, error: unknown) => this.#refused(title, error),
    }
    this.room = new RoomRequests(asked)
    this.media = new MediaRequests(asked)
    this.#mutes = new OwnMutes({ ...asked, tell })
    this.#effects = new OwnEffects({ ...asked, changeMicrophone: (id) => this.changeMicrophone(id) })
    this.#sharing = new ScreenShare({ ...asked, show: (is) => this.#take({ kind: 'sharing', is }) })
    this.#watch = new ConnectionWatch((up) => this.#take({ kind: 'transport', up }))
    this.#picture = new PictureWatch((flows) => this.#take({ kind: 'picture', flows }))
    this.#server = new ServerWatch({
      restarted: () => this.#take({ kind: 'server-restarted' }),
      away: (tryAtMs) => this.#take({ kind: 'server-away', tryAtMs }),
    })
  }

  /** What this device sends. The self view uses it to avoid the delay of a round trip over the server. */
  get ownStream(): MediaStream | null {
    return this.#session?.localStream ?? null
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  snapshot = (): MeetingState => this.#course.shown

  /**
   * Joins with a room token. Rejects with the client's own rejection, ForeignServer or TimedOut. All devices are
   * released then.
   * @param ready from the green room; its tracks belong to the meeting from now on
   * @param mutes whether the room decides at first who is muted (an invitation may set this), or the choices in `ready`
   * stay (`as-ready`)
   */
  async join(roomToken: string, ready: Readiness, mutes: 'of-room' | 'as-ready' = 'of-room'): Promise<void> {
    this.#ready = ready
    this.#tracks = tracksToSend(ready, this.#silence)
    try {
      await assureOwnServer(roomToken)
      const [Video] = await Promise.all([loadClient(), this.#server.remember()])
      if (this.#hasLeft()) throw new LeftEarly()
      const session = new Video.RoomSession({
        token: roomToken,
        ...hostOption(window.location.host),
        rootElement: this.element,
        // The page has its own self view, which keeps up with unmuting.
        applyLocalVideoOverlay: false,
        ...(ready.choices.speakerId ? { speakerId: ready.choices.speakerId } : {}),
        ...(this.#tracks.length > 0 ? { localStream: new MediaStream(this.#tracks) } : {}),
      })
      setCallerName(session, ready.choices.name)
      this.#session = session
      this.#listen(session)
      const joining = session.join({
        audio: ready.microphoneUsable && microphoneConstraints(ready.choices.microphoneId),
        video: ready.cameraUsable && cameraConstraints(ready.choices.cameraId),
        receiveAudio: true,
        receiveVideo: true,
      })
      // The client cannot be stopped while it joins. If the join completes too late, the client leaves again.
      void joining.then(
        () => {
          if (this.#hasLeft()) void session.leave()
        },
        () => {},
      )
      await within(joinTimeoutMs, joining)
      if (this.#hasLeft()) throw new LeftEarly()
      // The client cannot resume the call of an opaque token: a reload takes a new seat, so this one is given up.
      if (readRoomToken(roomToken) === null) {
        window.addEventListener('pagehide', () => void session.leave(), { once: true })
      }
      this.#take(joinedEvent(session, ready))
      void this.#server.remember(this.#course.shown.sessionId)
      this.chat.start(() => chatAccessOf(session))
      void this.#checkSound(session)
      await this.#mutes.settle(ready, mutes)
    } catch (error) {
      this.#take({ kind: 'join-failed' })
      throw error
    }
  }

  /** Leaves at once. The server is told if it can be reached. */
  async leave(): Promise<void> {
    if (this.#hasLeft()) return
    this.#take({ kind: 'leave' })
    await this.#hangUp()
  }

  /** Tries to reach the server at once, if it did not answer before. */
  tryNow(): void {
    this.#server.tryNow()
  }

  /** Turns the own microphone or camera on or off. */
  setMuted(what: 'audioMuted' | 'videoMuted', muted: boolean): Promise<void> {
    if (what === 'audioMuted') this.#listenWhile(muted)
    return this.#mutes.set(what, muted)
  }

  startSharing(): void {
    this.#sharing.start()
  }

  stopSharing(): void {
    this.#sharing.stop()
  }

  /**
   * Asks the server by the client's own methods. Unlike other requests it leaves refusals to the caller.
   * @throws what the client rejects with
   */
  async ask<Result>(request: (session: RoomSession) => Promise<Result>): Promise<Result> {
    if (!this.#session) throw new Error('Nobody has joined.')
    return request(this.#session)
  }

  /** A camera that is off stays off, and is this one when it is turned on. */
  async changeCamera(deviceId: string): Promise<void> {
    if (this.#session && this.#isOff('videoMuted')) return openNext(this.#session, 'camId', deviceId)
    await this.#session
      ?.updateCamera(cameraConstraints(deviceId))
      .catch((error: unknown) => this.#refused(t('meeting.camera-not-changed'), error))
  }

  /** A microphone that is off stays off, and is this one when it is turned on. */
  async changeMicrophone(deviceId: string | null): Promise<void> {
    if (this.#session && deviceId !== null && this.#isOff('audioMuted'))
      return openNext(this.#session, 'micId', deviceId)
    await this.#session
      ?.updateMicrophone(microphoneConstraints(deviceId))
      .catch((error: unknown) => this.#refused(t('meeting.microphone-not-changed'), error))
  }

  async changeSpeaker(deviceId: string): Promise<void> {
    await this.#session
      ?.updateSpeaker({ deviceId })
      ?.catch((error: unknown) => this.#refused(t('meeting.speaker-not-changed'), error))
  }

  /** What the browser measures of the call; null without one. */
  async stats(): Promise<Map<string, { type: string }> | null> {
    const connection = this.#session && connectionOf(this.#session)
    return connection ? ((await connection.getStats()) as unknown as Map<string, { type: string }>) : null
  }

  /** How loud the room is on this device, from 0 to 1. */
  get ownVolume(): number {
    return audioElementOf(this.#session)?.volume ?? 1
  }

  setOwnVolume(volume: number): void {
    const element = audioElementOf(this.#session)
    if (element) element.volume = volume
  }

  /** Call this from a click: browsers allow a page to play sound only after one. */
  async playSound(): Promise<void> {
    await audioElementOf(this.#session)?.play()
    this.#take({ kind: 'sound', blocked: false })
  }

  #listen(session: RoomSession): void {
    session.on('camera.updated', () => this.#effects.follow())
    listenToMeeting(session, {
      take: (event) => this.#take(event),
      recording: (recording) => this.media.noteRecording(recording),
      playback: (playback) => this.media.notePlayback(playback),
      playbackEnded: (id) => this.media.forgetPlayback(id),
      track: ({ receiver, track }) => {
        this.#watch.watch(receiver)
        if (track.kind !== 'video') return
        showInstead(this.element, track)
        this.#picture.watch(receiver)
      },
    })
  }

  async #checkSound(session: RoomSession): Promise<void> {
    try {
      await audioElementOf(session)?.play()
    } catch (error) {
      if (error instanceof DOMException && error.name === 'NotAllowedError')
        this.#take({ kind: 'sound', blocked: true })
    }
  }

  /** The call ends the track of a muted microphone, so this comes before the mute. */
  #listenWhile(muted: boolean): void {
    const sent = this.ownStream?.getAudioTracks()[0]
    if (muted) this.mutedSpeech.listen(sent && (sourceOf(sent) ?? sent))
    else this.mutedSpeech.stop()
  }

  #isOff(what: 'audioMuted' | 'videoMuted'): boolean {
    const { members, selfId } = this.snapshot()
    return members.some((member) => member.id === selfId && member[what])
  }

  #hasLeft(): boolean {
    return this.snapshot().phase === 'left'
  }

  /** The screens are notified last: when they learn that the stay is over, all state is already updated. */
  #take(event: MeetingEvent): void {
    const before = this.#course.shown
    const [course, effects] = nextMeeting(this.#course, event)
    this.#course = course
    for (const effect of effects) this.#do(effect)
    if (course.shown === before) return
    this.chat.note(roomNews(before, course.shown))
    for (const listener of this.#listeners) listener()
  }

  #do(effect: MeetingEffect): void {
    switch (effect.do) {
      case 'tell':
        this.#tell(effect.title, effect.hint)
        break
      case 'note-own-mute':
        if (effect.what === 'audioMuted' && !effect.muted) this.mutedSpeech.stop()
        this.#mutes.changed(effect.what, effect.muted)
        break
      case 'give-up-later':
        clearTimeout(this.#reconnectTimer)
        this.#reconnectTimer = setTimeout(() => this.#take({ kind: 'given-up' }), reconnectTimeoutMs)
        break
      case 'do-not-give-up':
        clearTimeout(this.#reconnectTimer)
        break
      case 'end-reaction-later':
        setTimeout(() => this.#take({ kind: 'reaction-over', id: effect.id }), reactionMs)
        break
      case 'watch-server':
        this.#server[effect.how]()
        break
      case 'release':
        this.#release(effect)
    }
  }

  /** Tells the server if it can be reached. Otherwise the client keeps trying in the background. */
  async #hangUp(): Promise<void> {
    try {
      if (this.#session) await within(leaveTimeoutMs, this.#session.leave())
    } catch {
      // The client throws at once if it is not connected (not yet, or no longer).
    }
  }

  #release({ reason, hangUp, resume }: Extract<MeetingEffect, { do: 'release' }>): void {
    clearTimeout(this.#reconnectTimer)
    this.#watch.stop()
    this.#picture.stop()
    this.#server.end()
    this.#mutes.end()
    this.#effects.end()
    this.#sharing.end()
    this.chat.end()
    this.mutedSpeech.stop()
    const tracks = [...this.#tracks, ...(this.ownStream?.getTracks() ?? [])]
    const closed = hangUp ? this.#hangUp() : Promise.resolve()
    if (this.#ready && resume) {
      const { name } = this.#ready.choices
      this.interruption = interruptionOf(resume, {
        ...{ reason, name, run: this.#server.run, closed },
        chat: this.chat.snapshot(),
      })
    }
    void this.#silence.close()
    for (const track of tracks) track.stop()
  }

  /**
   * If a dropped socket cuts off a call of the client, the call rejects with a symbol. The client repairs that itself.
   */
  #refused(title: string, error: unknown): void {
    if (this.#hasLeft() || typeof error === 'symbol') return
    this.#tell(title, refusalText(error))
  }
}

/** An audience has no media line to send on. The media lines of a member are those of the devices in `ready`. */
function joinedEvent(session: RoomSession, ready: Readiness): MeetingEvent {
  const role = roleOf(session.interactivityMode)
  const isMember = role === 'member'
  return {
    kind: 'joined',
    role,
    permissions: session.permissions,
    canSend: { audio: isMember && ready.microphoneUsable, video: isMember && ready.cameraUsable },
  }
}
