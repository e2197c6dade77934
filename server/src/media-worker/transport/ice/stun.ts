import { createHmac, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { ipBytes } from './ip-bytes.ts'

/** STUN as ICE uses it (RFC 8489, RFC 8445): Binding requests and their responses. */
const MAGIC_COOKIE = 0x2112a442
const HEADER_BYTES = 20
const FINGERPRINT_XOR = 0x5354554e
const INTEGRITY_BYTES = 20
/** With its header. */
const FINGERPRINT_BYTES = 8

export const BINDING_REQUEST = 0x0001
export const BINDING_SUCCESS = 0x0101
export const BINDING_ERROR = 0x0111

/** Both sides believe that they are controlling, or controlled (RFC 8445, section 7.3.1.1). */
export const ROLE_CONFLICT = 487

const USERNAME = 0x0006
const MESSAGE_INTEGRITY = 0x0008
const ERROR_CODE = 0x0009
const XOR_MAPPED_ADDRESS = 0x0020
const PRIORITY = 0x0024
const USE_CANDIDATE = 0x0025
const FINGERPRINT = 0x8028
const ICE_CONTROLLED = 0x8029
const ICE_CONTROLLING = 0x802a

/** RFC 8489, section 14.3. */
const MOST_USERNAME_BYTES = 508

export interface StunMessage {
  type: number
  transactionId: Buffer
  /** Empty where there is none, as in responses. */
  username: string
  /** The controlling side nominates this pair. */
  useCandidate: boolean
  /** What the sender's address is to count as where it is not known yet; 0 where nothing is said. */
  priority: number
  /** What the sender is; null where nothing is said. */
  role: 'controlling' | 'controlled' | null
  /** Decides which side changes its role where both are the same. */
  tieBreaker: bigint
  /** Of an error response; 0 in others. */
  errorCode: number
  /** Where the integrity attribute begins, or -1. */
  integrityAt: number
}

/** Whether a datagram is STUN and not DTLS or SRTP (RFC 7983). */
export function isStun(datagram: Buffer): boolean {
  return datagram.length >= HEADER_BYTES && datagram[0]! < 4 && datagram.readUInt32BE(4) === MAGIC_COOKIE
}

/** @returns null where the message is malformed */
export function readStun(datagram: Buffer): StunMessage | null {
  if (!isStun(datagram) || datagram.readUInt16BE(2) !== datagram.length - HEADER_BYTES) return null
  const message: StunMessage = {
    type: datagram.readUInt16BE(0),
    transactionId: datagram.subarray(8, HEADER_BYTES),
    username: '',
    useCandidate: false,
    priority: 0,
    role: null,
    tieBreaker: 0n,
    errorCode: 0,
    integrityAt: -1,
  }
  let at = HEADER_BYTES
  while (at + 4 <= datagram.length) {
    const type = datagram.readUInt16BE(at)
    const length = datagram.readUInt16BE(at + 2)
    if (at + 4 + length > datagram.length) return null
    if (type === MESSAGE_INTEGRITY) {
      if (length !== INTEGRITY_BYTES) return null
      message.integrityAt = at
      // Nothing after it is covered by it, and so nothing after it counts.
      return message
    }
    if (!readAttribute(message, type, datagram.subarray(at + 4, at + 4 + length))) return null
    at += 4 + ((length + 3) & ~3)
  }
  return message
}

/** Attributes that ICE does not know are passed over. @returns whether the value can be one of this type */
function readAttribute(message: StunMessage, type: number, value: Buffer): boolean {
  switch (type) {
    case USERNAME:
      message.username = value.toString('utf8')
      return value.length <= MOST_USERNAME_BYTES
    case USE_CANDIDATE:
      message.useCandidate = true
      return true
    case PRIORITY:
      if (value.length === 4) message.priority = value.readUInt32BE()
      return value.length === 4
    case ICE_CONTROLLING:
    case ICE_CONTROLLED:
      message.role = type === ICE_CONTROLLING ? 'controlling' : 'controlled'
      if (value.length === 8) message.tieBreaker = value.readBigUInt64BE()
      return value.length === 8
    case ERROR_CODE:
      // A class of hundreds, and a number below 100 (RFC 8489, section 14.8).
      if (value.length >= 4) message.errorCode = (value[2]! & 7) * 100 + value[3]!
      return value.length >= 4
    default:
      return true
  }
}

/** Whether the message ends with a right FINGERPRINT (RFC 8489, section 14.7), as all messages of ICE do. */
export function hasFingerprint(datagram: Buffer): boolean {
  const at = datagram.length - FINGERPRINT_BYTES
  if (at < HEADER_BYTES || datagram.readUInt32BE(at) !== FINGERPRINT * 0x10000 + 4) return false
  return datagram.readUInt32BE(at + 4) === (crc32(datagram.subarray(0, at)) ^ FINGERPRINT_XOR) >>> 0
}

/** Whether the message was written by somebody who knows the password (short-term credentials, RFC 8489, section 9.1). */
export function isAuthentic(datagram: Buffer, message: StunMessage, password: string): boolean {
  if (message.integrityAt < 0) return false
  const covered = Buffer.from(datagram.subarray(0, message.integrityAt))
  covered.writeUInt16BE(message.integrityAt + 4 + INTEGRITY_BYTES - HEADER_BYTES, 2)
  const digest = createHmac('sha1', password).update(covered).digest()
  const start = message.integrityAt + 4
  return timingSafeEqual(digest, datagram.subarray(start, start + INTEGRITY_BYTES))
}

export interface BindingRequest {
  transactionId: Buffer
  /** Of the other side and of this side, joined by a colon. */
  username: string
  /** The other side's. */
  password: string
  priority: number
  tieBreaker: bigint
  role: 'controlling' | 'controlled'
  useCandidate: boolean
}

/** A check (RFC 8445, section 7.2.2). */
export function writeBindingRequest(request: BindingRequest): Buffer {
  const priority = Buffer.alloc(4)
  priority.writeUInt32BE(request.priority)
  const tieBreaker = Buffer.alloc(8)
  tieBreaker.writeBigUInt64BE(request.tieBreaker)
  const attributes = [
    stunAttribute(USERNAME, Buffer.from(request.username)),
    stunAttribute(PRIORITY, priority),
    stunAttribute(request.role === 'controlling' ? ICE_CONTROLLING : ICE_CONTROLLED, tieBreaker),
    ...(request.useCandidate ? [stunAttribute(USE_CANDIDATE, Buffer.alloc(0))] : []),
  ]
  return sealStun(BINDING_REQUEST, request.transactionId, attributes, request.password)
}

/**
 * The success response to a check.
 * @param address IPv4 or IPv6, where the check came from
 */
export function writeBindingSuccess(
  transactionId: Buffer,
  address: string,
  port: number,
  password: string,
): Buffer {
  const mapped = stunAttribute(XOR_MAPPED_ADDRESS, xorAddress(transactionId, address, port))
  return sealStun(BINDING_SUCCESS, transactionId, [mapped], password)
}

/** Value of an attribute such as XOR-MAPPED-ADDRESS (RFC 8489, section 14.2). @param address IPv4 or IPv6 */
export function xorAddress(transactionId: Buffer, address: string, port: number): Buffer {
  const bytes = ipBytes(address)
  const value = Buffer.alloc(4 + bytes.length)
  value[1] = bytes.length === 4 ? 1 : 2
  value.writeUInt16BE(port ^ (MAGIC_COOKIE >>> 16), 2)
  const mask = Buffer.alloc(4)
  mask.writeUInt32BE(MAGIC_COOKIE)
  const key = Buffer.concat([mask, transactionId])
  for (let i = 0; i < bytes.length; i++) value[4 + i] = bytes[i]! ^ key[i]!
  return value
}

/** The error response to a check. @param code from 300 to 699 */
export function writeBindingError(transactionId: Buffer, code: number, password: string): Buffer {
  const value = Buffer.alloc(4)
  value[2] = Math.floor(code / 100)
  value[3] = code % 100
  return sealStun(BINDING_ERROR, transactionId, [stunAttribute(ERROR_CODE, value)], password)
}

/** What every message begins with, and all there is of one without attributes. */
export function writeStunHeader(type: number, transactionId: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt16BE(type, 0)
  header.writeUInt32BE(MAGIC_COOKIE, 4)
  transactionId.copy(header, 8)
  return header
}

/** An attribute with its header, padded (RFC 8489, section 14). */
export function stunAttribute(type: number, value: Buffer): Buffer {
  const bytes = Buffer.alloc(4 + ((value.length + 3) & ~3))
  bytes.writeUInt16BE(type, 0)
  bytes.writeUInt16BE(value.length, 2)
  value.copy(bytes, 4)
  return bytes
}

/**
 * A message with MESSAGE-INTEGRITY and FINGERPRINT.
 * @param key a password, or the key of long-term credentials (RFC 8489, section 9.2.2)
 */
export function sealStun(
  type: number,
  transactionId: Buffer,
  attributes: Buffer[],
  key: string | Buffer,
): Buffer {
  const body = Buffer.concat([writeStunHeader(type, transactionId), ...attributes])
  // Each of the two covers the message as if it ended with it.
  body.writeUInt16BE(body.length - HEADER_BYTES + 4 + INTEGRITY_BYTES, 2)
  const integrity = stunAttribute(MESSAGE_INTEGRITY, createHmac('sha1', key).update(body).digest())
  const signed = Buffer.concat([body, integrity])
  signed.writeUInt16BE(signed.length - HEADER_BYTES + 8, 2)
  const fingerprint = Buffer.alloc(4)
  fingerprint.writeUInt32BE((crc32(signed) ^ FINGERPRINT_XOR) >>> 0)
  return Buffer.concat([signed, stunAttribute(FINGERPRINT, fingerprint)])
}
