import { Memory } from '../memory.ts'
import { Cipher } from './cipher.ts'
import { Hmac } from './hmac.ts'
import type { DirectionKeys, SessionKeys } from './session-keys.ts'
import { ENCRYPTED_FLAG, RTCP_CLEAR_BYTES, RTCP_INDEX_BYTES, type Transform } from './transform.ts'

/** 80 bits of the HMAC. */
const TAG_BYTES = 10
const COUNTER_BYTES = 16
const SALT_BYTES = 14
/** Authenticated behind an RTP packet, and never sent. */
const ROLLOVER_BYTES = 4

/** AES_128_CM_HMAC_SHA1_80 (RFC 3711). */
export class CounterModeTransform implements Transform {
  readonly rtpOverhead = TAG_BYTES
  readonly rtcpOverhead = RTCP_INDEX_BYTES + TAG_BYTES
  readonly #rtp: CounterMode
  readonly #rtcp: CounterMode

  constructor(direction: 'encrypt' | 'decrypt', { rtp, rtcp }: DirectionKeys) {
    this.#rtp = new CounterMode(direction, rtp)
    this.#rtcp = new CounterMode(direction, rtcp)
  }

  sealRtp(memory: Memory, at: number, headerBytes: number, length: number, rollover: number): void {
    const { bytes } = memory
    this.#rtp.writeRtpCounter(bytes, at, rollover)
    this.#rtp.transform(memory, at + headerBytes, length - headerBytes)
    bytes.writeUInt32BE(rollover, at + length)
    this.#rtp.authenticate(memory, at, length + ROLLOVER_BYTES)
    this.#rtp.writeTag(bytes, at + length)
  }

  openRtp(memory: Memory, at: number, headerBytes: number, length: number, rollover: number): boolean {
    const plainBytes = length - TAG_BYTES
    if (plainBytes < headerBytes) return false
    const { bytes } = memory
    this.#rtp.keepTag(bytes, at + plainBytes)
    bytes.writeUInt32BE(rollover, at + plainBytes)
    this.#rtp.authenticate(memory, at, plainBytes + ROLLOVER_BYTES)
    if (!this.#rtp.isKeptTagRight()) return false
    this.#rtp.writeRtpCounter(bytes, at, rollover)
    this.#rtp.transform(memory, at + headerBytes, plainBytes - headerBytes)
    return true
  }

  /** The index comes before the tag (RFC 3711, section 3.4). */
  sealRtcp(memory: Memory, at: number, length: number, index: number): void {
    const { bytes } = memory
    this.#rtcp.writeRtcpCounter(bytes, at, index)
    this.#rtcp.transform(memory, at + RTCP_CLEAR_BYTES, length - RTCP_CLEAR_BYTES)
    bytes.writeUInt32BE((ENCRYPTED_FLAG | index) >>> 0, at + length)
    this.#rtcp.authenticate(memory, at, length + RTCP_INDEX_BYTES)
    this.#rtcp.writeTag(bytes, at + length + RTCP_INDEX_BYTES)
  }

  openRtcp(memory: Memory, at: number, length: number): boolean {
    const plainBytes = length - TAG_BYTES - RTCP_INDEX_BYTES
    if (plainBytes < RTCP_CLEAR_BYTES) return false
    const { bytes } = memory
    this.#rtcp.keepTag(bytes, at + length - TAG_BYTES)
    this.#rtcp.authenticate(memory, at, length - TAG_BYTES)
    if (!this.#rtcp.isKeptTagRight()) return false
    const index = (this.rtcpIndexWord(memory, at, length) & ~ENCRYPTED_FLAG) >>> 0
    this.#rtcp.writeRtcpCounter(bytes, at, index)
    this.#rtcp.transform(memory, at + RTCP_CLEAR_BYTES, plainBytes - RTCP_CLEAR_BYTES)
    return true
  }

  rtcpIndexWord(memory: Memory, at: number, length: number): number {
    return memory.bytes.readUInt32BE(at + length - TAG_BYTES - RTCP_INDEX_BYTES)
  }

  close(): void {
    this.#rtp.close()
    this.#rtcp.close()
  }
}

/** Cipher and HMAC for one kind of packets. */
class CounterMode {
  readonly #cipher: Cipher
  readonly #hmac: Hmac
  readonly #salt: Buffer
  readonly #counter = new Memory(COUNTER_BYTES)
  readonly #keptTag = Buffer.alloc(TAG_BYTES)

  constructor(direction: 'encrypt' | 'decrypt', { key, salt, authentication }: SessionKeys) {
    if (salt.length !== SALT_BYTES) throw new RangeError('the salt of AES_128_CM has 14 bytes')
    this.#salt = salt
    this.#cipher = new Cipher('EVP_aes_128_ctr', direction, key)
    this.#hmac = new Hmac(authentication)
  }

  /** SSRC and index with the salt, and a block counter of 0 (RFC 3711, section 4.1.1). */
  writeRtpCounter(packet: Buffer, at: number, rollover: number): void {
    const counter = this.#counter.bytes
    this.#beginCounter(packet, at + 8)
    for (let i = 0; i < 4; i++) counter[8 + i]! ^= rollover >>> (24 - 8 * i)
    counter[12]! ^= packet[at + 2]!
    counter[13]! ^= packet[at + 3]!
  }

  /** The same for RTCP, which has its SSRC elsewhere and an index of 31 bits. */
  writeRtcpCounter(packet: Buffer, at: number, index: number): void {
    const counter = this.#counter.bytes
    this.#beginCounter(packet, at + 4)
    for (let i = 0; i < 4; i++) counter[10 + i]! ^= index >>> (24 - 8 * i)
  }

  #beginCounter(packet: Buffer, ssrcAt: number): void {
    const counter = this.#counter.bytes
    this.#salt.copy(counter)
    counter[14] = 0
    counter[15] = 0
    for (let i = 0; i < 4; i++) counter[4 + i]! ^= packet[ssrcAt + i]!
  }

  transform(memory: Memory, at: number, length: number): void {
    const address = memory.at(at, length)
    this.#cipher.begin(this.#counter.at(0, COUNTER_BYTES))
    this.#cipher.transform(address, length)
  }

  authenticate(memory: Memory, at: number, length: number): void {
    this.#hmac.compute(memory.at(at, length), length)
  }

  writeTag(packet: Buffer, at: number): void {
    this.#hmac.digest.bytes.copy(packet, at, 0, TAG_BYTES)
  }

  keepTag(packet: Buffer, at: number): void {
    packet.copy(this.#keptTag, 0, at, at + TAG_BYTES)
  }

  /** Takes the same time wherever the tags differ. */
  isKeptTagRight(): boolean {
    const { bytes } = this.#hmac.digest
    let difference = 0
    for (let i = 0; i < TAG_BYTES; i++) difference |= bytes[i]! ^ this.#keptTag[i]!
    return difference === 0
  }

  close(): void {
    this.#cipher.close()
    this.#hmac.close()
  }
}
