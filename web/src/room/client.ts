import type { Video } from '@signalwire/js'
import type { Role } from './meeting-state.ts'
import type { PlaybackPayload } from './playback-state.ts'

/** The call object of the browser client. */
export type RoomSession = InstanceType<typeof Video.RoomSession>

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

/** Reactions are an addition of this server, so they are missing in the client's types. */
export function onReaction(
  session: RoomSession,
  listener: (params: { member: { id: string; name: string }; reaction: string }) => void,
): void {
  const events = session as unknown as {
    on(event: string, listen: (params: Parameters<typeof listener>[0]) => void): void
  }
  events.on('member.reacted', listener)
}

/** Calls a method that the client has no function for. @throws what the server answers */
export async function callMethod(session: RoomSession, method: string, params: object): Promise<void> {
  await (session as unknown as { execute(request: object): Promise<unknown> }).execute({ method, params })
}

/** @param joinAs as the client protocol spells it; tokens without it are those of members */
export function roleOf(joinAs: string | undefined): Role {
  return joinAs === 'audience' ? 'audience' : 'member'
}

/** What the server told about a playback. The client's own object leaves out fields that it does not know. */
export function payloadOf(playback: object): PlaybackPayload {
  return (playback as unknown as { _payload: { playback: PlaybackPayload } })._payload.playback
}

/** The connection that carries the room's media. */
export function connectionOf(session: RoomSession): RTCPeerConnection | null {
  const { peer } = session as unknown as { peer?: { instance?: RTCPeerConnection } }
  return peer?.instance ?? null
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

/**
 * Asks for access to the chat of the session (docs/protocol.md, section 10).
 * @returns null if the room has no chat
 */
export async function chatAccessOf(session: RoomSession): Promise<{ token: string; channel: string } | null> {
  const { execute } = session as unknown as {
    execute(request: object): Promise<{ token: string; channel: string } | undefined>
  }
  try {
    const access = await execute.call(session, { method: 'video.get_chat_token', params: {} })
    // A request that a drop cut off resolves with nothing.
    if (!access) throw new Error('The server did not answer.')
    return access
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code === '403') return null
    throw error
  }
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

/** Makes a device the one that the client opens at the next unmute. To be called while that kind of device is off. */
export function openNext(session: RoomSession, what: 'camId' | 'micId', deviceId: string): void {
  const { options } = session as unknown as { options: { camId?: string; micId?: string } }
  options[what] = deviceId
}
