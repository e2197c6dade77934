import { RTP_FIXED_HEADER_BYTES } from '../../media-worker/transport/rtp/rtp-packet.ts'
import { packetizeVp8 } from '../../media-worker/transport/rtp/vp8.ts'
import {
  prepareVideoHeader,
  VIDEO_HEADER_BYTES,
  writeVideoHeader,
} from '../../media-worker/transport/sending/video-header.ts'

export const CAMERA_SSRC = 77
export const MICROPHONE_SSRC = 88
const PAYLOAD_BYTES = 94
const AUDIO_INTERVAL_MS = 20
/** The time that Chromium adds to the round trip before it sends a packet again. */
const REPETITION_MARGIN_MS = 5

/** What the camera of a {@link BrowserModel} sends. */
export interface CameraModel {
  framesPerSecond: number
  packetsPerFrame: number
}

/** A packet on its way to the server. */
export interface BrowserPacket {
  kind: 'video' | 'retransmission' | 'audio' | 'report'
  bytes: Buffer
}

interface SentPacket {
  packet: Buffer
  repeatedAtMs: number
}

/**
 * The sending side of Chromium, as far as packet loss is concerned: RTP of a camera and a microphone, retransmissions
 * (RFC 4588 for the camera, the same packet again for the microphone), and keyframes on request. Each packet is
 * repeated at most once per round trip.
 */
export class BrowserModel {
  readonly #camera: CameraModel
  readonly #send: (packet: BrowserPacket, nowMs: number) => void
  readonly #videoSent = new Map<number, SentPacket>()
  readonly #audioSent = new Map<number, SentPacket>()
  #frames = 0
  #audioPackets = 0
  #videoSequence = 60_000
  #retransmissionSequence = 0
  #keyframeWanted = true
  roundTripMs = 100
  keyframes = 0
  repetitions = 0

  /** @param send sends a packet to the server */
  constructor(camera: CameraModel, send: (packet: BrowserPacket, nowMs: number) => void) {
    this.#camera = camera
    this.#send = send
  }

  /** Captures and sends everything that is due by now. */
  advance(nowMs: number): void {
    while ((this.#frames * 1000) / this.#camera.framesPerSecond <= nowMs) this.#sendFrame(nowMs)
    while (this.#audioPackets * AUDIO_INTERVAL_MS <= nowMs) this.#sendAudio(nowMs)
  }

  /** When the frame with this timestamp was captured. */
  capturedAtMs(rtpTimestamp: number): number {
    return rtpTimestamp / 90
  }

  /** Handles RTCP from the server: generic NACKs (RFC 4585, section 6.2.1) and picture loss indications. */
  onControl(control: Buffer, nowMs: number): void {
    if (control[1] === 206 && (control[0]! & 31) === 1) this.#keyframeWanted = true
    if (control[1] !== 205 || (control[0]! & 31) !== 1) return
    const isVideo = control.readUInt32BE(8) === CAMERA_SSRC
    for (let at = 12; at < control.length; at += 4) {
      const first = control.readUInt16BE(at)
      const more = control.readUInt16BE(at + 2)
      for (let bit = -1; bit < 16; bit++)
        if (bit < 0 || more & (1 << bit)) this.#repeat(isVideo, (first + bit + 1) & 0xffff, nowMs)
    }
  }

  #repeat(isVideo: boolean, sequence: number, nowMs: number): void {
    const sent = (isVideo ? this.#videoSent : this.#audioSent).get(sequence)
    if (!sent || nowMs - sent.repeatedAtMs < this.roundTripMs + REPETITION_MARGIN_MS) return
    sent.repeatedAtMs = nowMs
    this.repetitions++
    if (!isVideo) this.#send({ kind: 'audio', bytes: sent.packet }, nowMs)
    else this.#send({ kind: 'retransmission', bytes: this.#retransmission(sent.packet, sequence) }, nowMs)
  }

  /** RFC 4588, section 4. */
  #retransmission(packet: Buffer, sequence: number): Buffer {
    const repeated = Buffer.alloc(packet.length + 2)
    packet.copy(repeated, 0, 0, VIDEO_HEADER_BYTES)
    repeated.writeUInt16BE(this.#retransmissionSequence++ & 0xffff, 2)
    repeated.writeUInt16BE(sequence, VIDEO_HEADER_BYTES)
    packet.copy(repeated, VIDEO_HEADER_BYTES + 2, VIDEO_HEADER_BYTES)
    return repeated
  }

  #sendFrame(nowMs: number): void {
    const { framesPerSecond, packetsPerFrame } = this.#camera
    const data = Buffer.alloc(packetsPerFrame * (PAYLOAD_BYTES - 4), this.#frames & 0xff)
    // RFC 6386, section 9.1: the lowest bit of a keyframe is 0.
    data[0] = this.#keyframeWanted ? 0 : 1
    if (this.#keyframeWanted) this.keyframes++
    this.#keyframeWanted = false
    const slots: { bytes: Buffer; start: number; length: number }[] = []
    packetizeVp8(data, this.#frames & 0x7fff, PAYLOAD_BYTES, () => {
      const slot = {
        bytes: Buffer.alloc(VIDEO_HEADER_BYTES + PAYLOAD_BYTES),
        start: VIDEO_HEADER_BYTES,
        length: 0,
      }
      slots.push(slot)
      return slot
    })
    const timestamp = Math.round((this.#frames * 90_000) / framesPerSecond)
    this.#frames++
    slots.forEach(({ bytes, length }, part) => {
      prepareVideoHeader(bytes)
      const sequence = this.#videoSequence++ & 0xffff
      writeVideoHeader(bytes, 96, part === slots.length - 1, sequence, timestamp, CAMERA_SSRC, 0, 0)
      const packet = bytes.subarray(0, VIDEO_HEADER_BYTES + length)
      this.#videoSent.set(sequence, { packet, repeatedAtMs: Number.NEGATIVE_INFINITY })
      this.#send({ kind: 'video', bytes: packet }, nowMs)
    })
  }

  #sendAudio(nowMs: number): void {
    const packet = Buffer.alloc(RTP_FIXED_HEADER_BYTES + 60, 7)
    packet[0] = 0x80
    packet[1] = 111
    const sequence = (65_000 + this.#audioPackets) & 0xffff
    packet.writeUInt16BE(sequence, 2)
    packet.writeUInt32BE(this.#audioPackets * 960, 4)
    packet.writeUInt32BE(MICROPHONE_SSRC, 8)
    // One frame of 20 ms in mono (RFC 6716, section 3.1).
    packet[RTP_FIXED_HEADER_BYTES] = 0x78
    this.#audioPackets++
    this.#audioSent.set(sequence, { packet, repeatedAtMs: Number.NEGATIVE_INFINITY })
    this.#send({ kind: 'audio', bytes: packet }, nowMs)
  }
}
