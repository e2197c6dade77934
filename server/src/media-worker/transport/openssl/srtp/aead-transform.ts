import { Memory } from '../memory.ts'
import { Cipher } from './cipher.ts'
import type { DirectionKeys } from './session-keys.ts'
import { ENCRYPTED_FLAG, RTCP_CLEAR_BYTES, RTCP_INDEX_BYTES, type Transform } from './transform.ts'

const TAG_BYTES = 16
const NONCE_BYTES = 12

/** AEAD_AES_128_GCM (RFC 7714). */
export class AeadTransform implements Transform {
  readonly rtpOverhead = TAG_BYTES
  readonly rtcpOverhead = TAG_BYTES + RTCP_INDEX_BYTES
  readonly #rtp: Cipher
  readonly #rtcp: Cipher
  readonly #rtpSalt: Buffer
  readonly #rtcpSalt: Buffer
  readonly #nonce = new Memory(NONCE_BYTES)
  readonly #nonceAddress = this.#nonce.at(0, NONCE_BYTES)

  constructor(direction: 'encrypt' | 'decrypt', { rtp, rtcp }: DirectionKeys) {
    if (rtp.salt.length !== NONCE_BYTES || rtcp.salt.length !== NONCE_BYTES)
      throw new RangeError('the salt of AEAD_AES_128_GCM has 12 bytes')
    this.#rtp = new Cipher('EVP_aes_128_gcm', direction, rtp.key)
    this.#rtcp = new Cipher('EVP_aes_128_gcm', direction, rtcp.key)
    this.#rtpSalt = rtp.salt
    this.#rtcpSalt = rtcp.salt
  }

  sealRtp(memory: Memory, at: number, headerBytes: number, length: number, rollover: number): void {
    const address = memory.at(at, length + TAG_BYTES)
    const cipher = this.#rtp
    this.#writeRtpNonce(memory.bytes, at, rollover)
    cipher.begin(this.#nonceAddress)
    cipher.associate(address, headerBytes)
    cipher.transform(address + headerBytes, length - headerBytes)
    if (!cipher.finish()) throw new Error('GCM did not end')
    cipher.readTag(address + length)
  }

  openRtp(memory: Memory, at: number, headerBytes: number, length: number, rollover: number): boolean {
    const plainBytes = length - TAG_BYTES
    if (plainBytes < headerBytes) return false
    const address = memory.at(at, length)
    const cipher = this.#rtp
    this.#writeRtpNonce(memory.bytes, at, rollover)
    cipher.begin(this.#nonceAddress)
    cipher.expectTag(address + plainBytes)
    cipher.associate(address, headerBytes)
    cipher.transform(address + headerBytes, plainBytes - headerBytes)
    return cipher.finish()
  }

  /** The tag comes before the index (RFC 7714, section 9.2). */
  sealRtcp(memory: Memory, at: number, length: number, index: number): void {
    const address = memory.at(at, length + TAG_BYTES + RTCP_INDEX_BYTES)
    const indexAt = length + TAG_BYTES
    memory.bytes.writeUInt32BE((ENCRYPTED_FLAG | index) >>> 0, at + indexAt)
    const cipher = this.#rtcp
    this.#writeRtcpNonce(memory.bytes, at, index)
    cipher.begin(this.#nonceAddress)
    cipher.associate(address, RTCP_CLEAR_BYTES)
    cipher.associate(address + indexAt, RTCP_INDEX_BYTES)
    cipher.transform(address + RTCP_CLEAR_BYTES, length - RTCP_CLEAR_BYTES)
    if (!cipher.finish()) throw new Error('GCM did not end')
    cipher.readTag(address + length)
  }

  openRtcp(memory: Memory, at: number, length: number): boolean {
    const plainBytes = length - TAG_BYTES - RTCP_INDEX_BYTES
    if (plainBytes < RTCP_CLEAR_BYTES) return false
    const address = memory.at(at, length)
    const cipher = this.#rtcp
    this.#writeRtcpNonce(memory.bytes, at, (this.rtcpIndexWord(memory, at, length) & ~ENCRYPTED_FLAG) >>> 0)
    cipher.begin(this.#nonceAddress)
    cipher.expectTag(address + plainBytes)
    cipher.associate(address, RTCP_CLEAR_BYTES)
    cipher.associate(address + length - RTCP_INDEX_BYTES, RTCP_INDEX_BYTES)
    cipher.transform(address + RTCP_CLEAR_BYTES, plainBytes - RTCP_CLEAR_BYTES)
    return cipher.finish()
  }

  rtcpIndexWord(memory: Memory, at: number, length: number): number {
    return memory.bytes.readUInt32BE(at + length - RTCP_INDEX_BYTES)
  }

  /** Two zero bytes, SSRC, rollover counter and sequence number, all with the salt (RFC 7714, section 8.1). */
  #writeRtpNonce(packet: Buffer, at: number, rollover: number): void {
    const nonce = this.#nonce.bytes
    const salt = this.#rtpSalt
    nonce[0] = salt[0]!
    nonce[1] = salt[1]!
    nonce[2] = salt[2]! ^ packet[at + 8]!
    nonce[3] = salt[3]! ^ packet[at + 9]!
    nonce[4] = salt[4]! ^ packet[at + 10]!
    nonce[5] = salt[5]! ^ packet[at + 11]!
    nonce[6] = salt[6]! ^ (rollover >>> 24)
    nonce[7] = salt[7]! ^ (rollover >>> 16)
    nonce[8] = salt[8]! ^ (rollover >>> 8)
    nonce[9] = salt[9]! ^ rollover
    nonce[10] = salt[10]! ^ packet[at + 2]!
    nonce[11] = salt[11]! ^ packet[at + 3]!
  }

  /** Two zero bytes, SSRC, two zero bytes and the index, all with the salt (RFC 7714, section 9.1). */
  #writeRtcpNonce(packet: Buffer, at: number, index: number): void {
    const nonce = this.#nonce.bytes
    const salt = this.#rtcpSalt
    salt.copy(nonce)
    for (let i = 0; i < 4; i++) {
      nonce[2 + i]! ^= packet[at + 4 + i]!
      nonce[8 + i]! ^= index >>> (24 - 8 * i)
    }
  }

  close(): void {
    this.#rtp.close()
    this.#rtcp.close()
  }
}
