/**
 * One participant: the published client, unmodified. It gets only a token. The test controls it through
 * `window.participant` and receives every event as it happens through `window.report`.
 */
import type { Video } from '@signalwire/js'
import {
  type ChosenPath,
  cameraHeight,
  chosenPath,
  connectionStates,
  offerWithoutH264,
  onRemoteTrack,
  type ReceivedAudio,
  type ReceivedVideo,
  receivedAudio,
  receivedEnergy,
  receivedVideo,
  type SentVideo,
  sentVideo,
  useOnlyRelay,
  watchPeerConnections,
} from './peer-connections.ts'
import {
  coloursAt,
  firstFramePresented,
  type PresentedFrame,
  pictureSize,
  putPictureOnPage,
  type Region,
  type Rgb,
  showPicture,
  stopWatching,
  watchPace,
  watchRegion,
} from './picture.ts'
import { beginPulse, endPulse } from './pulse.ts'
import { listenTo, type Spectrum, spectrum } from './sound.ts'
import {
  type PaintedFlash,
  paintedFlashes,
  recordLocally,
  type SourceKind,
  showMark,
  useSource,
} from './sources.ts'

/** One event of the room session, as the application sees it. */
export interface ReportedEvent {
  /** When the page got it: Unix epoch, milliseconds. */
  atMs: number
  name: string
  params: unknown
}

/** How a call of a room session method ended. */
export type CallOutcome = { ok: true; value: unknown } | { ok: false; error: Rejection }

/** The content of a rejected promise of the client. */
export interface Rejection {
  code: string
  message: string
}

/** The identity that the client reports after `join()`. */
export interface JoinedAs {
  memberId: string
  roomId: string
  roomSessionId: string
  permissions: string[]
  /** Times of the `performance` clock, converted to Unix epoch milliseconds. */
  joinCalledAtMs: number
  joinResolvedAtMs: number
}

/** Methods of the client's own playback object that the tests call. */
export type PlaybackMethod = 'pause' | 'resume' | 'stop' | 'setVolume'

/** Functions of the page that the test may call. */
export interface ParticipantPage {
  join(token: string): Promise<CallOutcome>
  call(method: string, parameters: unknown[]): Promise<CallOutcome>
  onRecording(recordingId: string, method: 'pause' | 'resume' | 'stop'): Promise<CallOutcome>
  onPlayback(playbackId: string, method: PlaybackMethod, parameters: unknown[]): Promise<CallOutcome>
  joinAndAwaitFirstFrame(token: string): Promise<CallOutcome>
  coloursAt(regions: Region[]): Rgb[] | null
  pictureSize(): { width: number; height: number }
  putPictureOnPage(): void
  watchPace(): void
  watchRegion(region: Region): void
  stopWatching(): Promise<PresentedFrame[]>
  beginPulse(): void
  endPulse(): number[]
  spectrum(frequencies: number[]): Spectrum | null
  receivedVideo(): Promise<ReceivedVideo | null>
  receivedAudio(): Promise<ReceivedAudio | null>
  receivedEnergy(): Promise<number | null>
  sentVideo(): Promise<SentVideo | null>
  /** Height in pixels that the camera delivers now; null without a camera. */
  cameraHeight(): number | null
  connectionStates(): string[]
  chosenPath(): Promise<ChosenPath | null>
  showMark(shown: boolean): Promise<number>
  paintedFlashes(): PaintedFlash[]
  recordLocally(durationMs: number): Promise<string>
  /** Sends a camera to itself over a peer connection and shows that. This checks the measurements without a server. */
  loopBack(): Promise<void>
  /** Closes every WebSocket of the page without a message of the protocol. */
  closeSockets(): void
}

declare global {
  interface Window {
    participant: ParticipantPage
    report(event: ReportedEvent): void
    SignalWire: { Video: typeof Video }
  }
}

const EVENTS = [
  'room.subscribed',
  'room.joined',
  'room.left',
  'room.started',
  'room.updated',
  'room.ended',
  'room.audienceCount',
  'member.joined',
  'member.updated',
  'member.left',
  'member.talking',
  'member.promoted',
  'member.demoted',
  'layout.changed',
  'recording.started',
  'recording.updated',
  'recording.ended',
  'playback.started',
  'playback.updated',
  'playback.ended',
  'hangup',
  'destroy',
  'media.connected',
  'media.reconnecting',
  'media.disconnected',
  'session.expiring',
] as const

const now = () => performance.timeOrigin + performance.now()

/** The client's own objects (a recording, a playback) have accessors on their class. Only the id and the state are copied. */
function withAccessors(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('id' in value) || Object.hasOwn(value, 'id'))
    return value
  return { id: value.id, state: 'state' in value ? value.state : undefined }
}

function plain(value: unknown): unknown {
  try {
    return value === undefined ? null : JSON.parse(JSON.stringify(value, withAccessors))
  } catch {
    return String(value)
  }
}

