import { writeReport } from '../../server/src/media-worker/transport/rtp/rtcp-writer.ts'
import { packetizeVp8 } from '../../server/src/media-worker/transport/rtp/vp8.ts'
import type { Sound } from '../media/opus-packets.ts'
import { Downlink } from './downlink.ts'
import { Pipe } from './pipe.ts'
import { AUDIO_PAYLOAD_TYPE, type Ssrcs, VP8_PAYLOAD_TYPE } from './sdp.ts'
import { AUDIO_LEVELS, RTP_HEADER_BYTES, SentStream, TransportSequence } from './sent-stream.ts'

const PAYLOAD_BYTES = 1150
const SOUND_MS = 20
const FEEDBACK_MS = 50
const REPORT_MS = 1000

/** VP8 frames, and how often they are sent. */
export interface RecordedCamera {
  frames: readonly Buffer[]
  fps: number
  /** Returns the frame for a time in Unix milliseconds. Without it the frames are sent in order. */
  frameAt?: (unixMs: number) => number
}

/** What a member sends. */
export interface Recorded {
  /** Null without a camera. */
  camera: RecordedCamera | null
  /** One Opus packet of 20 ms; null without a microphone. */
  sound: { kind: Sound; packet: Buffer } | null
}

/**
 * Sends and receives what a member's browser does, but encodes and decodes nothing, so it needs very little processor
 * time. The caller has to call `tick` often.
 */
export class Member {
  readonly #pipe: Pipe
  readonly downlink: Downlink
  readonly #recorded: Recorded
  #camera: RecordedCamera | null
  readonly #audio: SentStream
  readonly #video: SentStream
  readonly #soundPacket: Buffer
  #frameMs = 0
  readonly #framePackets: { bytes: Buffer; start: number; length: number }[] = []
  readonly #send = (packet: Buffer): void => this.#pipe.send(packet)
  #nextSoundMs: number
  #nextFrameMs: number
  #nextFeedbackMs: number
  #nextReportMs: number
  #frame = 0
  #pictureId = 0

  /** @param offsetMs delay of the start, so that members do not all send at once */
  constructor(name: string, ssrcs: Ssrcs, recorded: Recorded, offsetMs: number) {
    const { camera, sound } = recorded
    this.#recorded = recorded
    this.#camera = camera
    const transport = new TransportSequence()
    const level = AUDIO_LEVELS[sound?.kind ?? 'silence']
    this.#audio = new SentStream(ssrcs.audio, AUDIO_PAYLOAD_TYPE, 48_000, transport, level)
    this.#video = new SentStream(ssrcs.video, VP8_PAYLOAD_TYPE, 90_000, transport)
    this.#soundPacket = Buffer.concat([Buffer.alloc(RTP_HEADER_BYTES), sound?.packet ?? Buffer.alloc(0)])
    if (camera) this.#frameMs = 1000 / camera.fps
    const startMs = performance.now() + offsetMs
    this.#nextSoundMs = this.#nextFrameMs = this.#nextFeedbackMs = this.#nextReportMs = startMs
    this.downlink = new Downlink(ssrcs.video, () => {
      // Only the first frame of a recorded camera is a keyframe.
      this.#frame = 0
    })
    this.#pipe = new Pipe(name, (packet) => this.downlink.onPacket(packet))
  }

  /** @returns its offer */
  offer(): Promise<string> {
    return this.#pipe.offer({ audio: this.#audio.ssrc, video: this.#video.ssrc })
  }

  /** @param answer of the server */
  accept(answer: string): void {
    this.downlink.negotiated(answer)
    this.#pipe.accept(answer)
  }

  /** The camera goes on with these pictures. */
  setCamera(camera: RecordedCamera): void {
    if (camera === this.#camera) return
    this.#camera = camera
    this.#frameMs = 1000 / camera.fps
    this.#frame = 0
  }

  close(): void {
    this.#pipe.close()
  }

  /** Sends what is due. A late call skips the frames that it missed, like a camera on a busy machine. */
  tick(nowMs: number): void {
    if (!this.#pipe.isOpen) return
    if (this.#recorded.sound && nowMs >= this.#nextSoundMs) {
      this.#sendSound(this.#nextSoundMs)
      this.#nextSoundMs = next(this.#nextSoundMs, SOUND_MS, nowMs)
    }
    if (this.#camera && nowMs >= this.#nextFrameMs) {
      this.#sendFrame(this.#nextFrameMs, this.#camera)
      this.#nextFrameMs = next(this.#nextFrameMs, this.#frameMs, nowMs)
    }
    if (nowMs >= this.#nextFeedbackMs) {
      this.downlink.sendFeedback(this.#send)
      this.#nextFeedbackMs = next(this.#nextFeedbackMs, FEEDBACK_MS, nowMs)
    }
    if (nowMs >= this.#nextReportMs) {
      this.#sendReports(nowMs)
      this.#nextReportMs = next(this.#nextReportMs, REPORT_MS, nowMs)
    }
  }

  #sendSound(capturedAtMs: number): void {
    this.#audio.stamp(this.#soundPacket, capturedAtMs, false)
    this.#pipe.send(this.#soundPacket)
  }

  #sendFrame(capturedAtMs: number, { frames, frameAt }: RecordedCamera): void {
    const frame = frames[frameAt ? frameAt(Date.now()) : this.#frame]!
    this.#frame = (this.#frame + 1) % frames.length
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
      this.#pipe.send(packet)
    }
  }

  #sendReports(nowMs: number): void {
    const { camera, sound } = this.#recorded
    const blocks = this.downlink.blocks(nowMs)
    if (sound) this.#pipe.send(writeReport(this.#audio.ssrc, this.#audio.senderInfo(nowMs), blocks, 'member'))
    if (camera)
      this.#pipe.send(
        writeReport(this.#video.ssrc, this.#video.senderInfo(nowMs), sound ? [] : blocks, 'member'),
      )
    if (!sound && !camera) this.#pipe.send(writeReport(this.#video.ssrc, null, blocks, 'member'))
    this.downlink.sendEstimate(this.#send)
  }
}

/** The first time after `nowMs` in the sequence `lastMs`, `lastMs + intervalMs`, … */
function next(lastMs: number, intervalMs: number, nowMs: number): number {
  return lastMs + intervalMs * (Math.floor((nowMs - lastMs) / intervalMs) + 1)
}
