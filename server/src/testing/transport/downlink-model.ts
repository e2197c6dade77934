import { readRtcp } from '../../media-worker/transport/rtp/rtcp-reader.ts'
import { writeNack } from '../../media-worker/transport/rtp/rtcp-writer.ts'
import { RtpPacketView } from '../../media-worker/transport/rtp/rtp-packet.ts'
import { sequenceDistance } from '../../media-worker/transport/rtp/serial.ts'
import { type HistorySlot, PacketHistory } from '../../media-worker/transport/sending/packet-history.ts'
import { ReceiverLoss } from '../../media-worker/transport/sending/receiver-loss.ts'
import { prepareVideoHeader, VIDEO_HEADER_BYTES } from '../../media-worker/transport/sending/video-header.ts'
import { VideoSender } from '../../media-worker/transport/sending/video-sender.ts'
import { LinkModel, type LinkModelQuality, seededRandom } from './link-model.ts'

const STEP_MS = 2
const TICK_MS = 10
const PICTURE_MS = 50
const REPORT_MS = 1000
const SETTLED_MS = 5000
const PAYLOAD_TYPE = 102
const RETRANSMISSION_PAYLOAD_TYPE = 103
const PLAYOUT_DELAY_ID = 5
/** How fast Chromium changes the delay of its pictures. */
const MOST_CHANGE_PER_MS = 0.1
/** The delay that Chromium adds by itself for the usual variation of its network, without retransmissions. */
const OWN_DELAY_MS = 40

/** The result of watching the room's picture over a bad downlink. */
export interface DownlinkOutcome {
  /**
   * Share of the time in steps between two pictures that were longer than the given limit. Each such step counts in
   * full.
   */
  frozen: number
  /** The median time from making a picture until it was shown. */
  pictureDelayMs: number
  /** Packets that were sent again, per packet that the link lost. */
  repetitionsPerLoss: number
}

interface Awaited {
  askedAtMs: number
}

/**
 * Models a receiver like Chromium: it requests missing packets at once and then once per round trip, and shows frames
 * in order.
 */
class ViewerModel {
  readonly shownAtMs: number[] = []
  readonly delaysMs: number[] = []
  readonly #control: (packet: Buffer) => void
  readonly #ssrc: number
  readonly #view = new RtpPacketView()
  readonly #here = new Map<number, { timestamp: number; marker: boolean }>()
  readonly #missing = new Map<number, Awaited>()
  readonly #capturedAtMs: (timestamp: number) => number
  #highest = -1
  #next = -1
  #leastTransitMs = Number.POSITIVE_INFINITY
  #wantedDelayMs = 0
  #delayMs = 0
  #lastShownAtMs = 0
  #received = 0
  #expectedFrom = -1

  constructor(ssrc: number, capturedAtMs: (timestamp: number) => number, control: (packet: Buffer) => void) {
    this.#ssrc = ssrc
    this.#capturedAtMs = capturedAtMs
    this.#control = control
  }

