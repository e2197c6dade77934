import fc from 'fast-check'
import { expect } from 'vitest'
import { VideoDecoder } from '../../server/src/media-worker/codecs/video-decoder.ts'
import type { ReceivedVideoFrame, VideoCodec } from '../../server/src/media-worker/media-types.ts'
import { AudioReceiver } from '../../server/src/media-worker/transport/receiving/audio-receiver.ts'
import { SenderClock } from '../../server/src/media-worker/transport/receiving/sender-clock.ts'
import { TransportFeedback } from '../../server/src/media-worker/transport/receiving/transport-feedback.ts'
import { VideoReceiver } from '../../server/src/media-worker/transport/receiving/video-receiver.ts'
import { packetizeH264 } from '../../server/src/media-worker/transport/rtp/h264.ts'
import { readRtcp } from '../../server/src/media-worker/transport/rtp/rtcp-reader.ts'
import {
  writeEstimatedBitrate,
  writeNack,
  writePictureLoss,
  writeReport,
} from '../../server/src/media-worker/transport/rtp/rtcp-writer.ts'
import { isRtcp, RtpPacketView } from '../../server/src/media-worker/transport/rtp/rtp-packet.ts'
import { packetizeVp8 } from '../../server/src/media-worker/transport/rtp/vp8.ts'
import { DownlinkEstimate } from '../../server/src/media-worker/transport/sending/congestion/downlink-estimate.ts'
import { PacketHistory } from '../../server/src/media-worker/transport/sending/packet-history.ts'
import { VideoSender } from '../../server/src/media-worker/transport/sending/video-sender.ts'
import { ColourCamera } from '../../server/src/testing/media/colour-camera.ts'
import { applied, type Change, change, changed, type FuzzPlan, fuzz, type Tally } from './fuzzing.ts'

/** The payload types of one SDP answer. */
const TYPES = { opus: 111, VP8: 96, H264: 102, repeatedVp8: 97, repeatedH264: 103 } as const
const HEADER_BYTES = 24
const MOST_PAYLOAD_BYTES = 300
/** Time limit for a group of packets, in milliseconds. On an idle machine a group takes 10 ms. */
const LONGEST_GROUP_MS = 2000
const GROUP = 50

interface Payload {
  bytes: Buffer
  picture: number
  isLast: boolean
}

/** Payloads of a real camera: a keyframe and some frames after it. */
function payloadsOf(codec: VideoCodec): Payload[] {
  const camera = new ColourCamera(codec, 160, 90, { y: 100, u: 90, v: 200 })
  const payloads: Payload[] = []
  for (let picture = 0; picture < 4; picture++) {
    const { data } = camera.capture(picture * 33)
    const slots: { bytes: Buffer; start: number; length: number }[] = []
    const open = () => {
      const slot = { bytes: Buffer.alloc(MOST_PAYLOAD_BYTES), start: 0, length: 0 }
      slots.push(slot)
      return slot
    }
    if (codec === 'VP8') packetizeVp8(data, picture, MOST_PAYLOAD_BYTES, open)
    else packetizeH264(data, MOST_PAYLOAD_BYTES, open)
    for (const [index, { bytes, length }] of slots.entries()) {
      payloads.push({ bytes: bytes.subarray(0, length), picture, isLast: index === slots.length - 1 })
    }
  }
  camera.close()
  return payloads
}

/** The packets of a real camera in order, in an endless loop. */
class Film {
  readonly #payloads: Readonly<Record<VideoCodec, readonly Payload[]>>
  #next = 0
  #sequence = 0

  constructor(payloads: Readonly<Record<VideoCodec, readonly Payload[]>>) {
    this.#payloads = payloads
  }

