import { type Guard, unguarded } from '../../containment.ts'
import type { EncodedVideoFrame, VideoCodec } from '../media-types.ts'
import { packetizeH264 } from './rtp/h264.ts'
import { packetizeVp8 } from './rtp/vp8.ts'
import { type HistorySlot, MOST_VIDEO_PAYLOAD_BYTES, PacketHistory } from './sending/packet-history.ts'
import { absoluteSendTime, prepareVideoHeader, VIDEO_HEADER_BYTES } from './sending/video-header.ts'
import type { VideoSender, VideoSource } from './sending/video-sender.ts'
import type { WebRtcTransport } from './webrtc-transport.ts'

/** How long packets are sent before the event loop gets its turn: a keyframe to hundreds of browsers takes far longer. */
const SLICE_MS = 3

export interface VideoFanOutOptions {
  /** A leg joins or has lost the picture. May be called in bursts; the room merges them. */
  onKeyframeNeeded: () => void
  /** Contains faults outside of `publish`. Without it they are the caller's. */
  guard?: Guard
}

/** One encoded stream to many legs: packets are made once, and only their headers differ from leg to leg. */
export class VideoFanOut {
  readonly codec: VideoCodec
  /** Created with the first leg: few rooms have legs of both codecs. */
  #history: PacketHistory | null = null
  readonly #senders: VideoSender[] = []
  readonly #source: VideoSource
  readonly #frame: HistorySlot[] = []
  /** Packets before this one have been sent to everybody. */
  #sent = 0
  #sliceScheduled = false
  readonly #continue: () => void
  #pictureId = 0

  constructor(codec: VideoCodec, { onKeyframeNeeded, guard = unguarded }: VideoFanOutOptions) {
    this.codec = codec
    this.#continue = guard('fan-out', () => {
      if (this.#history) this.#sendSlice(this.#history)
    })
    this.#source = { find: (sequence) => this.#history?.find(sequence) ?? null, onKeyframeNeeded }
  }

  /** How many legs receive this stream. */
  get size(): number {
    return this.#senders.length
  }

  /**
   * From now on this leg receives the stream, beginning with the next keyframe. Adding a leg twice does nothing.
   * @throws where the leg does not receive this codec
   */
  add(transport: WebRtcTransport): void {
    const sender = transport.videoSender
    if (this.#senders.includes(sender)) return
    if (transport.receivedVideoCodec !== this.codec) throw new Error(`the leg does not receive ${this.codec}`)
    this.#senders.push(sender)
    sender.attach(this.#source)
  }

  /** This leg receives the stream no more. */
  remove(transport: WebRtcTransport): void {
    const index = this.#senders.indexOf(transport.videoSender)
    if (index < 0) return
    this.#senders.splice(index, 1)
    transport.videoSender.attach(null)
  }

  /** Sends one frame to all legs. `frame.data` is not touched after the return. */
  publish(frame: EncodedVideoFrame): void {
    if (this.#senders.length === 0) return
    this.#history ??= new PacketHistory()
    const history = this.#history
    const slots = this.#frame
    slots.length = 0
    const open = (): HistorySlot => {
      const slot = history.open()
      slots.push(slot)
      return slot
    }
    if (this.codec === 'H264') packetizeH264(frame.data, MOST_VIDEO_PAYLOAD_BYTES, open)
    else packetizeVp8(frame.data, this.#pictureId, MOST_VIDEO_PAYLOAD_BYTES, open)
    this.#pictureId = (this.#pictureId + 1) & 0x7fff
    const sendTime = absoluteSendTime(performance.now())
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i]!
      slot.timestamp = frame.rtpTimestamp % 2 ** 32
      slot.marker = i === slots.length - 1
      slot.beginsKeyframe = frame.keyframe && i === 0
      slot.sendTime = sendTime
      slot.capturedAtMs = frame.capturedAtMs
      slot.packet = slot.bytes.subarray(0, VIDEO_HEADER_BYTES + slot.length)
      prepareVideoHeader(slot.bytes)
    }
    if (!this.#sliceScheduled) this.#sendSlice(history)
  }

  #sendSlice(history: PacketHistory): void {
    this.#sliceScheduled = false
    let nowMs = performance.now()
    const until = nowMs + SLICE_MS
    while (this.#sent < history.end) {
      const slot = history.find(this.#sent++)
      // Overwritten before it could be sent: the machine is far behind, and a keyframe will be asked for.
      if (!slot) continue
      for (let i = 0; i < this.#senders.length; i++) this.#senders[i]!.forward(slot, nowMs)
      nowMs = performance.now()
      if (nowMs > until && this.#sent < history.end) {
        this.#sliceScheduled = true
        setImmediate(this.#continue)
        return
      }
    }
  }
}
