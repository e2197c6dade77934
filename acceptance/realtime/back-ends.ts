import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { SignalWire } from '@signalwire/realtime-api'
import { afterEach, beforeAll } from 'vitest'
import type { Deployment } from '../testing/use-deployment.ts'

/** A connection of the published package for back ends. */
export type BackEnd = Awaited<ReturnType<typeof SignalWire>>

/** A session as the published package shows it. */
export type RoomSession = Awaited<ReturnType<BackEnd['video']['getRoomSessions']>>['roomSessions'][number]

/**
 * Lets a test file connect the unmodified package for back ends to its deployment. Each connection ends with its test.
 * @returns a function that connects
 */
export function useBackEnds(deployment: Deployment): () => Promise<BackEnd> {
  let open: BackEnd[] = []
  beforeAll(() => {
    const { ca } = deployment.access
    // The package takes no options for its socket.
    if (ca !== undefined) setDefaultCACertificates([...getCACertificates(), ca])
  })
  afterEach(async () => {
    await Promise.all(open.map((backEnd) => backEnd.disconnect()))
    open = []
  })
  return async () => {
    const { projectId: project, apiToken: token, baseUrl } = deployment.access
    // The package's types do not know `host`, though its documents do.
    const options = { host: baseUrl.replace(/^http/, 'ws'), project, token, logLevel: 'silent' } as const
    const backEnd = await SignalWire(options)
    open.push(backEnd)
    return backEnd
  }
}

/** The running session of a room, as the back end sees it. */
export async function sessionOf(backEnd: BackEnd, roomName: string): Promise<RoomSession> {
  const { roomSessions } = await backEnd.video.getRoomSessions()
  const session = roomSessions.find(({ name }) => name === roomName)
  if (!session) throw new Error('the session is not listed')
  return session
}
