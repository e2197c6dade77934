import { TransportFeedback } from '../../media-worker/transport/receiving/transport-feedback.ts'
import { readArrivalReport } from '../../media-worker/transport/rtp/arrival-report.ts'
import { DownlinkEstimate } from '../../media-worker/transport/sending/congestion/downlink-estimate.ts'
import {
  type Rendition,
  RenditionChoice,
} from '../../media-worker/transport/sending/congestion/rendition-choice.ts'
import { LinkModel, type LinkModelQuality, seededRandom } from './link-model.ts'

const STEP_MS = 5
const PICTURE_MS = 50
const SOUND_MS = 20
const SOUND_BYTES = 120
const PACKET_BYTES = 1200
const REPORT_MS = 100
const LOOK_MS = 100
/** The clock of the model of a browser is another one. */
const OTHER_CLOCK_MS = 1_000_000
const RATES = { full: 1_500_000, small: 400_000 }
const KEYFRAME = 6
/** Pictures leave at no more than this many times the estimate. */
const PACE = 2.5

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

/** Sends sound and a picture that follows the estimate over a bottleneck, with the real estimator, on a manual clock. */
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
  const choice = new RenditionChoice()
  const outcome: BottleneckOutcome = { changes: [], seconds: [] }
  const queue: number[] = []
  const sentBytes: { atMs: number; bytes: number }[] = []
  let nowMs = 0
  let showing: Rendition = 'full'
  let keyframe = true
  let paceBytes = 0
  let paddingBytes = 0
  let second = { soundLateMs: 0, soundSent: 0, soundHere: 0 }

  const send = (bytes: number, isSound: boolean) => {
    down.send({ number: estimate.sent.next, sentAtMs: nowMs, isSound }, nowMs, bytes)
    estimate.sent.onSent(bytes, nowMs)
    sentBytes.push({ atMs: nowMs, bytes })
    paddingBytes = Math.max(-6 * PACKET_BYTES, paddingBytes - bytes)
  }
  for (; nowMs < options.seconds * 1000; nowMs += STEP_MS) {
    const phase = options.phases.findLast(({ fromS }) => fromS * 1000 <= nowMs)!
    down.quality = phase.quality
    if (phase.otherBps) down.send(null, nowMs, (phase.otherBps * STEP_MS) / 8000)
    if (nowMs % SOUND_MS === 0) {
      send(SOUND_BYTES, true)
      second.soundSent++
    }
    if (nowMs % PICTURE_MS === 0) {
      const usual = (RATES[showing] * PICTURE_MS) / 8000
      let bytes = usual * (keyframe ? KEYFRAME : 0.7 + 0.6 * random())
      keyframe = false
      for (; bytes > 0; bytes -= PACKET_BYTES) queue.push(Math.min(PACKET_BYTES, Math.max(100, bytes)))
    }
    paceBytes = Math.min(12_000, paceBytes + (PACE * estimate.bps * STEP_MS) / 8000)
    while (queue.length > 0 && paceBytes > 0) {
      paceBytes -= queue[0]!
      send(queue.shift()!, false)
    }
    while (sentBytes.length > 0 && sentBytes[0]!.atMs < nowMs - 1000) sentBytes.shift()
    const sentBps = sentBytes.reduce((sum, { bytes }) => sum + bytes * 8, 0)
    // All that is sent counts towards the rate that padding fills up.
    paddingBytes =
      choice.paddedBps > 0
        ? Math.min(2 * PACKET_BYTES, paddingBytes + (choice.paddedBps * STEP_MS) / 8000)
        : 0
    while (paddingBytes >= PACKET_BYTES) send(PACKET_BYTES, false)
    down.deliver(nowMs, (packet) => {
      if (packet === null) return
      browser.onPacket(packet.number & 0xffff, nowMs + OTHER_CLOCK_MS)
      if (!packet.isSound) return
      second.soundHere++
      second.soundLateMs = Math.max(second.soundLateMs, nowMs - packet.sentAtMs - down.quality.delayMs)
    })
    if (nowMs % REPORT_MS === 0) {
      let report = browser.take(1, 2)
      for (; report; report = browser.take(1, 2)) up.send(report, nowMs)
    }
    up.deliver(nowMs, (bytes) => {
      const report = readArrivalReport(bytes, 0, bytes.length)
      if (!report) throw new Error('the report is malformed')
      estimate.onReport(report, nowMs)
    })
    const state = {
      estimateBps: estimate.bps,
      isCongested: estimate.isCongested(nowMs),
      isFilling: estimate.isFilling,
      sentBps,
      fullBps: RATES.full + 48_000,
    }
    if (nowMs % LOOK_MS === 0 && choice.update(nowMs, state)) {
      outcome.changes.push({ atS: nowMs / 1000, to: choice.rendition })
      showing = choice.rendition
      keyframe = true
    }
    if ((nowMs + STEP_MS) % 1000 !== 0) continue
    const soundLost = Math.max(0, second.soundSent - second.soundHere)
    outcome.seconds.push({
      estimateKbps: Math.round(estimate.bps / 1000),
      soundLateMs: Math.round(second.soundLateMs),
      soundLost,
    })
    second = { soundLateMs: 0, soundSent: 0, soundHere: 0 }
  }
  return outcome
}