  onPacket(packet: Buffer, nowMs: number): void {
    const view = this.#view
    view.read(packet)
    const at = view.extension(PLAYOUT_DELAY_ID)
    if (at >= 0) this.#wantedDelayMs = (view.buffer.readUIntBE(at, 3) >> 12) * 10
    const repeated = view.payloadType === RETRANSMISSION_PAYLOAD_TYPE
    const sequence = repeated ? view.buffer.readUInt16BE(view.payloadStart) : view.sequence
    if (this.#highest < 0) this.#highest = this.#next = this.#expectedFrom = 0x10000 + sequence
    const extended = this.#highest + sequenceDistance(this.#highest & 0xffff, sequence)
    if (!repeated) this.#received++
    for (let lost = this.#highest + 1; lost < extended; lost++)
      this.#missing.set(lost, { askedAtMs: Number.NEGATIVE_INFINITY })
    this.#highest = Math.max(this.#highest, extended)
    this.#missing.delete(extended)
    this.#here.set(extended, { timestamp: view.timestamp, marker: view.marker })
    this.#show(nowMs)
  }

  /** Requests missing packets that have not been requested within a round trip. */
  ask(nowMs: number, roundTripMs: number): void {
    const wanted: number[] = []
    for (const [sequence, awaited] of this.#missing) {
      if (nowMs - awaited.askedAtMs < roundTripMs) continue
      awaited.askedAtMs = nowMs
      wanted.push(sequence & 0xffff)
    }
    if (wanted.length > 0) this.#control(writeNack(1, this.#ssrc, wanted))
  }

  /** Share of the packets lost since the last report. */
  report(): number {
    const expected = this.#highest + 1 - this.#expectedFrom
    const share = expected > 0 ? Math.max(0, 1 - this.#received / expected) : 0
    this.#expectedFrom = this.#highest + 1
    this.#received = 0
    return share
  }

  #show(nowMs: number): void {
    for (;;) {
      let end = this.#next
      while (this.#here.has(end) && !this.#here.get(end)!.marker) end++
      const last = this.#here.get(end)
      if (!last) return
      const capturedAtMs = this.#capturedAtMs(last.timestamp)
      this.#leastTransitMs = Math.min(this.#leastTransitMs, nowMs - capturedAtMs)
      const target = Math.max(OWN_DELAY_MS, this.#wantedDelayMs)
      const change = PICTURE_MS * MOST_CHANGE_PER_MS
      this.#delayMs += Math.max(-change, Math.min(change, target - this.#delayMs))
      const dueAtMs = capturedAtMs + this.#leastTransitMs + this.#delayMs
      const shownAtMs = Math.max(nowMs, dueAtMs, this.#lastShownAtMs)
      this.#lastShownAtMs = shownAtMs
      this.shownAtMs.push(shownAtMs)
      this.delaysMs.push(shownAtMs - capturedAtMs)
      for (; this.#next <= end; this.#next++) this.#here.delete(this.#next)
    }
  }
}

/**
 * Sends the room's picture over a bad network with the real sending side, on a manual clock. The network begins to lose
 * packets after five seconds, and everything is counted from then on.
 */
export function simulateDownlink(options: {
  quality: LinkModelQuality
  seconds: number
  seed: number
  packetsPerFrame: number
  longestStepMs: number
}): DownlinkOutcome {
  const random = seededRandom(options.seed)
  const down = new LinkModel<Buffer>({ ...options.quality, loss: 0 }, random)
  const up = new LinkModel<Buffer>({ ...options.quality, loss: 0 }, random)
  const history = new PacketHistory()
  const loss = new ReceiverLoss()
  let nowMs = 0
  const sender = new VideoSender({
    send: (packet) => {
      down.send(Buffer.from(packet), nowMs)
      return true
    },
  })
  sender.stream.payloadType = PAYLOAD_TYPE
  sender.retransmissionPayloadType = RETRANSMISSION_PAYLOAD_TYPE
  sender.playoutDelayExtensionId = PLAYOUT_DELAY_ID
  sender.setConnected(true)
  sender.attach({
    get end() {
      return history.end
    },
    recentKeyframe: null,
    find: (sequence) => history.find(sequence),
    onKeyframeNeeded: () => {},
  })
  const viewer = new ViewerModel(
    sender.stream.ssrc,
    (timestamp) => ((timestamp - sender.stream.timestampOffset) >>> 0) / 90,
    (control) => up.send(control, nowMs),
  )
  const { delayMs, jitterMs, reorders } = options.quality
  const roundTripMs = 2 * (delayMs + (reorders ? 0 : jitterMs * 0.7))
  const { packetsPerFrame } = options
  for (let frame = 0; nowMs < options.seconds * 1000; nowMs += STEP_MS) {
    if (nowMs === SETTLED_MS) up.quality = down.quality = options.quality
    if (nowMs % PICTURE_MS === 0) publish(history, sender, frame++, nowMs, packetsPerFrame)
    if (nowMs % TICK_MS === 0) sender.tick(nowMs)
    down.deliver(nowMs, (packet) => viewer.onPacket(packet, nowMs))
    viewer.ask(nowMs, roundTripMs)
    up.deliver(nowMs, (control) =>
      readRtcp(control, {
        ...NOTHING,
        onNack: (_ssrc, sequence) => {
          sender.onNack(sequence, nowMs)
          loss.onRequest(sequence, nowMs)
          sender.setPlayoutDelay(loss.playoutDelayMs(roundTripMs, nowMs))
        },
      }),
    )
    if (nowMs % REPORT_MS !== 0) continue
    loss.report(viewer.report(), roundTripMs + jitterMs * (random() - 0.5))
    sender.setPlayoutDelay(loss.playoutDelayMs(roundTripMs, nowMs))
  }
  const shownAtMs = viewer.shownAtMs.filter((atMs) => atMs > SETTLED_MS)
  const steps = shownAtMs.slice(1).map((atMs, i) => atMs - shownAtMs[i]!)
  const frozenMs = steps.filter((step) => step > options.longestStepMs).reduce((sum, step) => sum + step, 0)
  const delays = viewer.delaysMs.slice(SETTLED_MS / PICTURE_MS).sort((a, b) => a - b)
  return {
    frozen: frozenMs / (options.seconds * 1000 - SETTLED_MS),
    pictureDelayMs: delays[Math.floor(delays.length / 2)] ?? 0,
    repetitionsPerLoss: sender.retransmitted / Math.max(1, down.lost),
  }
}

const NOTHING = {
  onSenderReport: () => {},
  onReportBlock: () => {},
  onNack: () => {},
  onKeyframeRequest: () => {},
  onEstimatedBitrate: () => {},
  onArrivals: () => {},
  onBye: () => {},
}

function publish(history: PacketHistory, sender: VideoSender, frame: number, nowMs: number, packets: number) {
  for (let part = 0; part < packets; part++) {
    const slot: HistorySlot = history.open()
    slot.length = 100
    slot.timestamp = nowMs * 90
    slot.marker = part === packets - 1
    slot.beginsKeyframe = frame === 0 && part === 0
    slot.sendTime = 0
    slot.capturedAtMs = nowMs
    slot.queuedAtMs = nowMs
    slot.packet = slot.bytes.subarray(0, VIDEO_HEADER_BYTES + slot.length)
    prepareVideoHeader(slot.bytes)
  }
  while (sender.sendChunk(nowMs));
}