  next(codec: VideoCodec): Buffer {
    const payloads = this.#payloads[codec]
    const payload = payloads[this.#next++ % payloads.length]!
    const round = Math.floor(this.#next / payloads.length)
    const header = Buffer.alloc(12)
    header[0] = 0x80
    header[1] = TYPES[codec] | (payload.isLast ? 0x80 : 0)
    header.writeUInt16BE(this.#sequence++ & 0xffff, 2)
    header.writeUInt32BE((round * 4 + payload.picture) * 3000, 4)
    header.writeUInt32BE(77, 8)
    return Buffer.concat([header, payload.bytes])
  }
}

/** An RTP packet with a browser's header extensions, or with unusual ones. */
function rtp(payloads: readonly Buffer[], types: readonly number[]): fc.Arbitrary<Buffer> {
  return fc
    .record({
      payload: changed(payloads),
      type: fc.constantFrom(...types),
      sequence: fc.oneof({ weight: 6, arbitrary: fc.nat(200) }, { weight: 1, arbitrary: fc.nat(0xffff) }),
      timestamp: fc.oneof(
        fc.nat(20).map((n) => n * 3000),
        fc.nat(2 ** 32 - 1),
      ),
      ssrc: fc.oneof(
        { weight: 9, arbitrary: fc.constant(77) },
        { weight: 1, arbitrary: fc.nat(2 ** 32 - 1) },
      ),
      marker: fc.boolean(),
      extension: fc.oneof({ weight: 4, arbitrary: fc.constant(0xbede) }, fc.nat(0xffff)),
      feedback: fc.nat(0xffff),
      flags: fc.oneof({ weight: 9, arbitrary: fc.constant(0x90) }, fc.nat(255)),
    })
    .map(({ payload, type, sequence, timestamp, ssrc, marker, extension, feedback, flags }) => {
      const header = Buffer.alloc(HEADER_BYTES)
      header[0] = flags
      header[1] = type | (marker ? 0x80 : 0)
      header.writeUInt16BE(sequence, 2)
      header.writeUInt32BE(timestamp, 4)
      header.writeUInt32BE(ssrc, 8)
      header.writeUInt16BE(extension, 12)
      header.writeUInt16BE(2, 14)
      header.set([0x31, feedback >> 8, feedback & 0xff, 0x10, 30], 16)
      return Buffer.concat([header, payload])
    })
}

/** The sending side of one browser's transport, with the browser's reports. */
class Sending {
  readonly history = new PacketHistory()
  keyframes = 0
  sent = 0
  readonly estimate = new DownlinkEstimate()
  readonly sender = new VideoSender({
    send: () => {
      this.sent++
      return true
    },
  })

  constructor() {
    this.sender.stream.payloadType = TYPES.H264
    this.sender.retransmissionPayloadType = TYPES.repeatedH264
    this.sender.numbering = { extensionId: 4, sent: this.estimate.sent }
    const { history } = this
    this.sender.attach({
      get end() {
        return history.end
      },
      recentKeyframe: null,
      find: (sequence) => history.find(sequence),
      onKeyframeNeeded: () => {
        this.keyframes++
      },
    })
    this.sender.setConnected(true)
    for (let i = 0; i < 200; i++) {
      const slot = this.history.open()
      slot.length = 100
      slot.beginsKeyframe = i === 0
      slot.packet = slot.bytes.subarray(0, 120)
    }
    while (this.sender.sendChunk(0));
  }
}

/** The receiving side of one browser's transport. */
class Receiving {
  readonly sending = new Sending()
  readonly #clock = new SenderClock()
  readonly #decoders = { VP8: new VideoDecoder('VP8'), H264: new VideoDecoder('H264') }
  readonly #feedback = new TransportFeedback()
  readonly #view = new RtpPacketView()
  readonly #videoReceiver: VideoReceiver
  readonly #audioReceiver: AudioReceiver
  #controlBytes = 0
  readonly film: Film
  readonly #tally: Tally
  nowMs = 1000

  constructor(film: Film, tally: Tally) {
    this.film = film
    this.#tally = tally
    const sendControl = (packet: Buffer) => {
      this.#controlBytes += packet.length
    }
    this.#videoReceiver = new VideoReceiver(1, this.#clock, {
      onFrame: (frame) => this.#decode(frame),
      sendControl,
    })
    this.#audioReceiver = new AudioReceiver(2, this.#clock, { sendControl })
  }

  get controlBytes(): number {
    return this.#controlBytes
  }

  #decode(frame: ReceivedVideoFrame): void {
    const picture = this.#decoders[frame.codec].decode(frame.data)
    this.#tally.note(picture ? 'decoded' : 'not decoded')
    picture?.release()
  }

