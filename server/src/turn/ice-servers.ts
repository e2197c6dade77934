import { createHmac } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'

/** An `RTCIceServer`, as browsers take it (W3C WebRTC, section 4.2.4). */
export interface IceServer {
  urls: readonly string[]
  username: string
  credential: string
}

/**
 * The ICE servers for somebody.
 * @param holder id of the token that they came with, by which an operator finds who it was in the log of the TURN server
 */
export type IceServers = (holder: string) => readonly IceServer[]

/**
 * How long credentials are good for, in seconds. A TURN server looks at them when an allocation begins, so this is for how long
 * somebody may come back or share a screen without signing in anew. Each sign-in of a client, also after a lost socket, brings new ones.
 */
const LIFE_SECONDS = 12 * 60 * 60

/** Creates {@link IceServers}. Without a TURN server there are none: docs/protocol.md, rule 3. */
export function createIceServers(
  { turnUrls, turnSecret }: Pick<Config, 'turnUrls' | 'turnSecret'>,
  clock: Clock,
): IceServers {
  if (turnUrls.length === 0 || turnSecret === null) return () => []
  return (holder) => {
    const expiresAt = Math.floor(clock.now() / 1000) + LIFE_SECONDS
    return [{ urls: turnUrls, ...turnCredentials(turnSecret, expiresAt, holder) }]
  }
}

/**
 * Credentials by a secret that the TURN server shares (draft-uberti-behave-turn-rest-00, section 2.2).
 * @param expiresAt Unix time in seconds
 */
export function turnCredentials(
  secret: string,
  expiresAt: number,
  holder: string,
): Pick<IceServer, 'username' | 'credential'> {
  const username = `${expiresAt}:${holder}`
  return { username, credential: createHmac('sha1', secret).update(username).digest('base64') }
}
