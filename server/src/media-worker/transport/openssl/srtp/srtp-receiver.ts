import { RTP_FIXED_HEADER_BYTES } from '../../rtp/rtp-packet.ts'
import type { Memory } from '../memory.ts'
import { packetIndex, rolloverCounterOf } from './packet-index.ts'
import { ReplayWindow } from './replay-window.ts'
import { rtpHeaderBytes } from './rtp-header.ts'
import { ENCRYPTED_FLAG, RTCP_CLEAR_BYTES, type Transform } from './transform.ts'

/**
 * Streams that one browser may send, of each kind. A stream is never forgotten, for its packets could be replayed then. Only
 * authentic packets make one.
 */
const MOST_STREAMS = 256

/** Checks and decrypts what arrives over one connection. The bytes may come from anybody. */
export class SrtpReceiver {
  readonly #transform: Transform
  readonly #rtp = new Map<number, ReplayWindow>()
  readonly #rtcp = new Map<number, ReplayWindow>()

  /** @param transform is closed with this */
  constructor(transform: Transform) {
    this.#transform = transform
  }

  /**
   * Decrypts an RTP packet in place.
   * @returns its new length, or -1 where it is malformed, forged, or came before
   */
  unprotect(memory: Memory, at: number, length: number): number {
    const { bytes } = memory
    const plainBytes = length - this.#transform.rtpOverhead
    if (plainBytes < RTP_FIXED_HEADER_BYTES) return -1
    const headerBytes = rtpHeaderBytes(bytes, at, plainBytes)
    if (headerBytes < 0) return -1
    const ssrc = bytes.readUInt32BE(at + 8)
    const window = this.#rtp.get(ssrc)
    if (!window && this.#rtp.size >= MOST_STREAMS) return -1
    const index = packetIndex(bytes.readUInt16BE(at + 2), window?.highest ?? -1)
    if (index < 0 || window?.isNew(index) === false) return -1
    if (!this.#transform.openRtp(memory, at, headerBytes, length, rolloverCounterOf(index))) return -1
    accept(this.#rtp, ssrc, window, index)
    return plainBytes
  }

  /**
   * Decrypts an RTCP packet in place.
   * @returns its new length, or -1 where it is malformed, not encrypted, forged, or came before
   */
  unprotectRtcp(memory: Memory, at: number, length: number): number {
    const { bytes } = memory
    const plainBytes = length - this.#transform.rtcpOverhead
    if (plainBytes < RTCP_CLEAR_BYTES || bytes[at]! >> 6 !== 2) return -1
    const word = this.#transform.rtcpIndexWord(memory, at, length)
    if (word < ENCRYPTED_FLAG) return -1
    const index = word - ENCRYPTED_FLAG
    const ssrc = bytes.readUInt32BE(at + 4)
    const window = this.#rtcp.get(ssrc)
    if (!window && this.#rtcp.size >= MOST_STREAMS) return -1
    if (window?.isNew(index) === false) return -1
    if (!this.#transform.openRtcp(memory, at, length)) return -1
    accept(this.#rtcp, ssrc, window, index)
    return plainBytes
  }

  /** Idempotent. */
  close(): void {
    this.#transform.close()
  }
}

function accept(
  windows: Map<number, ReplayWindow>,
  ssrc: number,
  known: ReplayWindow | undefined,
  index: number,
): void {
  const window = known ?? new ReplayWindow()
  if (!known) windows.set(ssrc, window)
  window.accept(index)
}
