import { createCipheriv } from 'node:crypto'

/**
 * The protection profiles that browsers offer, by their number in the use_srtp extension (RFC 5764, section 4.1.2, and
 * RFC 7714, section 14.2).
 */
export const PROFILES = {
  1: { name: 'SRTP_AES128_CM_SHA1_80', keyBytes: 16, saltBytes: 14, hasAuthenticationKey: true },
  7: { name: 'SRTP_AEAD_AES_128_GCM', keyBytes: 16, saltBytes: 12, hasAuthenticationKey: false },
} as const

export type ProfileNumber = keyof typeof PROFILES

/** Keys of one kind of packets in one direction. */
export interface SessionKeys {
  key: Buffer
  salt: Buffer
  /** For HMAC; empty with an AEAD profile. */
  authentication: Buffer
}

/** Keys of one direction. */
export interface DirectionKeys {
  rtp: SessionKeys
  rtcp: SessionKeys
}

const AUTHENTICATION_KEY_BYTES = 20
/** Labels of the key derivation (RFC 3711, section 4.3.2): three for RTP, then three for RTCP. */
const RTP_LABELS = 0
const RTCP_LABELS = 3

/** Derives the session keys from a master key and salt, with a key derivation rate of 0 (RFC 3711, section 4.3). */
export function deriveKeys(profile: ProfileNumber, masterKey: Buffer, masterSalt: Buffer): DirectionKeys {
  const { keyBytes, saltBytes, hasAuthenticationKey } = PROFILES[profile]
  const derive = (label: number, length: number) => {
    const counter = Buffer.alloc(16)
    masterSalt.copy(counter)
    counter[7]! ^= label
    return createCipheriv('aes-128-ctr', masterKey, counter).update(Buffer.alloc(length))
  }
  const keys = (labels: number): SessionKeys => ({
    key: derive(labels, keyBytes),
    authentication: hasAuthenticationKey ? derive(labels + 1, AUTHENTICATION_KEY_BYTES) : Buffer.alloc(0),
    salt: derive(labels + 2, saltBytes),
  })
  return { rtp: keys(RTP_LABELS), rtcp: keys(RTCP_LABELS) }
}

/**
 * Splits what the DTLS handshake exports (RFC 5764, section 4.2): both keys, then both salts, the client's first.
 * @throws {RangeError} where it is not as long as the profile needs it
 */
export function directionKeys(
  profile: ProfileNumber,
  exported: Buffer,
): { client: DirectionKeys; server: DirectionKeys } {
  const { keyBytes, saltBytes } = PROFILES[profile]
  if (exported.length !== 2 * (keyBytes + saltBytes))
    throw new RangeError('keying material of a wrong length')
  const side = (index: number) => {
    const saltAt = 2 * keyBytes + index * saltBytes
    return deriveKeys(
      profile,
      exported.subarray(index * keyBytes, (index + 1) * keyBytes),
      exported.subarray(saltAt, saltAt + saltBytes),
    )
  }
  return { client: side(0), server: side(1) }
}

/** Bytes that {@link directionKeys} needs. */
export function exportedBytes(profile: ProfileNumber): number {
  const { keyBytes, saltBytes } = PROFILES[profile]
  return 2 * (keyBytes + saltBytes)
}
