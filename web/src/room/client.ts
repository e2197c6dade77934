import type { Video } from '@signalwire/js'
import type { Role } from './meeting-state.ts'
import type { PlaybackPayload } from './playback-state.ts'

/** The call object of the browser client. */
export type RoomSession = InstanceType<typeof Video.RoomSession>

/** Loads the browser client. It is most of the page's code, and only needed once somebody joins. */
export async function loadClient(): Promise<typeof Video> {
  const client = await import('@signalwire/js')
  return client.Video
}

/** Members of the client's objects that are missing in its types. */
interface Untyped {
  audioEl?: HTMLAudioElement
  cause?: string
  session: { on(event: SocketEvent, listener: () => void): void }
}

/** The socket dropped; or the socket is back and signed in. */
type SocketEvent = 'session.reconnecting' | 'session.connected'

/** A member's own authorization, as an event gives it. */
export interface Authorization {
  join_as?: string
  audio_allowed?: string
  video_allowed?: string
  room?: { scopes?: readonly string[] }
}

/** The events of a promotion or demotion are missing in the client's types. */
export function onRoleChange(session: RoomSession, listener: (authorization: Authorization) => void): void {
  const events = session as unknown as {
    on(event: string, listener: (params: { member_id: string; authorization: Authorization }) => void): void
  }
  for (const event of ['member.promoted', 'member.demoted'])
    events.on(event, ({ authorization }) => listener(authorization))
}

/** @param joinAs as the client protocol spells it; tokens without it are those of members */
export function roleOf(joinAs: string | undefined): Role {
  return joinAs === 'audience' ? 'audience' : 'member'
}

/** What the server told about a playback. The client's own object leaves out fields that it does not know. */
export function payloadOf(playback: object): PlaybackPayload {
  return (playback as unknown as { _payload: { playback: PlaybackPayload } })._payload.playback
}

/** The element that plays the room's sound. */
export function audioElementOf(session: RoomSession | null): HTMLAudioElement | undefined {
  return (session as unknown as Untyped | null)?.audioEl
}

/**
 * Shows a new video track in the client's element. A promotion or demotion replaces the connection, and the client goes
 * on showing the track of the old one. Before there is an element, the client shows its first track by itself.
 */
export function showInstead(element: HTMLElement, track: MediaStreamTrack): void {
  const video = element.querySelector('video')
  if (video) video.srcObject = new MediaStream([track])
}

/** The cause that the server gave when it ended the call; undefined while the call runs. */
export function causeOf(session: RoomSession): string | undefined {
  return (session as unknown as Untyped).cause
}

/** Listens for changes of the client's socket. */
export function onSocket(session: RoomSession, event: SocketEvent, listener: () => void): void {
  ;(session as unknown as Untyped).session.on(event, listener)
}

/** The option `host` is missing in the client's types. It is the server for tokens that name none. */
export function hostOption(host: string): object {
  return { host }
}

/**
 * Names the user, for tokens that name nobody. The client sends this option of its calls, and its constructor does not
 * take it. To be called before the join.
 */
export function setCallerName(session: RoomSession, name: string): void {
  const { options } = session as unknown as { options: { callerName?: string } }
  options.callerName = name
}
