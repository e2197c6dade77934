import { randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import {
  BINDING_REQUEST,
  BINDING_SUCCESS,
  readStun,
  writeStunHeader,
} from '../../media-worker/transport/ice/stun.ts'

const TRIES = 3
const TRY_MS = 400

/** Answers binding requests at one UDP port. */
export interface StunEcho {
  port: number
  close(): Promise<void>
}

/**
 * Answers each STUN binding request (RFC 8489, section 6) with its success response, and ignores all other packets.
 * @param port 0 for any free port
 * @throws when the port is taken
 */
export async function startStunEcho(port: number, family: 4 | 6): Promise<StunEcho> {
  const socket = createSocket(family === 4 ? 'udp4' : 'udp6')
  socket.on('message', (message, from) => {
    const request = readStun(message)
    if (request?.type !== BINDING_REQUEST) return
    socket.send(writeStunHeader(BINDING_SUCCESS, request.transactionId), from.port, from.address)
  })
  const listening = once(socket, 'listening')
  socket.bind({ port, exclusive: true })
  await listening
  // An error while sending to an address is ignored.
  socket.on('error', () => {})
  return { port: socket.address().port, close: () => closed(socket) }
}

/**
 * Sends binding requests to an address until one is answered.
 * @returns the round trip in milliseconds, or null when no answer came
 */
export async function askStunEcho(address: string, port: number): Promise<number | null> {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
  socket.on('error', () => {})
  try {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const tookMs = await askOnce(socket, address, port)
      if (tookMs !== null) return tookMs
    }
    return null
  } finally {
    await closed(socket)
  }
}

function askOnce(socket: Socket, address: string, port: number): Promise<number | null> {
  const transactionId = randomBytes(12)
  const request = writeStunHeader(BINDING_REQUEST, transactionId)
  const sentAt = performance.now()
  return new Promise((resolve) => {
    const settle = (outcome: number | null) => {
      clearTimeout(timer)
      socket.off('message', receive)
      resolve(outcome)
    }
    const receive = (message: Buffer) => {
      const answer = readStun(message)
      const isOurs = answer?.type === BINDING_SUCCESS && answer.transactionId.equals(transactionId)
      if (isOurs) settle(performance.now() - sentAt)
    }
    const timer = setTimeout(() => settle(null), TRY_MS)
    socket.on('message', receive)
    socket.send(request, port, address, (error) => {
      if (error) settle(null)
    })
  })
}

const closed = (socket: Socket): Promise<void> => new Promise((resolve) => socket.close(resolve))