  take(bytes: Buffer): string {
    if (bytes.length < 2) return 'too short'
    if (isRtcp(bytes)) {
      this.#control(bytes)
      return 'RTCP'
    }
    const packet = this.#view
    if (!packet.read(bytes)) return 'no RTP'
    const at = packet.extension(3)
    if (at >= 0 && packet.extensionLength >= 2) this.#feedback.onPacket(bytes.readUInt16BE(at), this.nowMs)
    switch (packet.payloadType) {
      case TYPES.opus:
        this.#audioReceiver.onPacket(packet, null, this.nowMs)
        return 'sound'
      case TYPES.VP8:
      case TYPES.H264:
        this.#videoReceiver.onPacket(packet, packet.payloadType === TYPES.VP8 ? 'VP8' : 'H264', this.nowMs)
        return 'picture'
      case TYPES.repeatedVp8:
      case TYPES.repeatedH264:
        this.#videoReceiver.onRetransmission(
          packet,
          packet.payloadType === TYPES.repeatedVp8 ? 'VP8' : 'H264',
          this.nowMs,
        )
        return 'repetition'
      default:
        return 'no route'
    }
  }

  #control(bytes: Buffer): void {
    const { sender } = this.sending
    readRtcp(bytes, {
      onSenderReport: (ssrc, ntpMs, compact, timestamp) => {
        this.#videoReceiver.streams.current?.onSenderReport(compact, this.nowMs)
        if (this.#videoReceiver.streams.current?.ssrc === ssrc)
          this.#clock.onSenderReport(ssrc, ntpMs, timestamp, this.nowMs)
      },
      onReportBlock: (block) => sender.stream.onReportBlock(block, this.nowMs),
      onNack: (_, sequence) => sender.onNack(sequence, this.nowMs),
      onKeyframeRequest: () => sender.onKeyframeRequest(this.nowMs),
      onEstimatedBitrate: (bitrateBps) => expect(Number.isFinite(bitrateBps)).toBe(true),
      onBye: () => {},
      onArrivals: (report) => this.sending.estimate.onReport(report, this.nowMs),
    })
  }

  tick(ms: number): void {
    this.nowMs += ms
    this.#videoReceiver.tick(this.nowMs, 50)
    this.#audioReceiver.tick(this.nowMs, 50)
    this.#audioReceiver.pull(this.nowMs)
    for (let reports = 0; this.#feedback.take(1, 2); reports++) expect(reports).toBeLessThan(10)
    for (const { streams } of [this.#videoReceiver, this.#audioReceiver]) {
      if (streams.current) writeReport(1, null, [streams.current.reportBlock(this.nowMs)], 'x')
    }
  }

  close(): void {
    for (const decoder of Object.values(this.#decoders)) decoder.close()
  }
}

const block = {
  ssrc: 1,
  fractionLost: 9,
  cumulativeLost: 9,
  extendedHighestSequence: 9,
  jitter: 9,
  lastSenderReport: 9,
  delaySinceLastSenderReport: 9,
}
const sender = { ntpMs: 4e12, rtpTimestamp: 1, packetCount: 1, octetCount: 1 }
const reports = [
  writeReport(77, sender, [block, block], 'browser'),
  writeReport(77, null, [block], 'browser'),
  writeNack(77, 1, [1, 2, 3, 40, 41, 100, 150]),
  writeNack(
    77,
    1,
    Array.from({ length: 2000 }, (_, i) => i * 3),
  ),
  writePictureLoss(77, 1),
  writeEstimatedBitrate(77, 500_000, [1, 2]),
  Buffer.concat(new Array<Buffer>(60).fill(writePictureLoss(77, 1))),
]

/** Sends packets to the code behind SRTP that handles one browser. No packet may cause an error or take long. */
export async function fuzzPackets(plan: FuzzPlan): Promise<void> {
  const silence = Buffer.from([0xf8, 0xff, 0xfe])
  const real = { VP8: payloadsOf('VP8'), H264: payloadsOf('H264') }
  const [vp8, h264] = [real.VP8, real.H264].map((payloads) => payloads.map(({ bytes }) => bytes)) as [
    Buffer[],
    Buffer[],
  ]
  const repeated = (payloads: Buffer[]) =>
    payloads.map((payload) => Buffer.concat([Buffer.from([0, 9]), payload]))
  const packet = fc.oneof(
    { weight: 5, arbitrary: rtp(vp8, [TYPES.VP8]) },
    { weight: 3, arbitrary: rtp(h264, [TYPES.H264]) },
    { weight: 2, arbitrary: rtp(repeated([...vp8, ...h264]), [TYPES.repeatedVp8, TYPES.repeatedH264]) },
    { weight: 2, arbitrary: rtp([silence, Buffer.concat([silence, silence])], [TYPES.opus]) },
    { weight: 1, arbitrary: rtp([...vp8, ...h264, silence], Object.values(TYPES)) },
    { weight: 3, arbitrary: changed(reports) },
  )
  const codec = fc.oneof({ weight: 30, arbitrary: fc.constant('VP8' as const) }, fc.constant('H264' as const))
  const changes = fc.oneof(
    { weight: 4, arbitrary: fc.constant<Change[]>([]) },
    { weight: 1, arbitrary: fc.array(change, { maxLength: 2 }) },
  )
  const steps = fc.record({
    packet: fc.oneof(
      { weight: 6, arbitrary: fc.record({ codec, changes }) },
      { weight: 4, arbitrary: packet },
    ),
    waitMs: fc.constantFrom(0, 0, 0, 1, 5, 20, 400),
  })
  const begin = () => new Receiving(new Film(real), plan.tally)
  let receiving = begin()
  let groups = 0
  await fuzz(plan, steps, GROUP, (group) => {
    // One browser after another. Each lasts long enough to reach every state.
    if (++groups % 100 === 0) {
      receiving.close()
      receiving = begin()
    }
    const { sent: sentBefore, keyframes: keyframesBefore } = receiving.sending
    const [controlBefore, atBeforeMs] = [receiving.controlBytes, receiving.nowMs]
    const startedAt = performance.now()
    for (const { packet: next, waitMs } of group) {
      const bytes = Buffer.isBuffer(next)
        ? next
        : next.changes.reduce(applied, receiving.film.next(next.codec))
      plan.tally.note(receiving.take(bytes))
      if (waitMs > 0) receiving.tick(waitMs)
    }
    const tookMs = performance.now() - startedAt
    plan.tally.slowestMs = Math.max(plan.tally.slowestMs, tookMs / group.length)
    expect(tookMs).toBeLessThan(LONGEST_GROUP_MS)
    // Time, not the input, limits how much the server sends and encodes.
    const seconds = (receiving.nowMs - atBeforeMs) / 1000
    expect(receiving.sending.sent - sentBefore).toBeLessThanOrEqual(501 + 1000 * seconds)
    expect(receiving.sending.keyframes - keyframesBefore).toBeLessThanOrEqual(5 + seconds)
    expect(receiving.controlBytes - controlBefore).toBeLessThan(GROUP * 2 * 600)
  })
  receiving.close()
}
