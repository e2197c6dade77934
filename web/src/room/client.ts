import type { Video } from '@signalwire/js'

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

/** The element that plays the room's sound. */
export function audioElementOf(session: RoomSession | null): HTMLAudioElement | undefined {
  return (session as unknown as Untyped | null)?.audioEl
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
