import { LOOKS_PER_SECOND } from '../../media-worker/transport/leg-clock.ts'
import { TransportFeedback } from '../../media-worker/transport/receiving/transport-feedback.ts'
import { readArrivalReport } from '../../media-worker/transport/rtp/arrival-report.ts'
import { DownlinkControl } from '../../media-worker/transport/sending/congestion/downlink-control.ts'
import { DownlinkEstimate } from '../../media-worker/transport/sending/congestion/downlink-estimate.ts'
import type { Rendition } from '../../media-worker/transport/sending/congestion/rendition-choice.ts'
import { PacketHistory } from '../../media-worker/transport/sending/packet-history.ts'
import { prepareVideoHeader, VIDEO_HEADER_BYTES } from '../../media-worker/transport/sending/video-header.ts'
import { VideoSender } from '../../media-worker/transport/sending/video-sender.ts'
import type { VideoSource } from '../../media-worker/transport/sending/video-source.ts'
import { LinkModel, type LinkModelQuality, seededRandom } from './link-model.ts'

const STEP_MS = 5
const TICK_MS = 10
const PICTURE_MS = 50
const SOUND_MS = 20
const SOUND_BYTES = 120
const PAYLOAD_BYTES = 1150
const REPORT_MS = 100
const LOOK_MS = 1000 / LOOKS_PER_SECOND
/** The clock of the model of a browser is another one. */
const OTHER_CLOCK_MS = 1_000_000
const RATES = { full: 1_500_000, small: 350_000 }
const KEYFRAME = 6

/** From a moment on, the link is like this. */
export interface LinkPhase {
  fromS: number
  quality: LinkModelQuality
  /** What others send over the same link. */
  otherBps?: number
}

/** What a viewer behind such a link got. */
export interface BottleneckOutcome {
  /** Each change, in seconds since the start. */
  changes: { atS: number; to: Rendition }[]
  /** Each second: the estimate in kbit/s, and the longest time that a packet of sound took, less the usual one. */
  seconds: { estimateKbps: number; soundLateMs: number; soundLost: number }[]
}

interface ModelPacket {
  number: number
  sentAtMs: number
  isSound: boolean
}

/** One encode of the room's picture. */
class EncodeModel implements VideoSource {
  readonly recentKeyframe = null
  readonly #history = new PacketHistory()
  readonly #rateBps: number
  readonly #random: () => number
  #keyframeNeeded = true

  constructor(rateBps: number, random: () => number) {
    this.#rateBps = rateBps
    this.#random = random
  }

  get end(): number {
    return this.#history.end
  }

  find(sequence: number) {
    return this.#history.find(sequence)
  }

  onKeyframeNeeded(): void {
    this.#keyframeNeeded = true
  }

  encode(nowMs: number): void {
    const keyframe = this.#keyframeNeeded
    this.#keyframeNeeded = false
    const usual = (this.#rateBps * PICTURE_MS) / 8000
    const bytes = usual * (keyframe ? KEYFRAME : 0.7 + 0.6 * this.#random())
    const packets = Math.ceil(bytes / PAYLOAD_BYTES)
    for (let i = 0; i < packets; i++) {
      const slot = this.#history.open()
      slot.length = Math.round(bytes / packets)
      slot.timestamp = nowMs * 90
      slot.marker = i === packets - 1
      slot.beginsKeyframe = keyframe && i === 0
      slot.capturedAtMs = slot.queuedAtMs = nowMs
      slot.packet = slot.bytes.subarray(0, VIDEO_HEADER_BYTES + slot.length)
      prepareVideoHeader(slot.bytes)
    }
  }
}

/** Sends sound and the picture of a room over a bottleneck with the real sending side, on a manual clock. */
export function simulateBottleneck(options: {
  phases: LinkPhase[]
  seconds: number
  seed: number
}): BottleneckOutcome {
  const random = seededRandom(options.seed)
  const down = new LinkModel<ModelPacket | null>(options.phases[0]!.quality, random)
  const up = new LinkModel<Buffer>({ loss: 0, delayMs: 20, jitterMs: 0 }, random)
  const browser = new TransportFeedback()
  const estimate = new DownlinkEstimate()
  const outcome: BottleneckOutcome = { changes: [], seconds: [] }
  const encodes = { full: new EncodeModel(RATES.full, random), small: new EncodeModel(RATES.small, random) }
  let nowMs = 0
  let sentBytes = 0
  let second = { soundLateMs: 0, soundSent: 0, soundHere: 0 }

  const send = (bytes: number, isSound: boolean) => {
    down.send({ number: estimate.sent.next, sentAtMs: nowMs, isSound }, nowMs, bytes)
    sentBytes += bytes
    return true
  }
  const sender = new VideoSender({ send: (packet) => send(packet.length, false) })
  const control = new DownlinkControl(sender, (rendition) => {
    outcome.changes.push({ atS: nowMs / 1000, to: rendition })
    sender.switchTo(encodes[rendition])
  })
  control.fullBps = RATES.full
  sender.numbering = { extensionId: 3, sent: estimate.sent }
  sender.retransmissionPayloadType = 103
  sender.setConnected(true)
  sender.attach(encodes.full)

  for (; nowMs < options.seconds * 1000; nowMs += STEP_MS) {
    const phase = options.phases.findLast(({ fromS }) => fromS * 1000 <= nowMs)!
    down.quality = phase.quality
    if (phase.otherBps) down.send(null, nowMs, (phase.otherBps * STEP_MS) / 8000)
    if (nowMs % SOUND_MS === 0) {
      send(SOUND_BYTES, true)
      estimate.sent.onSent(SOUND_BYTES, nowMs)
      second.soundSent++
    }
    if (nowMs % PICTURE_MS === 0) {
      for (const encode of Object.values(encodes)) encode.encode(nowMs)
      while (sender.sendChunk(nowMs));
    }
    if (nowMs % TICK_MS === 0) sender.tick(nowMs)
    down.deliver(nowMs, (packet) => {
      if (packet === null) return
      browser.onPacket(packet.number & 0xffff, nowMs + OTHER_CLOCK_MS)
      if (!packet.isSound) return
      second.soundHere++
      const lateMs = nowMs - packet.sentAtMs - down.quality.delayMs
      second.soundLateMs = Math.max(second.soundLateMs, lateMs)
    })
    if (nowMs % REPORT_MS === 0) {
      let report = browser.take(1, 2)
      for (; report; report = browser.take(1, 2)) up.send(report, nowMs)
    }
    up.deliver(nowMs, (bytes) => {
      const report = readArrivalReport(bytes, 0, bytes.length)
      if (!report) throw new Error('the report is malformed')
      estimate.onReport(report, nowMs)
      control.pace(estimate.bps)
    })
    if (nowMs % LOOK_MS === 0)
      control.tick(nowMs, estimate.bps, estimate.measured ? estimate : null, sentBytes)
    if ((nowMs + STEP_MS) % 1000 !== 0) continue
    outcome.seconds.push({
      estimateKbps: Math.round(estimate.bps / 1000),
      soundLateMs: Math.round(second.soundLateMs),
      soundLost: Math.max(0, second.soundSent - second.soundHere),
    })
    second = { soundLateMs: 0, soundSent: 0, soundHere: 0 }
  }
  return outcome
}
