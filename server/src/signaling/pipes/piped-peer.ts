/** What the node that a client reached tells the owner of the room about the client. */
export interface PipedPeer {
  /** IP address of the client. */
  address: string
  /** The host that it asked for, unchecked. */
  askedHost: string
  /** Host, and port unless it is 443, where it reaches the servers. */
  host: string
  /** Id of its browser; null for other clients. */
  browserId: string | null
}

/** Path at which nodes take the sockets of others. */
export const PIPE_PATH = '/cluster/socket'

/** What is said for a pipe: JSON in base64url. */
export const writePeer = (peer: PipedPeer): string => Buffer.from(JSON.stringify(peer)).toString('base64url')

/** Reads what was said. Its sender has proved that it is a node. */
export const readPeer = (text: string): PipedPeer =>
  JSON.parse(Buffer.from(text, 'base64url').toString()) as PipedPeer
