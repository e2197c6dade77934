import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect as connectTcp, isIP, isIPv6, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { TurnAddress } from '../../config/turn-options.ts'

const CONNECT_MS = 3000
/** A request over UDP is sent again as often, and waited for as long each time. */
const TRIES = 3
const TRY_MS = 700
const STUN_HEADER_BYTES = 20
/** Where the transaction id is in a STUN message. */
const TRANSACTION = [8, 20] as const

/** Carries STUN messages to a TURN server and back. */
export interface TurnConnection {
  /** Why a browser would not trust the certificate; null where it would, or where there is no TLS. */
  readonly distrust: string | null
  /**
   * Sends a request.
   * @returns the message with the same transaction id
   * @throws Error when no answer comes
   */
  ask(request: Buffer): Promise<Buffer>
  close(): void
}

/** @throws Error, with the reason in plain words, where the server is not reached */
export function connectToTurn(address: TurnAddress): Promise<TurnConnection> {
  return address.transport === 'udp' ? overUdp(address) : overTcp(address)
}

const isAnswer = (message: Buffer, request: Buffer) =>
  message.subarray(...TRANSACTION).equals(request.subarray(...TRANSACTION))

async function overUdp({ host, port }: TurnAddress): Promise<TurnConnection> {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
  socket.on('error', () => {})
  const connected = once(socket, 'connect')
  socket.connect(port, host)
  try {
    await connected
  } catch (error) {
    socket.close()
    throw error
  }
  return {
    distrust: null,
    async ask(request) {
      for (let attempt = 0; attempt < TRIES; attempt++) {
        const answer = awaited(TRY_MS, (take) => {
          socket.on('message', take)
          return () => socket.off('message', take)
        })(request)
        socket.send(request, () => {})
        const got = await answer
        if (got) return got
      }
      throw new Error('does not answer over UDP')
    },
    close: () => socket.close(),
  }
}

async function overTcp({ host, port, transport }: TurnAddress): Promise<TurnConnection> {
  const servername = isIP(host) === 0 ? host : ''
  const socket =
    transport === 'tls'
      ? connectTls({ host, port, servername, rejectUnauthorized: false })
      : connectTcp({ host, port })
  socket.on('error', () => {})
  try {
    const connected = once(socket, transport === 'tls' ? 'secureConnect' : 'connect', {
      signal: AbortSignal.timeout(CONNECT_MS),
    })
    await connected
  } catch (error) {
    socket.destroy()
    const isLate = error instanceof Error && error.name === 'AbortError'
    throw isLate ? new Error(`does not answer over ${transport.toUpperCase()}`) : error
  }
  return {
    distrust: 'authorized' in socket && !socket.authorized ? String(socket.authorizationError) : null,
    async ask(request) {
      const answer = awaited(TRIES * TRY_MS, (take) => eachMessage(socket, take))(request)
      socket.write(request)
      const got = await answer
      if (got) return got
      throw new Error(`does not answer over ${transport.toUpperCase()}`)
    },
    close: () => socket.destroy(),
  }
}

/** Waits for the answer to a request. @returns null when none came in time */
const awaited =
  (timeoutMs: number, listen: (take: (message: Buffer) => void) => () => void) =>
  (request: Buffer): Promise<Buffer | null> =>
    new Promise((resolve) => {
      const settle = (answer: Buffer | null) => {
        clearTimeout(timer)
        stop()
        resolve(answer)
      }
      const timer = setTimeout(() => settle(null), timeoutMs)
      const stop = listen((message) => isAnswer(message, request) && settle(message))
    })

/** Cuts a stream into STUN messages (RFC 8489, section 6.2.2). @returns ends it */
function eachMessage(socket: Socket, take: (message: Buffer) => void): () => void {
  let pending: Buffer = Buffer.alloc(0)
  const read = (bytes: Buffer) => {
    pending = Buffer.concat([pending, bytes])
    while (pending.length >= STUN_HEADER_BYTES) {
      const length = STUN_HEADER_BYTES + pending.readUInt16BE(2)
      if (pending.length < length) return
      take(pending.subarray(0, length))
      pending = pending.subarray(length)
    }
  }
  socket.on('data', read)
  return () => socket.off('data', read)
}
