import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { FEED_VERSION, MESSAGE, MOST_DOWN_BYTES, MOST_UP_BYTES } from './feed-messages.ts'
import { newMessage } from './message-reader.ts'
import type { MessageStream } from './message-stream.ts'

/**
 * How both ends of a feed prove to each other that the server gave them its secret, which never passes the wire: each signs
 * the other's random number (HMAC-SHA-256).
 */

const NONCE_BYTES = 32
const MAC_BYTES = 32
const MOST_ID_BYTES = 64
/** Longest message of the greeting. */
export const MOST_GREETING_BYTES = 1 + NONCE_BYTES + MAC_BYTES + MOST_ID_BYTES
/** Time for the whole greeting. Both ends are near, but may be busy. */
const GREETING_TIMEOUT_MS = 2000

/**
 * Greets somebody who has connected, and wants to read a feed.
 * @param secretOf of a feed that is offered here; null for others
 * @param onAccepted the other side has the secret. It is not called otherwise; the stream is closed then
 */
export function greetReader(
  stream: MessageStream,
  secretOf: (feedId: string) => Buffer | null,
  onAccepted: (feedId: string) => void,
): void {
  const ownNonce = randomBytes(NONCE_BYTES)
  const timeout = setTimeout(() => stream.close(), GREETING_TIMEOUT_MS)
  stream.onClosed = () => clearTimeout(timeout)
  stream.onMessage = (type, body) => {
    const isProof = type === MESSAGE.proof && body.length > NONCE_BYTES + MAC_BYTES
    const nonce = body.subarray(0, NONCE_BYTES)
    const feedId = body.toString('latin1', NONCE_BYTES + MAC_BYTES)
    const secret = isProof ? secretOf(feedId) : null
    const mac = body.subarray(NONCE_BYTES, NONCE_BYTES + MAC_BYTES)
    if (!secret || !timingSafeEqual(mac, macOf(secret, 'reader', ownNonce, nonce))) {
      stream.close()
      return
    }
    clearTimeout(timeout)
    stream.mostBytes = MOST_UP_BYTES
    stream.send(writeWelcome(macOf(secret, 'writer', nonce, ownNonce)))
    onAccepted(feedId)
  }
  const { message, at } = newMessage(MESSAGE.challenge, 1 + NONCE_BYTES)
  message[at] = FEED_VERSION
  ownNonce.copy(message, at + 1)
  stream.send(message)
}

/**
 * Greets the worker that was connected to.
 * @param onWelcome the other side has the secret too. `clockOffsetMs` has to be added to its times. It is not called
 * otherwise; the stream is closed then
 */
export function greetWriter(
  stream: MessageStream,
  { feedId, secret }: { feedId: string; secret: Buffer },
  onWelcome: (clockOffsetMs: number) => void,
): void {
  const ownNonce = randomBytes(NONCE_BYTES)
  let expected: Buffer | null = null
  let askedAtMs = 0
  const timeout = setTimeout(() => stream.close(), GREETING_TIMEOUT_MS)
  stream.onClosed = () => clearTimeout(timeout)
  stream.onMessage = (type, body) => {
    if (
      type === MESSAGE.challenge &&
      !expected &&
      body.length === 1 + NONCE_BYTES &&
      body[0] === FEED_VERSION
    ) {
      const nonce = body.subarray(1)
      expected = macOf(secret, 'writer', ownNonce, nonce)
      askedAtMs = performance.now()
      stream.send(writeProof(ownNonce, macOf(secret, 'reader', nonce, ownNonce), feedId))
      return
    }
    const isWelcome = type === MESSAGE.welcome && expected !== null && body.length === MAC_BYTES + 8
    if (!isWelcome || !timingSafeEqual(body.subarray(0, MAC_BYTES), expected!)) {
      stream.close()
      return
    }
    clearTimeout(timeout)
    stream.mostBytes = MOST_DOWN_BYTES
    // Its clock was read half way between the question and the answer.
    onWelcome((askedAtMs + performance.now()) / 2 - body.readDoubleBE(MAC_BYTES))
  }
}

function macOf(secret: Buffer, role: 'reader' | 'writer', ...nonces: [Buffer, Buffer]): Buffer {
  const mac = createHmac('sha256', secret).update(`feed ${FEED_VERSION} ${role} `)
  return mac.update(nonces[0]).update(nonces[1]).digest()
}

function writeProof(nonce: Buffer, mac: Buffer, feedId: string): Buffer {
  const id = Buffer.from(feedId, 'latin1')
  const { message, at } = newMessage(MESSAGE.proof, NONCE_BYTES + MAC_BYTES + id.length)
  nonce.copy(message, at)
  mac.copy(message, at + NONCE_BYTES)
  id.copy(message, at + NONCE_BYTES + MAC_BYTES)
  return message
}

function writeWelcome(mac: Buffer): Buffer {
  const { message, at } = newMessage(MESSAGE.welcome, MAC_BYTES + 8)
  mac.copy(message, at)
  message.writeDoubleBE(performance.now(), at + MAC_BYTES)
  return message
}
