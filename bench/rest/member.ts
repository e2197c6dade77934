import { compactNtpOf, msToCompactNtp } from '../../server/src/media-worker/transport/rtp/ntp.ts'
import { type RtcpHandler, readRtcp } from '../../server/src/media-worker/transport/rtp/rtcp-reader.ts'
import { writeReport } from '../../server/src/media-worker/transport/rtp/rtcp-writer.ts'
import { isRtcp } from '../../server/src/media-worker/transport/rtp/rtp-packet.ts'
import { packetizeVp8 } from '../../server/src/media-worker/transport/rtp/vp8.ts'
import { CAMERA_FPS } from './camera-clip.ts'
import { AUDIO_PAYLOAD_TYPE, Pipe, type Ssrcs, VIDEO_PAYLOAD_TYPE } from './pipe.ts'
import { RTP_HEADER_BYTES, SentStream } from './sent-stream.ts'

const PAYLOAD_BYTES = 1150
const SOUND_MS = 20
const FRAME_MS = 1000 / CAMERA_FPS
const REPORT_MS = 1000

/** The media that every member sends. */
export interface Recorded {
  /** VP8 frames. Without `frameAt`, only the first one is a keyframe. */
  camera: readonly Buffer[]
  /** Returns the frame for a time in Unix milliseconds. Without it the frames are sent in order. */
  frameAt?: (unixMs: number) => number
  /** One Opus packet of 20 ms. */
  sound: Buffer
}

/**
 * Sends and receives what a member's browser does, but encodes and decodes nothing, so it needs very little processor
 * time. The caller has to call `tick` often.
 */
export class Member {
  readonly pipe: Pipe
  /** Complete frames of the room's picture received so far. */
  framesReceived = 0
  readonly #recorded: Recorded
  readonly #audio: SentStream
  readonly #video: SentStream
  readonly #soundPacket: Buffer
  readonly #framePackets: { bytes: Buffer; start: number; length: number }[] = []
  #nextSoundMs: number
  #nextFrameMs: number
  #nextReportMs: number
  #frame = 0
  #pictureId = 0
  #received = { ssrc: 0, highestSequence: 0, lastSenderReport: 0, senderReportAtMs: 0 }
  readonly #rtcp: RtcpHandler = {
    onSenderReport: (ssrc, ntpMs) => {
      if (ssrc !== this.#received.ssrc) return
      this.#received.lastSenderReport = compactNtpOf(ntpMs)
      this.#received.senderReportAtMs = performance.now()
    },
    onReportBlock: () => {},
    onNack: () => {},
    onKeyframeRequest: (ssrc) => {
      if (ssrc === this.#video.ssrc) this.#frame = 0
    },
    onEstimatedBitrate: () => {},
    onBye: () => {},
  }

  /** @param offsetMs delay of the start, so that members do not all send at once */
  constructor(name: string, ssrcs: Ssrcs, recorded: Recorded, offsetMs: number) {
    this.#recorded = recorded
    this.#audio = new SentStream(ssrcs.audio, AUDIO_PAYLOAD_TYPE, 48_000)
    this.#video = new SentStream(ssrcs.video, VIDEO_PAYLOAD_TYPE, 90_000)
    this.#soundPacket = Buffer.concat([Buffer.alloc(RTP_HEADER_BYTES), recorded.sound])
    this.#nextSoundMs = this.#nextFrameMs = this.#nextReportMs = performance.now() + offsetMs
    this.pipe = new Pipe(name, (packet) => this.#receive(packet))
  }

  /** Sends what is due. A late call skips the frames that it missed, like a camera on a busy machine. */
  tick(nowMs: number): void {
    if (!this.pipe.isOpen) return
    if (nowMs >= this.#nextSoundMs) {
      this.#sendSound(this.#nextSoundMs)
      this.#nextSoundMs = next(this.#nextSoundMs, SOUND_MS, nowMs)
    }
    if (nowMs >= this.#nextFrameMs) {
      this.#sendFrame(this.#nextFrameMs)
      this.#nextFrameMs = next(this.#nextFrameMs, FRAME_MS, nowMs)
    }
    if (nowMs >= this.#nextReportMs) {
      this.#sendReports(nowMs)
      this.#nextReportMs = next(this.#nextReportMs, REPORT_MS, nowMs)
    }
  }

  #sendSound(capturedAtMs: number): void {
    this.#audio.stamp(this.#soundPacket, capturedAtMs, false)
    this.pipe.send(this.#soundPacket)
  }

  #sendFrame(capturedAtMs: number): void {
    const { camera, frameAt } = this.#recorded
    const frame = camera[frameAt ? frameAt(Date.now()) : this.#frame]!
    this.#frame = (this.#frame + 1) % camera.length
    let count = 0
    packetizeVp8(frame, this.#pictureId++, PAYLOAD_BYTES, () => {
      const bytes = () => Buffer.alloc(RTP_HEADER_BYTES + PAYLOAD_BYTES)
      this.#framePackets[count] ??= { bytes: bytes(), start: RTP_HEADER_BYTES, length: 0 }
      return this.#framePackets[count++]!
    })
    for (let i = 0; i < count; i++) {
      const { bytes, start, length } = this.#framePackets[i]!
      const packet = bytes.subarray(0, start + length)
      this.#video.stamp(packet, capturedAtMs, i === count - 1)
      this.pipe.send(packet)
    }
  }

  #sendReports(nowMs: number): void {
    const { ssrc, highestSequence, lastSenderReport, senderReportAtMs } = this.#received
    const block = {
      ssrc,
      fractionLost: 0,
      cumulativeLost: 0,
      extendedHighestSequence: highestSequence,
      jitter: 0,
      lastSenderReport,
      delaySinceLastSenderReport: lastSenderReport === 0 ? 0 : msToCompactNtp(nowMs - senderReportAtMs),
    }
    this.pipe.send(writeReport(this.#audio.ssrc, this.#audio.senderInfo(nowMs), [], 'member'))
    const blocks = ssrc === 0 ? [] : [block]
    this.pipe.send(writeReport(this.#video.ssrc, this.#video.senderInfo(nowMs), blocks, 'member'))
  }

  #receive(packet: Buffer): void {
    if (isRtcp(packet)) {
      readRtcp(packet, this.#rtcp)
      return
    }
    if ((packet[1]! & 0x7f) !== VIDEO_PAYLOAD_TYPE) return
    // The marker bit is set on the last packet of a frame.
    if (packet[1]! & 0x80) this.framesReceived++
    this.#received.ssrc = packet.readUInt32BE(8)
    this.#received.highestSequence = packet.readUInt16BE(2)
  }
}

/** The first time after `nowMs` in the sequence `lastMs`, `lastMs + intervalMs`, … */
function next(lastMs: number, intervalMs: number, nowMs: number): number {
  return lastMs + intervalMs * (Math.floor((nowMs - lastMs) / intervalMs) + 1)
}