function rejection(reason: unknown): Rejection {
  const { code, message } = (reason ?? {}) as { code?: unknown; message?: unknown }
  return { code: String(code ?? ''), message: String(message ?? reason) }
}

async function outcome(work: () => Promise<unknown>): Promise<CallOutcome> {
  try {
    return { ok: true, value: plain(await work()) }
  } catch (reason) {
    return { ok: false, error: rejection(reason) }
  }
}

const sockets: WebSocket[] = []
class WatchedWebSocket extends WebSocket {
  constructor(url: string | URL, protocols?: string | string[]) {
    super(url, protocols)
    sockets.push(this)
    this.addEventListener('open', () => window.report({ atMs: now(), name: 'socket.open', params: null }))
    this.addEventListener('close', ({ code }) =>
      window.report({ atMs: now(), name: 'socket.close', params: { code } }),
    )
  }
}

type AnyListener = (params: unknown) => void
type RoomSession = InstanceType<typeof Video.RoomSession>
let room: RoomSession | null = null

function current(): RoomSession {
  if (room === null) throw new Error('not joined')
  return room
}

async function join(token: string): Promise<JoinedAs> {
  const joining = new window.SignalWire.Video.RoomSession({ token })
  room = joining
  const listen = joining.on.bind(joining) as unknown as (name: string, listener: AnyListener) => void
  for (const name of EVENTS) {
    listen(name, (params) => window.report({ atMs: now(), name, params: plain(params) }))
  }
  const joinCalledAtMs = now()
  await joining.join()
  return {
    memberId: joining.memberId ?? '',
    roomId: joining.roomId,
    roomSessionId: joining.roomSessionId,
    permissions: joining.permissions,
    joinCalledAtMs,
    joinResolvedAtMs: now(),
  }
}

async function loopBack(): Promise<void> {
  const [near, far] = [new RTCPeerConnection(), new RTCPeerConnection()]
  near.onicecandidate = ({ candidate }) => void far.addIceCandidate(candidate ?? undefined)
  far.onicecandidate = ({ candidate }) => void near.addIceCandidate(candidate ?? undefined)
  const stream = await navigator.mediaDevices.getUserMedia({
    audio: true,
    video: { width: { ideal: 1280 }, height: { ideal: 720 } },
  })
  for (const track of stream.getTracks()) near.addTrack(track, stream)
  await near.setLocalDescription()
  await far.setRemoteDescription(near.localDescription ?? { type: 'offer' })
  await far.setLocalDescription()
  await near.setRemoteDescription(far.localDescription ?? { type: 'answer' })
}

interface RecordingHandle {
  id: string
  pause(): Promise<unknown>
  resume(): Promise<unknown>
  stop(): Promise<unknown>
}

type PlaybackHandle = { id: string } & Record<PlaybackMethod, (...parameters: unknown[]) => Promise<unknown>>

const options = new URLSearchParams(location.search)
watchPeerConnections()
if (options.get('h264') === 'no') offerWithoutH264()
if (options.get('relay') === 'only') useOnlyRelay()
window.WebSocket = WatchedWebSocket
useSource((options.get('source') ?? 'devices') as SourceKind)
onRemoteTrack((track) => {
  if (track.kind === 'video') showPicture(track)
  else listenTo(track)
})

window.participant = {
  join: (token) => outcome(() => join(token)),
  call: (method, parameters) =>
    outcome(async () => {
      const target = current() as unknown as Record<string, (...args: unknown[]) => unknown>
      const operation = target[method]
      if (operation === undefined) throw new Error(`the client has no method ${method}`)
      return await operation.apply(target, parameters)
    }),
  onRecording: (recordingId, method) =>
    outcome(async () => {
      const { recordings } = (await current().getRecordings()) as unknown as {
        recordings: RecordingHandle[]
      }
      const recording = recordings.find(({ id }) => id === recordingId)
      if (recording === undefined) throw new Error(`no recording ${recordingId} in the list`)
      return await recording[method]()
    }),
  onPlayback: (playbackId, method, parameters) =>
    outcome(async () => {
      const { playbacks } = (await current().getPlaybacks()) as unknown as { playbacks: PlaybackHandle[] }
      const playback = playbacks.find(({ id }) => id === playbackId)
      if (playback === undefined) throw new Error(`no playback ${playbackId} in the list`)
      return await playback[method](...parameters)
    }),
  joinAndAwaitFirstFrame: (token) =>
    outcome(async () => {
      const firstFrame = firstFramePresented()
      const joinedAs = await join(token)
      return { ...joinedAs, firstFrameAtMs: await firstFrame }
    }),
  coloursAt,
  pictureSize,
  putPictureOnPage,
  watchPace,
  watchRegion,
  stopWatching,
  beginPulse,
  endPulse,
  spectrum,
  receivedAudio,
  receivedEnergy,
  receivedVideo,
  sentVideo,
  cameraHeight,
  chosenPath,
  connectionStates,
  showMark,
  paintedFlashes,
  recordLocally,
  loopBack,
  closeSockets: () => {
    for (const socket of sockets.splice(0)) socket.close()
  },
}
